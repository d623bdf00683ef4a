#include "base/platform.h"

#ifdef BIDE_PLATFORM_LINUX

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_UNSHARE (1U << 1) /* since Linux 5.9, as close_range */
#define CLOSE_RANGE_CLOEXEC (1U << 2) /* since Linux 5.11 */
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14 */
#endif

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

/* A question of sock_diag(7) about one socket, and as much of its answer as is read. */
typedef struct Question {
  struct nlmsghdr head;
  struct inet_diag_req_v2 socket;
} Question;

typedef struct Answer {
  struct nlmsghdr head;
  union {
    struct inet_diag_msg socket;
    struct nlmsgerr failure;
  } body;
} Answer;

/* Asks for the socket to which a connection from port 0 would be led: one that listens, if any. */
static bool write_question(Question *question, const struct sockaddr *address) {
  struct inet_diag_sockid *id = &question->socket.id;
  struct sockaddr_in ip4;
  struct sockaddr_in6 ip6;
  memset(question, 0, sizeof *question);
  question->head.nlmsg_len = sizeof *question;
  question->head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question->head.nlmsg_flags = NLM_F_REQUEST;
  question->socket.sdiag_family = (uint8_t)address->sa_family;
  question->socket.sdiag_protocol = IPPROTO_TCP;
  question->socket.idiag_states = 1U << TCP_LISTEN;
  id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  switch (address->sa_family) {
    case AF_INET:
      memcpy(&ip4, address, sizeof ip4);
      id->idiag_sport = ip4.sin_port;
      memcpy(id->idiag_src, &ip4.sin_addr, sizeof ip4.sin_addr);
      return true;
    case AF_INET6:
      memcpy(&ip6, address, sizeof ip6);
      id->idiag_sport = ip6.sin6_port;
      memcpy(id->idiag_src, &ip6.sin6_addr, sizeof ip6.sin6_addr);
      return true;
    default: return false;
  }
}

/* The kernel has written its answer before send returns. */
static ssize_t exchange(int descriptor, const Question *question, Answer *answer) {
  if (send(descriptor, question, sizeof *question, 0) != (ssize_t)sizeof *question)
    return -1;
  return recv(descriptor, answer, sizeof *answer, MSG_DONTWAIT);
}

static int read_answer(const Answer *answer, ssize_t length) {
  bool is_socket = answer->head.nlmsg_type == SOCK_DIAG_BY_FAMILY;
  if (length < (ssize_t)sizeof answer->head)
    return -1;
  if (is_socket && length >= (ssize_t)NLMSG_LENGTH(sizeof answer->body.socket))
    return answer->body.socket.idiag_state == TCP_LISTEN;
  if (answer->head.nlmsg_type == NLMSG_ERROR &&
      length >= (ssize_t)NLMSG_LENGTH(sizeof answer->body.failure.error))
    return answer->body.failure.error == -ENOENT ? 0 : -1;
  return -1;
}

int bide_platform_listens(const struct sockaddr *address) {
  Question question;
  Answer answer;
  int descriptor, listens;
  if (!write_question(&question, address))
    return -1;
  descriptor = bide_platform_socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
  if (descriptor < 0)
    return -1;
  memset(&answer, 0, sizeof answer);
  listens = read_answer(&answer, exchange(descriptor, &question, &answer));
  close(descriptor);
  return listens;
}

bool bide_platform_close_from(int first) {
  return syscall(SYS_close_range, first, ~0U, 0) == 0;
}

bool bide_platform_seal_from(int first) {
  return syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

bool bide_platform_leave_descriptors(int first) {
  return syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_UNSHARE) == 0;
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

void bide_platform_populate(void *memory, size_t size) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = (uintptr_t)memory & ~(page - 1), end = ((uintptr_t)memory + size) & ~(page - 1);
  int before = errno;
  (void)madvise((void *)first, end - first, MADV_POPULATE_WRITE);
  errno = before; /* an older kernel refuses */
}

#endif
