#include "wait/limiter.h"

#include <stddef.h>

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* Adds an interval above 0 to a time. Saturates at INT64_MAX. */
static int64_t after(int64_t time, int64_t interval) {
  return time > INT64_MAX - interval ? INT64_MAX : time + interval;
}

/* Returns the time from `from` to `to`: 0 if `to` is not later. Saturates at INT64_MAX. */
static int64_t passed(int64_t from, int64_t to) {
  if (to <= from)
    return 0;
  return from < 0 && to > INT64_MAX + from ? INT64_MAX : to - from;
}

static bool is_sound(const BideBucket *bucket, const BideRate *rate, BideError *error) {
  const char *mistake = NULL;
  if (rate->refill_rate < 1 || rate->interval < 1 || rate->burst_limit < 1 || rate->cost < 1)
    mistake = "refill rate, interval, burst limit and cost must be at least 1";
  else if (bucket != NULL && bucket->tokens < 0)
    mistake = "a bucket cannot hold less than 0 tokens";
  if (mistake != NULL)
    bide_error_set(error, BIDE_ERROR_VALUE, "%s", mistake);
  return mistake == NULL;
}

static void make_full(const BideRate *rate, BideLimiter *limiter) {
  limiter->created = true;
  limiter->refilled_tokens = rate->burst_limit;
  limiter->tokens_after_refill = rate->burst_limit;
  limiter->updated_at = limiter->checked_at;
}

/* Returns the tokens that the intervals add, at most `room`. Compares before it multiplies. */
static int64_t refill(int64_t room, int64_t intervals, int64_t refill_rate) {
  if (room <= 0)
    return 0;
  return intervals > room / refill_rate ? room : smaller(room, intervals * refill_rate);
}

static void refill_bucket(const BideBucket *bucket, const BideRate *rate, BideLimiter *limiter) {
  int64_t intervals = passed(bucket->updated_at, limiter->checked_at) / rate->interval;
  limiter->previous_tokens = bucket->tokens;
  limiter->previous_updated_at = bucket->updated_at;
  limiter->refilled_tokens = refill(rate->burst_limit - bucket->tokens, intervals,
                                    rate->refill_rate);
  limiter->tokens_after_refill = bucket->tokens + limiter->refilled_tokens;
  limiter->updated_at = limiter->refilled_tokens > 0 ? limiter->checked_at : bucket->updated_at;
}

bool bide_limiter_check(const BideBucket *bucket, const BideRate *rate, int64_t now,
                        BideLimiter *limiter, BideError *error) {
  if (!is_sound(bucket, rate, error))
    return false;
  *limiter = (BideLimiter){.checked_at = now};
  if (bucket == NULL)
    make_full(rate, limiter);
  else
    refill_bucket(bucket, rate, limiter);
  limiter->allowed = limiter->tokens_after_refill >= rate->cost;
  limiter->paid_tokens = limiter->allowed ? rate->cost : 0;
  limiter->tokens_after_paid = limiter->tokens_after_refill - limiter->paid_tokens;
  limiter->next_refill_at = after(limiter->updated_at, rate->interval);
  limiter->ms_until_next_refill = passed(now, limiter->next_refill_at);
  return true;
}

/* Returns the time of the check; a check late by less than one interval counts as on time. */
static int64_t counted_time(const BideBucket *bucket, const BideRate *rate, int64_t now) {
  if (passed(bucket->updated_at, now) / rate->interval == 1)
    return bucket->updated_at + rate->interval;
  return larger(bucket->updated_at, now);
}

/* Replaces a full bucket by a new one, since time adds no tokens to a full bucket. */
bool bide_limiter_take(BideBucket *bucket, const BideRate *rate, int64_t now, int64_t *next_at) {
  bool is_full = bucket->tokens >= rate->burst_limit;
  BideLimiter limiter;
  BideError error;
  if (!bide_limiter_check(is_full ? NULL : bucket, rate, counted_time(bucket, rate, now), &limiter,
                          &error))
    return false;
  *bucket = (BideBucket){limiter.tokens_after_paid, limiter.updated_at};
  *next_at = limiter.next_refill_at;
  return limiter.allowed;
}
