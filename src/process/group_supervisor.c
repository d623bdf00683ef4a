#include "process/group_supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/platform.h"
#include "process/descriptors.h"
#include "process/groups.h"

/* The write end of a pipe; the supervisor sees when the kernel closes it at the end of bide. */
static int lifeline = -1;
static pid_t supervisor;

/*
** The process whose next child is bound to it, or 0. An atfork handler reads it, since libuv,
** which forks, runs no function of ours in the child.
*/
static volatile pid_t binding;
static volatile enum bide_child_role role;

/*
** A leader enters its group itself, because the program may start others before the parent returns
** from the fork. If this process ends before that, the child sees it; if it ends later, the
** supervisor does: the child holds the lifeline until it becomes the program. The kernel would kill
** a gentle child, so only the others ask it to.
*/
static void bind_child(void) {
  if (binding == 0)
    return;
  if (role != BIDE_CHILD_GENTLE)
    bide_platform_die_with_parent();
  if (role == BIDE_CHILD_LEADER && setsid() > 0)
    bide_groups_set_newborn(getpid());
  if (role == BIDE_CHILD_GENTLE && setsid() > 0)
    bide_groups_set_gentle(getpid());
  if (getppid() != binding)
    _exit(0);
  bide_descriptors_restore_limit();
}

static void forget_binding(void) {
  binding = 0;
}

void bide_group_supervisor_bind_next(enum bide_child_role of_child) {
  role = of_child;
  if (lifeline >= 0)
    binding = getpid();
}

/*
** Separates the supervisor from bide. It leaves the session, so that no signal to bide's group
** or from its terminal ends it. It closes every descriptor but its end of the pipe, because
** another process may be waiting for one of them to be closed.
*/
static void detach(int end) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  setsid();
  bide_platform_name_process("bide-supervisor");
  dup2(end, STDIN_FILENO);
  bide_descriptors_close_from(STDIN_FILENO + 1);
  if (chdir("/") != 0)
    return; /* harmless: it only keeps the folder in use */
}

/* An orphan is a grandchild whose parent ends at once. */
static void watch(int end, bool is_orphan) {
  char byte;
  if (is_orphan && fork() != 0)
    _exit(0);
  detach(end);
  while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
  }
  bide_groups_kill();
  bide_groups_end_gentle();
  _exit(0);
}

/* Collects the child, once: its number may then be that of another one. */
static void collect_child(void) {
  while (supervisor > 0 && waitpid(supervisor, NULL, 0) < 0 && errno == EINTR) {
  }
  supervisor = 0;
}

int bide_group_supervisor_start(bool is_orphan) {
  static bool is_prepared;
  int ends[2];
  if (lifeline >= 0)
    return 0;
  if (!is_prepared && pthread_atfork(NULL, forget_binding, bind_child) != 0)
    return ENOMEM;
  is_prepared = true;
  if (bide_platform_pipe(ends) != 0)
    return errno;
  supervisor = fork();
  if (supervisor == 0)
    watch(ends[0], is_orphan);
  close(ends[0]);
  if (supervisor < 0) {
    int why = errno;
    close(ends[1]);
    return why;
  }
  lifeline = ends[1];
  if (is_orphan)
    collect_child();
  return 0;
}

void bide_group_supervisor_dismiss(void) {
  if (lifeline < 0)
    return;
  close(lifeline);
  lifeline = -1;
  collect_child();
}
