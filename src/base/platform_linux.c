#include "base/platform.h"

#ifdef BIDE_PLATFORM_LINUX

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2) /* since Linux 5.11; close_range is since 5.9 */
#endif

const char *bide_platform_find(const char *bytes, size_t length, const char *sought,
                               size_t sought_length) {
  return memmem(bytes, length, sought, sought_length);
}

/*
** Without /proc, as in a chroot, the kernel's record of the path that was given to execve leads to
** the program. It may be relative, so the folder must still be the one at the start.
*/
bool bide_platform_program(const char *name, char path[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  const char *given = (const char *)getauxval(AT_EXECFN);
  (void)name;
  if (length > 0)
    path[length] = '\0';
  return length > 0 || (given != NULL && realpath(given, path) != NULL);
}

int bide_platform_socket(int family, int type, int protocol) {
  return socket(family, type | SOCK_CLOEXEC, protocol);
}

int bide_platform_pipe(int ends[2]) {
  return pipe2(ends, O_CLOEXEC);
}

bool bide_platform_close_from(int first) {
  return syscall(SYS_close_range, first, ~0U, 0) == 0;
}

bool bide_platform_seal_from(int first) {
  return syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

void bide_platform_die_with_parent(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int bide_platform_open_process(pid_t process) {
  return (int)syscall(SYS_pidfd_open, process, 0);
}

void bide_platform_name_process(const char *name) {
  prctl(PR_SET_NAME, name);
}

size_t bide_platform_most_addresses(void) {
#ifdef __GLIBC__
  return SIZE_MAX;
#else
  return 48; /* MAXADDRS of musl, which no header has */
#endif
}

#endif
