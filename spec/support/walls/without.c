/*
** Runs a program as on a kernel that lacks a wall: `without landlock COMMAND ...`,
** `without seccomp COMMAND ...`; or as on one of 2019 that lacks both, and what was added since:
** `without new COMMAND ...`.
*/
#include <errno.h>
#include <seccomp.h>
#include <string.h>
#include <unistd.h>

/* What bide, its libraries or the C library may ask for, since Linux 5.0. */
static const int newer[] = {
  SCMP_SYS(landlock_create_ruleset),
  SCMP_SYS(landlock_add_rule),
  SCMP_SYS(landlock_restrict_self),
  SCMP_SYS(pidfd_open),
  SCMP_SYS(pidfd_send_signal),
  SCMP_SYS(pidfd_getfd),
  SCMP_SYS(close_range),
  SCMP_SYS(clone3),
  SCMP_SYS(openat2),
  SCMP_SYS(faccessat2),
  SCMP_SYS(epoll_pwait2),
  SCMP_SYS(futex_waitv),
  SCMP_SYS(io_uring_setup),
  SCMP_SYS(rseq),
  SCMP_SYS(statx),
  SCMP_SYS(copy_file_range),
  SCMP_SYS(memfd_secret),
};

static void refuse_seccomp(scmp_filter_ctx filter, int seccomp_by, int prctl_by) {
  seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)seccomp_by), SCMP_SYS(seccomp), 0);
  seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)prctl_by), SCMP_SYS(prctl), 1,
                   SCMP_A0(SCMP_CMP_EQ, 22)); /* PR_SET_SECCOMP */
}

int main(int argc, char **argv) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (argc < 3)
    return 2;
  if (strcmp(argv[1], "landlock") == 0)
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EOPNOTSUPP), SCMP_SYS(landlock_create_ruleset), 0);
  else if (strcmp(argv[1], "seccomp") == 0)
    refuse_seccomp(filter, EINVAL, EINVAL);
  else {
    refuse_seccomp(filter, ENOSYS, EINVAL);
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++)
      seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), newer[i], 0);
  }
  if (seccomp_load(filter) != 0)
    return 3;
  execvp(argv[2], argv + 2);
  return 127;
}
