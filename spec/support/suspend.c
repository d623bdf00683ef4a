/*
** Preloaded into a program, lets it believe that its machine was suspended: once
** the file $SUSPENDED exists, two hours have passed on the clocks that go on while
** a machine is suspended, and none on the monotonic one.
*/
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  const char *file = getenv("SUSPENDED");
  long failed = syscall(SYS_clock_gettime, clock, time);
  if (file != NULL && (clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME) &&
      access(file, F_OK) == 0)
    time->tv_sec += 7200;
  return (int)failed;
}
