#include "base/clock.h"

#include <time.h>

static int64_t nanoseconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t bide_clock_monotonic(void) {
  return nanoseconds_of(CLOCK_MONOTONIC) / 1000000;
}

int64_t bide_clock_wall(void) {
  return nanoseconds_of(CLOCK_REALTIME) / 1000000;
}

int64_t bide_clock_nanoseconds(void) {
  return nanoseconds_of(CLOCK_MONOTONIC);
}
