#include "wait/limits.h"

#include <string.h>

/* Define a row. They do not compile if the member has another type. */
#define COUNT(name, member, least, otherwise) \
  { name, true, OFFSET(uint64_t, member), least, otherwise }
#define TIME(name, member, least, otherwise) \
  { name, false, OFFSET(int64_t, member), least, otherwise }
#define OFFSET(type, member) \
  _Generic(((BideWaitLimits *)0)->member, type : offsetof(BideWaitLimits, member))

/* The default of a count, BIDE_ANY_ATTEMPTS, and of the cap, which becomes max_delay. */
#define UNSET (-1)

const BideWaitLimit bide_wait_limits[] = {
  TIME("min_delay", backoff.min_delay, 1, 0),
  TIME("max_delay", backoff.max_delay, 1, 0),
  TIME("max_wait", max_wait, 1, 0),
  COUNT("max_attempts", max_attempts, 1, UNSET),
  COUNT("tolerated_attempts", tolerance.attempts, 0, 0),
  TIME("tolerated_time", tolerance.time, 0, 0),
  TIME("retry_after_cap", retry_after_cap, 0, UNSET),
};

_Static_assert(sizeof bide_wait_limits / sizeof *bide_wait_limits == BIDE_WAIT_LIMITS,
               "every limit has a row");

void bide_wait_limits_set(BideWaitLimits *limits, const BideWaitLimit *row, int64_t value) {
  memcpy((char *)limits + row->offset, &value, sizeof value);
}

static bool is_below(const BideWaitLimits *limits, const BideWaitLimit *row) {
  int64_t value;
  memcpy(&value, (const char *)limits + row->offset, sizeof value);
  return row->is_count ? (uint64_t)value < (uint64_t)row->least : value < row->least;
}

bool bide_wait_limits_complete(BideWaitLimits *limits, BideError *error) {
  if (limits->retry_after_cap == UNSET)
    limits->retry_after_cap = limits->backoff.max_delay;
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
  return true;
}
