/*
** How long to pause before something is tried again: the strategies of the AWS
** SDKs and of "Exponential Backoff And Jitter" on the AWS Architecture Blog, and
** botocore's delay_exponential. The delay of a waiter is backoff.h's matter. All
** times are whole milliseconds.
**
** With ceiling = min(cap, base * 2^attempt), and random inclusive at both ends:
**
**   exponential          ceiling
**   full jitter          random(0, ceiling)
**   equal jitter         ceiling / 2 + random(0, ceiling / 2)
**   decorrelated jitter  min(cap, random(base, 3 * the delay before))
**   random base          random(0, min(cap, base * 2^(attempt - 1))): botocore's
**                        rand * 2^(attempt - 1) with a base of one second
**
** The SDKs do not agree on the number of the first retry: it is the caller's to say.
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
  int64_t base; /* at least 1 */
  int64_t cap;  /* at least base */
} BideStrategy;

/*
** The delay before a retry. `attempt` is the number in the formula, and none is
** too large; random base takes 0 for 1. `previous` is the delay that this gave
** before, 0 at first, which decorrelated jitter takes for base. The delay is
** between 0 and cap; nothing overflows.
*/
int64_t bide_strategy_delay(const BideStrategy *strategy, uint64_t attempt, int64_t previous,
                            BideRandom *random);

#endif
