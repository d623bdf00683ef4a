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

int64_t bide_backoff_delay(const BideBackoff *backoff, int64_t drawn, int64_t remaining) {
  if (remaining - drawn <= backoff->min_delay)
    return remaining - backoff->min_delay;
  return drawn;
}
