/*
** The delay before a retry: exponential backoff with jitter, as the Smithy
** specification of waiters has it under "Waiter retries". All times are whole
** milliseconds.
**
** The algorithm takes a random number in its middle, so it stands here in two
** halves around the draw; both are pure.
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
** The upper end of the draw before retry `attempt` (from 1): minDelay doubled
** with each attempt, maxDelay from where that would exceed it. The lower end is
** minDelay. Saturates; no attempt is too large.
*/
int64_t bide_backoff_ceiling(const BideBackoff *backoff, uint64_t attempt);

/*
** The delay, given what was drawn and the time that remains: where a further
** retry after it would come too late (remaining - drawn <= minDelay), this one
** is the last, and comes at remaining - minDelay. Call it only while
** remaining > minDelay; the delay is then above 0.
*/
int64_t bide_backoff_delay(const BideBackoff *backoff, int64_t drawn, int64_t remaining);

#endif
