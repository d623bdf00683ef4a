/*
** Computes the delay before a retry: exponential backoff with jitter, as defined by the Smithy
** specification of waiters, section "Waiter retries". All times are whole milliseconds.
**
** The algorithm needs a random number in its middle, so it is split into two functions, one before
** the draw and one after it. Both are pure.
*/
#ifndef BIDE_WAIT_BACKOFF_H
#define BIDE_WAIT_BACKOFF_H

#include <stdint.h>

typedef struct BideBackoff {
  int64_t min_delay; /* at least 1 */
  int64_t max_delay; /* at least min_delay */
} BideBackoff;

#define BIDE_DEFAULT_MIN_DELAY INT64_C(2000)
#define BIDE_DEFAULT_MAX_DELAY INT64_C(120000)

/*
** Returns the upper end of the draw before retry `attempt`, counted from 1: minDelay doubled for
** each attempt, at most maxDelay. The lower end of the draw is minDelay. Accepts any attempt.
*/
int64_t bide_backoff_ceiling(const BideBackoff *backoff, uint64_t attempt);

/*
** Returns the delay for the number that was drawn and the time that remains. If no further retry
** fits after this one (remaining - drawn <= minDelay), it is the last, and its delay is
** remaining - minDelay. Call it only while remaining > minDelay; the delay is then above 0.
*/
int64_t bide_backoff_delay(const BideBackoff *backoff, int64_t drawn, int64_t remaining);

#endif
