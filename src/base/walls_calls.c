/*
** The wall of calls: a list of forbidden system calls. A list of allowed ones would break with
** the next version of a library, which makes other harmless calls.
*/
#include "base/platform.h"

#ifdef BIDE_PLATFORM_LINUX

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/walls.h"

/* System calls that the library does not know yet; their numbers are equal on all machines. */
#define CALL_FCHMODAT2 452
#define CALL_SETXATTRAT 463
#define CALL_REMOVEXATTRAT 466
#define CALL_OPEN_TREE_ATTR 467
#define CALL_FILE_SETATTR 469

/* For an argument that the kernel reads as an int: a rule must compare the same 32 bits. */
#define INT_BITS UINT64_C(0xFFFFFFFF)

static const int forbidden[] = {
  /* programs and processes */
  SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(ptrace),
  SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(process_madvise),
  SCMP_SYS(process_mrelease), SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_getfd),
  SCMP_SYS(pidfd_send_signal), SCMP_SYS(tkill), SCMP_SYS(kcmp), SCMP_SYS(unshare), SCMP_SYS(setns),
  /* the kernel */
  SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(bpf),
  SCMP_SYS(userfaultfd), SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key),
  SCMP_SYS(perf_event_open), SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
  SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon),
  SCMP_SYS(swapoff), SCMP_SYS(acct), SCMP_SYS(quotactl), SCMP_SYS(quotactl_fd), SCMP_SYS(iopl),
  SCMP_SYS(ioperm), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(adjtimex),
  SCMP_SYS(clock_adjtime), SCMP_SYS(sethostname), SCMP_SYS(setdomainname), SCMP_SYS(syslog),
  /* mounts */
  SCMP_SYS(mount), SCMP_SYS(umount), SCMP_SYS(umount2), SCMP_SYS(move_mount), SCMP_SYS(open_tree),
  CALL_OPEN_TREE_ATTR, SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick),
  SCMP_SYS(mount_setattr), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
  /* files: access by handle, and what Landlock does not restrict: names, modes, owners, times */
  SCMP_SYS(name_to_handle_at), SCMP_SYS(open_by_handle_at), SCMP_SYS(creat), SCMP_SYS(truncate),
  SCMP_SYS(truncate64), SCMP_SYS(mknod), SCMP_SYS(mknodat), SCMP_SYS(mkdir), SCMP_SYS(mkdirat),
  SCMP_SYS(rmdir), SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(rename), SCMP_SYS(renameat),
  SCMP_SYS(renameat2), SCMP_SYS(link), SCMP_SYS(linkat), SCMP_SYS(symlink), SCMP_SYS(symlinkat),
  SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), CALL_FCHMODAT2, SCMP_SYS(chown),
  SCMP_SYS(fchown), SCMP_SYS(lchown), SCMP_SYS(fchownat), SCMP_SYS(utime), SCMP_SYS(utimes),
  SCMP_SYS(futimesat), SCMP_SYS(utimensat), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr),
  SCMP_SYS(fsetxattr), CALL_SETXATTRAT, SCMP_SYS(removexattr), SCMP_SYS(lremovexattr),
  SCMP_SYS(fremovexattr), CALL_REMOVEXATTRAT, CALL_FILE_SETATTR};

/* Forbids a call if (argument & mask) == value. */
typedef struct Masked {
  int call;
  unsigned argument;
  uint64_t mask, value;
} Masked;

static const Masked masked[] = {
  {SCMP_SYS(clone), 0, CLONE_THREAD, 0},
  {SCMP_SYS(socket), 0, INT_BITS, AF_UNIX},
  /* Datagram sockets of a pair could send, and be connected, to a socket of any path. */
  {SCMP_SYS(socketpair), 1, 0xF, SOCK_DGRAM},
  {SCMP_SYS(socketpair), 1, 0xF, SOCK_RAW},
  /* The owner of a descriptor gets signals for it, and the number can be chosen. */
  {SCMP_SYS(fcntl), 1, INT_BITS, F_SETOWN},
  {SCMP_SYS(fcntl), 1, INT_BITS, F_SETOWN_EX},
  {SCMP_SYS(fcntl), 1, INT_BITS, F_SETSIG},
  {SCMP_SYS(ioctl), 1, INT_BITS, FIOSETOWN},
  {SCMP_SYS(ioctl), 1, INT_BITS, SIOCSPGRP},
  /* These insert input into the user's terminal. */
  {SCMP_SYS(ioctl), 1, INT_BITS, TIOCSTI},
  {SCMP_SYS(ioctl), 1, INT_BITS, TIOCLINUX},
  /* Landlock of ABI 1 and 2 lets a readable file be truncated. */
  {SCMP_SYS(open), 1, O_ACCMODE, O_WRONLY},
  {SCMP_SYS(open), 1, O_ACCMODE, O_RDWR},
  {SCMP_SYS(open), 1, O_TRUNC, O_TRUNC},
  {SCMP_SYS(open), 1, O_CREAT, O_CREAT},
  {SCMP_SYS(openat), 2, O_ACCMODE, O_WRONLY},
  {SCMP_SYS(openat), 2, O_ACCMODE, O_RDWR},
  {SCMP_SYS(openat), 2, O_TRUNC, O_TRUNC},
  {SCMP_SYS(openat), 2, O_CREAT, O_CREAT},
};

/* Calls whose first argument is a process, which must be this one. */
static const int of_processes[] = {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo),
                                   SCMP_SYS(rt_tgsigqueueinfo)};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Adds a rule, unless this machine does not have the call. */
static int add_rule(scmp_filter_ctx filter, int why, int call, unsigned count,
                    struct scmp_arg_cmp comparison) {
  int status = seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)why), call, count, comparison);
  return status == -EDOM ? 0 : status;
}

static const struct scmp_arg_cmp always;

static int forbid(scmp_filter_ctx filter) {
  int status = 0;
  for (size_t i = 0; i < COUNT(forbidden) && status == 0; i++)
    status = add_rule(filter, EPERM, forbidden[i], 0, always);
  return status;
}

static int forbid_by_argument(scmp_filter_ctx filter) {
  int status = 0;
  for (size_t i = 0; i < COUNT(masked) && status == 0; i++)
    status = add_rule(
      filter, EPERM, masked[i].call, 1,
      SCMP_CMP(masked[i].argument, SCMP_CMP_MASKED_EQ, masked[i].mask, masked[i].value));
  return status;
}

/* Libraries pass 0 to prlimit64 for this process, so only 0 is allowed there. */
static int forbid_other_processes(scmp_filter_ctx filter) {
  int status = add_rule(filter, EPERM, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_NE, 0, 0));
  for (size_t i = 0; i < COUNT(of_processes) && status == 0; i++)
    status = add_rule(filter, EPERM, of_processes[i], 1,
                      SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid(), 0));
  return status;
}

/*
** Makes clone3 and openat2 appear unsupported, since their arguments are in memory, where a
** filter cannot read them. The C library then falls back to older calls.
*/
static int hide_newer_forms(scmp_filter_ctx filter) {
  int status = add_rule(filter, ENOSYS, SCMP_SYS(clone3), 0, always);
  return status != 0 ? status : add_rule(filter, ENOSYS, SCMP_SYS(openat2), 0, always);
}

/*
** Forbids calls by another ABI, which have other numbers. Also asks for a tree of comparisons,
** which is faster than a list, and for raw error codes; an older library supports neither.
*/
static int set_attributes(scmp_filter_ctx filter) {
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1);
  return seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
}

int bide_walls_calls(void) {
  static int (*const steps[])(scmp_filter_ctx filter) = {
    set_attributes,         forbid,           forbid_by_argument,
    forbid_other_processes, hide_newer_forms, seccomp_load,
  };
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  int status = 0;
  if (filter == NULL)
    return ENOMEM;
  for (size_t i = 0; i < COUNT(steps) && status == 0; i++)
    status = steps[i](filter);
  seccomp_release(filter);
  return -status;
}

#endif
