/*
** The decision core: what an attempt means and what comes next. A pure state
** machine over "Waiter workflow" of the specification: definition + state +
** observation + now -> decision. It never reads a clock, sleeps or fetches, so
** a live run, a replay, a plan and the specs are the same code.
**
**   bide_waiter_init                    the wait begins
**   bide_waiter_begin                   an attempt begins
**   bide_waiter_observe -> decision     it has ended: what now?
**
** A decision may be to ask a matcher that is none of the core's own. Whoever
** asked it says what it answered: bide_waiter_accept where it matched, else
** bide_waiter_observe again, from the acceptor behind it.
*/
#ifndef BIDE_WAIT_WAITER_H
#define BIDE_WAIT_WAITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "wait/matcher.h"

/* No limit on attempts. */
#define BIDE_ANY_ATTEMPTS UINT64_MAX

/*
** The state of one wait: plain, without pointers, so that it can be written down
** and go on elsewhere. Times are the caller's monotonic milliseconds.
*/
typedef struct BideWaiter {
  BideBackoff backoff;
  int64_t started;
  int64_t max_wait;
  uint64_t max_attempts;
  uint64_t attempts; /* begun so far */
  BideRandom random;
} BideWaiter;

typedef enum BideVerdict {
  BIDE_ASK,    /* ask the matcher of `acceptor` */
  BIDE_AGAIN,  /* the next attempt begins after `delay` */
  BIDE_ENDED   /* it is over: `state`, `reason` */
} BideVerdict;

typedef enum BideReason {
  BIDE_BY_ACCEPTOR,
  BIDE_BY_UNMATCHED_ERROR,
  BIDE_BY_MAX_ATTEMPTS,
  BIDE_BY_MAX_WAIT
} BideReason;

typedef struct BideDecision {
  BideVerdict verdict;
  BideState state;   /* BIDE_SUCCESS or BIDE_FAILURE where ENDED; BIDE_RETRY else */
  BideReason reason; /* where ENDED */
  size_t acceptor;   /* the position, from 1, of the one that matched or is to be asked; 0 is none */
  int64_t delay;     /* where AGAIN; above 0 */
} BideDecision;

/* Starts a wait at `now`. max_wait must be above 0, max_attempts at least 1. */
void bide_waiter_init(BideWaiter *waiter, BideBackoff backoff, int64_t max_wait,
                      uint64_t max_attempts, uint64_t seed, int64_t now);

/* An attempt begins; returns its number, from 1. */
uint64_t bide_waiter_begin(BideWaiter *waiter);

/* When the wait is over, whatever happens; saturates. */
int64_t bide_waiter_deadline(const BideWaiter *waiter);

/*
** Decides what the end of an attempt at `now` means, looking at the acceptors
** from `first` (from 1) on. `note` receives the last evaluation error of a path,
** its code BIDE_OK where there was none.
*/
BideDecision bide_waiter_observe(BideWaiter *waiter, const BideDefinition *definition,
                                 const BideObservation *observation, size_t first, int64_t now,
                                 BideArena *scratch, BideError *note);

/* The same, once `acceptor` is known to match. */
BideDecision bide_waiter_accept(BideWaiter *waiter, const BideDefinition *definition,
                                size_t acceptor, int64_t now);

#endif
