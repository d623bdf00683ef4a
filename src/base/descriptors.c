#include "base/descriptors.h"

#include <dirent.h>
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
