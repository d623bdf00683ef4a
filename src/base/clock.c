#include "base/clock.h"

#include <time.h>

static int64_t nanoseconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Only Linux has a monotonic clock that continues while the machine is suspended. */
#ifdef CLOCK_BOOTTIME
#define CLOCK_UNINTERRUPTED CLOCK_BOOTTIME
#else
#define CLOCK_UNINTERRUPTED CLOCK_MONOTONIC
#endif

int64_t bide_clock_monotonic(void) {
  return nanoseconds_of(CLOCK_UNINTERRUPTED) / 1000000;
}

int64_t bide_clock_wall(void) {
  return nanoseconds_of(CLOCK_REALTIME) / 1000000;
}

int64_t bide_clock_thread(void) {
  return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
}
