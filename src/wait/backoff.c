#include "wait/backoff.h"

/*
** Compares minDelay with maxDelay shifted down, which cannot overflow. The specification avoids the
** overflow with logarithms; shifting answers the same question in whole numbers, without rounding.
*/
int64_t bide_backoff_ceiling(const BideBackoff *backoff, uint64_t attempt) {
  uint64_t doublings = attempt > 0 ? attempt - 1 : 0;
  if (doublings > 62 || backoff->min_delay > backoff->max_delay >> doublings)
    return backoff->max_delay;
  return backoff->min_delay << doublings;
}

/*
** Returns the range of bounded lateness. The product of the elapsed time and the fraction is taken
** in two parts, since it may not fit: of the whole billions, and of the rest, which is below 10^18.
*/
static BideDelayRange range_of_lateness(const BideBackoff *backoff, int64_t elapsed) {
  BideDelayRange range = {backoff->min_delay, backoff->max_delay};
  int64_t whole, rest, half;
  if (elapsed < 0)
    elapsed = 0;
  rest = elapsed % BIDE_WHOLE_LATENESS * backoff->lateness;
  whole = elapsed / BIDE_WHOLE_LATENESS * backoff->lateness + rest / BIDE_WHOLE_LATENESS;
  half = whole / 2 + (whole % 2 != 0 || rest % BIDE_WHOLE_LATENESS != 0);
  if (whole >= range.high)
    half = range.high / 2 + range.high % 2;
  else
    range.high = whole > range.low ? whole : range.low;
  if (half > range.low && whole > range.low)
    range.low = half;
  return range;
}

BideDelayRange bide_backoff_range(const BideBackoff *backoff, uint64_t attempt, int64_t elapsed) {
  if (backoff->lateness > 0)
    return range_of_lateness(backoff, elapsed);
  return (BideDelayRange){backoff->min_delay, bide_backoff_ceiling(backoff, attempt)};
}

int64_t bide_backoff_delay(const BideBackoff *backoff, int64_t drawn, int64_t remaining) {
  if (remaining - drawn <= backoff->min_delay)
    return remaining - backoff->min_delay;
  return drawn;
}
