#include "wait/limits.h"

#include <string.h>

/* Define a row. They do not compile if the member has another type. */
#define COUNT(name, member, since, least, otherwise) \
  { name, true, since, OFFSET(uint64_t, member), least, otherwise }
#define TIME(name, member, since, least, otherwise) \
  { name, false, since, OFFSET(int64_t, member), least, otherwise }
#define OFFSET(type, member) \
  _Generic(((BideWaitLimits *)0)->member, type : offsetof(BideWaitLimits, member))

/* The default of a count, BIDE_ANY_ATTEMPTS. */
#define UNSET (-1)

const BideWaitLimit bide_wait_limits[] = {
  TIME("min_delay", backoff.min_delay, 2, 1, 0),
  TIME("max_delay", backoff.max_delay, 2, 1, 0),
  TIME("lateness", backoff.lateness, 3, 0, 0),
  TIME("max_wait", max_wait, 2, 1, 0),
  COUNT("max_attempts", max_attempts, 2, 1, UNSET),
  COUNT("tolerated_attempts", tolerance.attempts, 2, 0, 0),
  TIME("tolerated_time", tolerance.time, 2, 0, 0),
  TIME("retry_after_cap", retry_after_cap, 2, BIDE_USUAL_CAP, BIDE_USUAL_CAP),
  COUNT("hold_attempts", hold.attempts, 3, 0, 0),
  TIME("hold_time", hold.time, 3, 0, 0),
  TIME("hold_delay", hold_delay, 3, 0, 0),
  TIME("last_spread", last_spread, 3, BIDE_SPREAD_IS_OVER, 0),
};

_Static_assert(sizeof bide_wait_limits / sizeof *bide_wait_limits == BIDE_WAIT_LIMITS,
               "every limit has a row");

void bide_wait_limits_set(BideWaitLimits *limits, const BideWaitLimit *row, int64_t value) {
  memcpy((char *)limits + row->offset, &value, sizeof value);
}

void bide_wait_limits_init(BideWaitLimits *limits) {
  for (size_t i = 0; i < BIDE_WAIT_LIMITS; i++)
    bide_wait_limits_set(limits, &bide_wait_limits[i], bide_wait_limits[i].otherwise);
}

static bool is_below(const BideWaitLimits *limits, const BideWaitLimit *row) {
  int64_t value;
  memcpy(&value, (const char *)limits + row->offset, sizeof value);
  return row->is_count ? (uint64_t)value < (uint64_t)row->least : value < row->least;
}

bool bide_wait_limits_check(const BideWaitLimits *limits, BideError *error) {
  for (size_t i = 0; i < BIDE_WAIT_LIMITS; i++)
    if (is_below(limits, &bide_wait_limits[i])) {
      bide_error_set(error, BIDE_ERROR_DEFINITION, "%s must be at least %lld",
                     bide_wait_limits[i].name, (long long)bide_wait_limits[i].least);
      return false;
    }
  if (limits->backoff.max_delay < limits->backoff.min_delay) {
    bide_error_set(error, BIDE_ERROR_DEFINITION, "max_delay must be at least min_delay");
    return false;
  }
  if (limits->backoff.lateness > BIDE_WHOLE_LATENESS) {
    bide_error_set(error, BIDE_ERROR_DEFINITION, "lateness must be at most the whole");
    return false;
  }
  return true;
}
