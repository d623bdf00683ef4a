/*
** Computes the delay before a retry by the strategies of the AWS SDKs, of "Exponential Backoff And
** Jitter" on the AWS Architecture Blog, and of botocore's delay_exponential. The delay of a waiter
** is computed in backoff.h. All times are whole milliseconds.
**
** With ceiling = min(cap, base * growth^attempt), where growth is 2 in all of them, but botocore's
** delay_exponential takes another one, and random inclusive at both ends:
**
**   exponential          ceiling
**   full jitter          random(0, ceiling)
**   equal jitter         ceiling / 2 + random(0, ceiling / 2)
**   decorrelated jitter  min(cap, random(base, 3 * the delay before))
**   random base          random(0, min(cap, base * growth^(attempt - 1))): botocore's
**                        rand * growth^(attempt - 1) with a base of one second
**
** The SDKs do not agree on the number of the first retry, so the caller passes it.
*/
#ifndef BIDE_WAIT_STRATEGY_H
#define BIDE_WAIT_STRATEGY_H

#include <stdint.h>

#include "base/random.h"

typedef enum BideStrategyKind {
  BIDE_EXPONENTIAL,
  BIDE_FULL_JITTER,
  BIDE_EQUAL_JITTER,
  BIDE_DECORRELATED_JITTER,
  BIDE_RANDOM_BASE
} BideStrategyKind;

typedef struct BideStrategy {
  BideStrategyKind kind;
  int64_t base;  /* at least 1 */
  int64_t cap;   /* at least base */
  double growth; /* at least 1; decorrelated jitter ignores it */
} BideStrategy;

/*
** Returns the delay before a retry, between 0 and cap. `attempt` is the number in the formula; any
** number is accepted, and random base treats 0 as 1. `previous` is the last delay returned, 0 at
** first, which decorrelated jitter treats as base.
*/
int64_t bide_strategy_delay(const BideStrategy *strategy, uint64_t attempt, int64_t previous,
                            BideRandom *random);

#endif
