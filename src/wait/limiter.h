/*
** A token bucket as a pure function: bucket and configuration in, bucket and
** every figure of the check out. Whoever limits a rate stores the bucket.
** Times are milliseconds of the caller's clock.
*/
#ifndef BIDE_WAIT_LIMITER_H
#define BIDE_WAIT_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* How many tokens there are, and when tokens were added last. */
typedef struct BideBucket {
  int64_t tokens;
  int64_t updated_at;
} BideBucket;

typedef struct BideRate {
  int64_t refill_rate; /* tokens added with each interval that has passed; at least 1 */
  int64_t interval;    /* milliseconds; at least 1 */
  int64_t burst_limit; /* the most tokens a bucket holds; at least 1 */
  int64_t cost;        /* tokens that one request takes; at least 1 */
} BideRate;

typedef struct BideLimiter {
  bool allowed;                 /* the cost was paid */
  bool created;                 /* there was no bucket: a full one was made */
  int64_t checked_at;
  int64_t previous_tokens;      /* before the check; means nothing where created */
  int64_t previous_updated_at;  /* likewise */
  int64_t refilled_tokens;      /* added by this check */
  int64_t tokens_after_refill;
  int64_t paid_tokens;          /* the cost, or 0 where it could not be paid */
  int64_t tokens_after_paid;
  int64_t updated_at;           /* checked_at where tokens were added, else as it was */
  int64_t next_refill_at;       /* updated_at and an interval; in the past for a bucket that is full */
  int64_t ms_until_next_refill; /* from checked_at; 0 where that time has come */
} BideLimiter;

/*
** Checks whether `rate->cost` tokens can be paid at `now`, and pays them. The
** new bucket is { tokens_after_paid, updated_at }. `bucket` may be NULL: a full
** one is made. No interval has passed for a bucket that was updated after `now`, by a
** clock that was ahead. Returns false, with the code VALUE, where a figure of the rate
** is below 1 or tokens are below 0. Times and intervals saturate.
*/
bool bide_limiter_check(const BideBucket *bucket, const BideRate *rate, int64_t now,
                        BideLimiter *limiter, BideError *error);

/*
** The same for a bucket that stays with its owner, who wants the cost sooner or
** later. Pays it and returns true, or returns false and says in `*next_at` when to
** ask again, after `now`. Who asks late by less than an interval is treated as on
** time, so that timers which ring late do not lower the rate. Of any stretch of time T
** no more than burst_limit + refill_rate * ceil(T / interval) tokens are given. The
** rate must be sound, with a cost that the burst limit covers. A time before the last
** refill is taken for that.
*/
bool bide_limiter_take(BideBucket *bucket, const BideRate *rate, int64_t now, int64_t *next_at);

#endif
