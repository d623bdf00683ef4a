/*
** Computes the delay before a retry. All times are whole milliseconds. There are two algorithms:
**
** - exponential backoff with jitter, as defined by the Smithy specification of waiters, section
**   "Waiter retries": the delay grows with the number of attempts;
** - bounded lateness, beyond the specification: the delay grows with the time waited, so that what
**   is waited for is found late by at most a fraction of that time, or by minDelay. The delay is
**   random between half of that bound and the bound.
**
** Both need a random number in their middle, so each is split into two functions, one before the
** draw and one after it. All are pure.
*/
#ifndef BIDE_WAIT_BACKOFF_H
#define BIDE_WAIT_BACKOFF_H

#include <stdint.h>

typedef struct BideBackoff {
  int64_t min_delay; /* at least 1 */
  int64_t max_delay; /* at least min_delay */
  int64_t lateness;  /* the fraction of bounded lateness, in billionths, at most
                        BIDE_WHOLE_LATENESS; 0 for exponential backoff */
} BideBackoff;

/* The numbers from which a delay is drawn, both ends inclusive. */
typedef struct BideDelayRange {
  int64_t low;
  int64_t high; /* at least `low` */
} BideDelayRange;

#define BIDE_WHOLE_LATENESS INT64_C(1000000000)

#define BIDE_DEFAULT_MIN_DELAY INT64_C(2000)
#define BIDE_DEFAULT_MAX_DELAY INT64_C(120000)

/*
** Returns the upper end of the draw of exponential backoff before retry `attempt`, counted from 1:
** minDelay doubled for each attempt, at most maxDelay. Accepts any attempt.
*/
int64_t bide_backoff_ceiling(const BideBackoff *backoff, uint64_t attempt);

/*
** Returns the range of the draw before retry `attempt`, counted from 1, `elapsed` after the wait
** began. Exponential backoff draws from minDelay to its ceiling, whatever has elapsed. Bounded
** lateness has the ceiling min(maxDelay, max(minDelay, lateness * elapsed)), whatever the attempt,
** and draws from max(minDelay, ceiling / 2) to it; fractions of a millisecond are rounded inward.
** Accepts any attempt and any `elapsed`.
*/
BideDelayRange bide_backoff_range(const BideBackoff *backoff, uint64_t attempt, int64_t elapsed);

/*
** Returns the delay for the number that was drawn and the time that remains. If no further retry
** fits after this one (remaining - drawn <= minDelay), it is the last, and its delay is
** remaining - minDelay. Call it only while remaining > minDelay; the delay is then above 0.
*/
int64_t bide_backoff_delay(const BideBackoff *backoff, int64_t drawn, int64_t remaining);

#endif
