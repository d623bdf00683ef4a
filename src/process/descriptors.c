#include "process/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/platform.h"

#define MOST_TRIED 65536 /* if the system cannot close a range */

#define MOST_NOTED 256

/* Static, since a process is started once. */
static int noted[MOST_NOTED];
static int noted_count = -1;

static void note(int descriptor) {
  int flags = fcntl(descriptor, F_GETFD);
  bool is_inherited = descriptor > STDERR_FILENO && flags >= 0 && (flags & FD_CLOEXEC) == 0;
  if (is_inherited && noted_count < MOST_NOTED)
    noted[noted_count++] = descriptor;
}

void bide_descriptors_note(void) {
  DIR *folder;
  if (noted_count >= 0)
    return;
  noted_count = 0;
  folder = opendir(BIDE_DESCRIPTORS);
  if (folder == NULL)
    return;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    note(atoi(entry->d_name));
  closedir(folder);
}

void bide_descriptors_seal_new(void) {
  bide_descriptors_seal();
  for (int i = 0; i < noted_count; i++)
    fcntl(noted[i], F_SETFD, 0);
}

static void seal(int descriptor) {
  int flags = fcntl(descriptor, F_GETFD);
  if (flags >= 0)
    fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
}

static void close_one(int descriptor) {
  close(descriptor);
}

static void for_each_from(int first, void (*act)(int descriptor)) {
  struct rlimit limit;
  int most = MOST_TRIED;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < MOST_TRIED)
    most = (int)limit.rlim_cur;
  for (int descriptor = first; descriptor < most; descriptor++)
    act(descriptor);
}

void bide_descriptors_seal(void) {
  if (!bide_platform_seal_from(STDERR_FILENO + 1))
    for_each_from(STDERR_FILENO + 1, seal);
}

void bide_descriptors_close_from(int first) {
  if (!bide_platform_close_from(first))
    for_each_from(first, close_one);
}

/* ---- limits ------------------------------------------------------------- */

static rlim_t kept_limit = RLIM_INFINITY;

static void set_soft_limit(rlim_t soft) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || soft >= limit.rlim_cur)
    return;
  limit.rlim_cur = soft;
  setrlimit(RLIMIT_NOFILE, &limit);
}

unsigned long long bide_descriptors_raise_limit(void) {
  struct rlimit limit;
  rlim_t before;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return RLIM_INFINITY;
  before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

void bide_descriptors_keep_limit(unsigned long long limit) {
  kept_limit = (rlim_t)limit;
}

void bide_descriptors_restore_limit(void) {
  set_soft_limit(kept_limit);
}

unsigned long long bide_descriptors_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

const char *bide_descriptors_name(int error) {
  if (error == EMFILE)
    return "EMFILE";
  return error == ENFILE ? "ENFILE" : NULL;
}

const char *bide_descriptors_lack(int count) {
  int opened[BIDE_DESCRIPTORS_CHECKED], i = 0, error = 0;
  for (; i < count && i < BIDE_DESCRIPTORS_CHECKED; i++) {
    opened[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (opened[i] < 0) {
      error = errno;
      break;
    }
  }
  while (i > 0)
    close(opened[--i]);
  return bide_descriptors_name(error);
}
