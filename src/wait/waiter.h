/*
** The decision core: what an attempt means and what comes next. A pure state
** machine over "Waiter workflow" of the specification: definition + state +
** observation + now -> decision. It never reads a clock, sleeps or fetches, so
** a live run, a replay, a plan and the specs are the same code.
**
**   bide_waiter_init                    the wait begins
**   bide_waiter_first                   when its first attempt does
**   bide_waiter_begin                   an attempt begins
**   bide_waiter_observe -> decision     it has ended: what now?
**
** A decision may be to ask a matcher that is none of the core's own. Whoever
** asked it says what it answered: bide_waiter_accept where it matched, else
** bide_waiter_observe again, from the acceptor behind it.
**
** Four things go beyond the specification, and change nothing where they are not
** asked for: a first attempt that is delayed, a success that has to hold, a backoff
** that starts anew when a value changes, and errors that are tolerated although no
** acceptor matched them. A fifth, a service's own word on when to ask again, only
** ever lengthens a delay, by default within the bounds of the specification.
*/
#ifndef BIDE_WAIT_WAITER_H
#define BIDE_WAIT_WAITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "wait/limits.h"
#include "wait/matcher.h"

/*
** Attempts in a row that ended alike: with a success that is held, then `of` is
** the position of its acceptor; or with an error that is tolerated. An attempt is
** never both, so one streak serves them.
*/
typedef struct BideStreak {
  uint64_t of; /* 0 where there is none */
  uint64_t count;
  int64_t since; /* when the first of them had ended */
} BideStreak;

#define BIDE_TOLERATED UINT64_MAX

/*
** The state of one wait: plain, without pointers, so that it can be written down
** and go on elsewhere. Times are the caller's monotonic milliseconds; they are
** `started` and `streak.since`.
*/
typedef struct BideWaiter {
  BideWaitLimits limits;
  int64_t started;
  uint64_t attempts;     /* begun so far */
  uint64_t backoff_base; /* attempts that the backoff does not count any more */
  uint64_t watched;      /* the hash of the watched value, as it was seen last */
  BideStreak streak;
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

/* Starts a wait at `now`. */
void bide_waiter_init(BideWaiter *waiter, const BideWaitLimits *limits, uint64_t seed, int64_t now);

/*
** When the first attempt begins: `delay` after the start. It always runs: where
** that lies at the deadline or beyond, it begins minDelay before the deadline, as
** a last retry does, and at once where there is no such time.
*/
int64_t bide_waiter_first(const BideWaiter *waiter, int64_t delay);

/*
** Nobody looked when the next attempt was due, as where another process goes on with
** the wait much later: a streak that is measured by time begins anew.
*/
void bide_waiter_oversleep(BideWaiter *waiter, const BideDefinition *definition);

/* An attempt begins; returns its number, from 1. */
uint64_t bide_waiter_begin(BideWaiter *waiter);

/* When the wait is over, whatever happens; saturates. */
int64_t bide_waiter_deadline(const BideWaiter *waiter);

/*
** Decides what the end of an attempt at `now` means, looking at the acceptors
** from `first` (from 1) on. `note` receives the last evaluation error of a path,
** its code BIDE_OK where there was none. Where it is BIDE_ERROR_MEMORY, the decision is
** void: an acceptor was passed over that might have matched.
**
** A success that has to hold is AGAIN until it has, by one acceptor in a row; the
** delays meanwhile are minDelay, and a hold that breaks starts the backoff anew.
** A retry_after lengthens the delay that was drawn up to the cap of the limits; the
** rule for the last retry then applies to what became of it.
*/
BideDecision bide_waiter_observe(BideWaiter *waiter, const BideDefinition *definition,
                                 const BideObservation *observation, size_t first, int64_t now,
                                 BideArena *scratch, BideError *note);

/* The same, once `acceptor` is known to match. */
BideDecision bide_waiter_accept(BideWaiter *waiter, const BideDefinition *definition,
                                const BideObservation *observation, size_t acceptor, int64_t now);

#endif
