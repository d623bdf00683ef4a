#include "base/platform.h"

#ifndef BIDE_PLATFORM_LINUX

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Finds the first program of that name in the folders of PATH, as the shell does. */
static bool find_in_path(const char *name, char path[PATH_MAX]) {
  char candidate[PATH_MAX];
  const char *folders = getenv("PATH");
  while (folders != NULL) {
    size_t length = strcspn(folders, ":");
    int written = snprintf(candidate, sizeof candidate, "%.*s%s/%s", (int)length, folders,
                           length == 0 ? "." : "", name);
    if (written > 0 && written < PATH_MAX && access(candidate, X_OK) == 0)
      return realpath(candidate, path) != NULL;
    folders = folders[length] == ':' ? folders + length + 1 : NULL;
  }
  return false;
}

bool bide_platform_program(const char *name, char path[PATH_MAX]) {
  if (name == NULL)
    return false;
  return strchr(name, '/') != NULL ? realpath(name, path) != NULL : find_in_path(name, path);
}

static void seal(int descriptor) {
  if (descriptor >= 0)
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

int bide_platform_socket(int family, int type, int protocol) {
  int descriptor = socket(family, type, protocol);
  seal(descriptor);
  return descriptor;
}

int bide_platform_pipe(int ends[2]) {
  if (pipe(ends) != 0)
    return -1;
  seal(ends[0]);
  seal(ends[1]);
  return 0;
}

int bide_platform_listens(const struct sockaddr *address) {
  (void)address;
  return -1;
}

bool bide_platform_close_from(int first) {
  (void)first;
  return false;
}

bool bide_platform_seal_from(int first) {
  (void)first;
  return false;
}

bool bide_platform_leave_descriptors(int first) {
  (void)first;
  return false;
}

void bide_platform_die_with_parent(void) {
}

int bide_platform_open_process(pid_t process) {
  (void)process;
  errno = ENOSYS;
  return -1;
}

void bide_platform_name_process(const char *name) {
  (void)name;
}

size_t bide_platform_most_addresses(void) {
  return SIZE_MAX;
}

void bide_platform_populate(void *memory, size_t size) {
  (void)memory;
  (void)size;
}

#endif
