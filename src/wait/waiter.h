/*
** Decides what the result of an attempt means and what happens next. It is a pure state machine
** over "Waiter workflow" of the specification: definition + state + observation + now -> decision.
** It never reads a clock, sleeps or sends, so live runs, replays, plans and specs share this code.
**
**   bide_waiter_init                    begins the wait
**   bide_waiter_first                   returns when the first attempt begins
**   bide_waiter_begin                   begins an attempt
**   bide_waiter_observe -> decision     ends the attempt
**
** The decision BIDE_ASK requests that the caller calls a matcher of the host. If it matches, the
** caller continues with bide_waiter_accept, otherwise with bide_waiter_observe from the acceptor
** after it. A success that the caller does not believe is taken back by bide_waiter_take_back.
**
** Five options go beyond the specification, and are off by default: a delay of the first attempt, a
** success that has to hold, a backoff that restarts when a value changes, delays of bounded
** lateness, and tolerated errors that no acceptor matched. In addition, a service's Retry-After may
** lengthen a delay: up to maxDelay after an output, and by default up to minutes after an error.
*/
#ifndef BIDE_WAIT_WAITER_H
#define BIDE_WAIT_WAITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "wait/limits.h"
#include "wait/matcher.h"

/*
** Consecutive attempts that ended alike: with a success that has to hold, or a tolerated error. An
** attempt is never both, so one streak serves both. A woken attempt begins or breaks a streak, but
** is not counted: events may bring any number of them within a moment.
*/
typedef struct BideStreak {
  uint64_t of; /* the position of the success's acceptor, or BIDE_TOLERATED; 0 without a streak */
  uint64_t count;
  int64_t since; /* when the first of them ended */
} BideStreak;

#define BIDE_TOLERATED UINT64_MAX

/*
** The state of one wait. It can be written to a record, so that the wait can continue in another
** process. Very many waits share the limits, which are the caller's and outlive them. `started` and
** `streak.since` are times on the caller's monotonic clock, in milliseconds.
*/
typedef struct BideWaiter {
  const BideWaitLimits *limits;
  int64_t started;
  uint64_t attempts;     /* begun so far */
  uint64_t woken;        /* those of them that an event has brought forward */
  uint64_t backoff_base; /* the number of attempts that exponential backoff does not count */
  uint64_t watched;      /* the hash of the last watched value */
  BideStreak streak;
  BideRandom random;
  bool is_spread; /* its last attempt was spread */
  bool is_woken;  /* an event has brought the attempt that began last forward */
} BideWaiter;

typedef enum BideVerdict {
  BIDE_ASK,   /* call the matcher of `acceptor`, which is one of the host */
  BIDE_AGAIN, /* the next attempt begins after `delay` */
  BIDE_ENDED  /* the wait is over; `state` and `reason` say how */
} BideVerdict;

typedef enum BideReason {
  BIDE_BY_ACCEPTOR,
  BIDE_BY_UNMATCHED_ERROR,
  BIDE_BY_MAX_ATTEMPTS,
  BIDE_BY_MAX_WAIT
} BideReason;

/* Returns the name of a reason; NULL beyond the last one, as bide_state_name does. */
const char *bide_reason_name(BideReason reason);

typedef struct BideDecision {
  BideVerdict verdict;
  BideState state;   /* SUCCESS or FAILURE if the verdict is ENDED, otherwise RETRY */
  BideReason reason; /* valid if ENDED */
  size_t acceptor;   /* the position, from 1, of the one that matched or is to be called; or 0 */
  int64_t delay;     /* above 0; valid if AGAIN */
  int64_t asked;     /* the part of it that the service has asked for by a Retry-After; all that it
                        has asked for if the reason is MAX_WAIT */
} BideDecision;

/* Starts a wait at `now`. It keeps the pointer to the limits. */
void bide_waiter_init(BideWaiter *waiter, const BideWaitLimits *limits, uint64_t seed, int64_t now);

/*
** Returns when the first attempt begins: `delay` after the start. The first attempt always runs: if
** that time is not before the deadline, it begins minDelay before the deadline, as a last retry
** does, or at once if that is before the start.
*/
int64_t bide_waiter_first(const BideWaiter *waiter, int64_t delay);

/*
** Ends a streak that is measured in time. Call it if the next attempt did not run when it was due,
** as when another process continues the wait much later.
*/
void bide_waiter_oversleep(BideWaiter *waiter, const BideDefinition *definition);

/* Returns the last_spread that holds: that of the limits, or BIDE_SPREAD_IS_OVER. */
int64_t bide_waiter_last_spread(const BideWaiter *waiter);

/* Returns the length of the hold: that of the limits or, without one, the definition's. */
BideSpan bide_waiter_hold(const BideWaiter *waiter, const BideDefinition *definition);

/*
** Begins an attempt. Returns its number, from 1. One that is woken, since an event has brought it
** forward, counts neither towards max_attempts nor in the number of exponential backoff. The first
** attempt never is.
*/
uint64_t bide_waiter_begin(BideWaiter *waiter, bool is_woken);

/* Returns when the wait ends at the latest. Saturates. */
int64_t bide_waiter_deadline(const BideWaiter *waiter);

/*
** Decides what happens after an attempt that ended at `now`. Tries the acceptors from position
** `first`, counted from 1. `note` receives the last evaluation error of a path; its code is BIDE_OK
** if all succeeded. If the code is BIDE_ERROR_MEMORY, the decision is invalid, since an acceptor
** that might have matched was skipped.
**
** The definition's `until` is tried after the others, on an output that would be a retry, or would
** be a success if there are other acceptors for success. Where conditions cannot look into the
** output, no acceptor makes it a success.
**
** A success that has to hold gives AGAIN until one acceptor has matched for long enough without a
** break; the delays are minDelay, or the hold_delay of the limits, until then, and a break restarts
** exponential backoff. A retry_after lengthens the drawn delay up to the cap of the limits, before
** the rule for the last retry.
**
** With a last_spread, a last attempt that a retry_after puts off comes at a random time within that
** span before the time of a last retry, so that the last attempts of many waits do not coincide. If
** it is put off again, the wait ends with maxWait.
*/
BideDecision bide_waiter_observe(BideWaiter *waiter, const BideDefinition *definition,
                                 const BideObservation *observation, size_t first, int64_t now,
                                 BideArena *scratch, BideError *note);

/*
** Decides as bide_waiter_observe does, after a matcher of the host at `acceptor` has matched. Of
** the observation only retry_after is read, and whether there is an output.
*/
BideDecision bide_waiter_accept(BideWaiter *waiter, const BideDefinition *definition,
                                const BideObservation *observation, size_t acceptor, int64_t now,
                                BideArena *scratch, BideError *note);

/*
** Takes back the success of `acceptor`, the last decision, since a witness of the host has
** not confirmed it: the attempt leads to another one, and what has held so far does not count. Of
** the observation only retry_after is read, and whether there is an output.
*/
BideDecision bide_waiter_take_back(BideWaiter *waiter, const BideObservation *observation,
                                   size_t acceptor, int64_t now);

#endif
