/*
** Runs a program as on a kernel that lacks a wall: `without landlock COMMAND ...`,
** `without seccomp COMMAND ...`.
*/
#include <errno.h>
#include <seccomp.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (argc < 3)
    return 2;
  if (strcmp(argv[1], "landlock") == 0)
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EOPNOTSUPP), SCMP_SYS(landlock_create_ruleset), 0);
  else {
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(seccomp), 0);
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, 22));
  }
  if (seccomp_load(filter) != 0)
    return 3;
  execvp(argv[2], argv + 2);
  return 127;
}
