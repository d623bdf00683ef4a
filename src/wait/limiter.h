/*
** A token bucket as a pure function: it takes a bucket and its configuration, and returns the new
** bucket and every figure of the check. The caller stores the bucket. Times are milliseconds of the
** caller's clock.
*/
#ifndef BIDE_WAIT_LIMITER_H
#define BIDE_WAIT_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* The tokens in a bucket, and the time when tokens were added last. */
typedef struct BideBucket {
  int64_t tokens;
  int64_t updated_at;
} BideBucket;

typedef struct BideRate {
  int64_t refill_rate; /* tokens added per interval; at least 1 */
  int64_t interval;    /* milliseconds; at least 1 */
  int64_t burst_limit; /* the most tokens a bucket holds; at least 1 */
  int64_t cost;        /* tokens that one request takes; at least 1 */
} BideRate;

typedef struct BideLimiter {
  bool allowed; /* the cost was paid */
  bool created; /* no bucket was given: a full one was created */
  int64_t checked_at;
  int64_t previous_tokens;     /* before the check; undefined if `created` */
  int64_t previous_updated_at; /* undefined if `created` */
  int64_t refilled_tokens;     /* added by this check */
  int64_t tokens_after_refill;
  int64_t paid_tokens; /* the cost, or 0 if it could not be paid */
  int64_t tokens_after_paid;
  int64_t updated_at;           /* checked_at if tokens were added, otherwise unchanged */
  int64_t next_refill_at;       /* updated_at + interval; in the past if the bucket is full */
  int64_t ms_until_next_refill; /* from checked_at; 0 if that time has come */
} BideLimiter;

/*
** Checks whether `rate->cost` tokens can be paid at `now`, and pays them. The new bucket is
** { tokens_after_paid, updated_at }. A NULL `bucket` is created full. A bucket updated after `now`,
** by a clock that was ahead, gets no tokens. Returns false, with the code VALUE, if a figure of the
** rate is below 1 or the tokens are below 0. Times and intervals saturate.
*/
bool bide_limiter_check(const BideBucket *bucket, const BideRate *rate, int64_t now,
                        BideLimiter *limiter, BideError *error);

/*
** Pays the cost from `bucket` in place and returns true, or returns false and sets `*next_at` to
** the time of the next try, which is after `now`. A request that is late by less than one interval
** counts as on time, so that late timers do not lower the rate. Within any time T at most
** burst_limit + refill_rate * ceil(T / interval) tokens are given. The rate must be valid for
** bide_limiter_check, and the cost at most the burst limit. A `now` before the last refill counts
** as the time of that refill.
*/
bool bide_limiter_take(BideBucket *bucket, const BideRate *rate, int64_t now, int64_t *next_at);

#endif
