#include "process/walls.h"

#include <errno.h>

#include "base/platform.h"

#ifdef BIDE_PLATFORM_LINUX

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Stacks count as private memory: the default of 8 MiB would leave room for few threads. */
#define THREAD_STACK ((size_t)512 * 1024)

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED true /* a sanitizer reserves terabytes, and its frames are large */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED true
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED false
#endif

static rlim_t smaller(rlim_t a, rlim_t b) {
  return a < b ? a : b; /* RLIM_INFINITY is the largest number */
}

static int bound_data(rlim_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0)
    return errno;
  limit.rlim_cur = smaller(limit.rlim_cur, bytes);
  limit.rlim_max = smaller(limit.rlim_max, bytes);
  return setrlimit(RLIMIT_DATA, &limit) == 0 ? 0 : errno;
}

static int bound_memory(uint64_t bytes) {
  pthread_attr_t attributes;
  int why = pthread_attr_init(&attributes);
  if (why == 0)
    why = pthread_attr_setstacksize(&attributes, THREAD_STACK);
  if (why == 0)
    why = pthread_setattr_default_np(&attributes);
  return why == 0 ? bound_data(bytes) : why;
}

static int set_limits(uint64_t memory) {
  struct rlimit no_core = {0, 0};
  if (setrlimit(RLIMIT_CORE, &no_core) != 0)
    return errno;
  return memory == 0 || IS_SANITIZED ? 0 : bound_memory(memory);
}

/* Without /proc the kernel is asked: only a process with one thread may leave its threads. */
bool bide_walls_has_one_thread(void) {
  DIR *folder = opendir("/proc/self/task");
  const struct dirent *entry;
  size_t count = 0;
  if (folder == NULL)
    return unshare(CLONE_THREAD) == 0;
  while ((entry = readdir(folder)) != NULL)
    count += entry->d_name[0] != '.';
  closedir(folder);
  return count == 1;
}

/* Forbids new privileges, which Landlock and seccomp require of processes without root. */
static int forbid_privileges(void) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

void bide_walls_raise(const BideWalls *walls, int missing[BIDE_WALL_COUNT]) {
  int why = forbid_privileges();
  missing[BIDE_WALL_LIMITS] = set_limits(walls->memory);
  missing[BIDE_WALL_FILES] = why != 0 ? why
                                      : bide_walls_files(walls->readable, walls->readable_count);
  missing[BIDE_WALL_CALLS] = why != 0 ? why : bide_walls_calls();
}

#else

bool bide_walls_has_one_thread(void) {
  return true; /* there are no walls to raise */
}

/* Reports every wall as missing, so a sandbox that requires them does not start. */
void bide_walls_raise(const BideWalls *walls, int missing[BIDE_WALL_COUNT]) {
  (void)walls;
  for (int wall = 0; wall < BIDE_WALL_COUNT; wall++)
    missing[wall] = ENOSYS;
}

#endif
