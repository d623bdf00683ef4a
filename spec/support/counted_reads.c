/*
** Preloaded into a program, counts in the file $COUNTED_READS, as two bytes, how often it reads the
** clock of a thread. The file is opened before the walls of the sandbox stand.
*/
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned char *count;

static __attribute__((constructor)) void begin(void) {
  int file = open(getenv("COUNTED_READS"), O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 2) != 0)
    abort();
  count = mmap(NULL, 2, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (clock == CLOCK_THREAD_CPUTIME_ID && count != NULL && ++count[0] == 0)
    count[1]++;
  return (int)syscall(SYS_clock_gettime, clock, time);
}
