#include "process/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/platform.h"
#include "process/descriptors.h"

#define SIGNAL_CODE 128
#define NO_COMMAND 127

static const int forwarded[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};

#define FIRST_PAUSE 100 /* milliseconds before a worker begins again */
#define LONGEST_PAUSE 10000
#define PAUSE_AFTER_WAIT \
  1000                  /* at most, after code of a wait: its strike is due within the lease */
#define LONG_LIFE 10000 /* of a worker, after which the next pause is the first one again */

typedef struct Supervisor {
  char **command; /* NULL for a worker */
  pid_t bide;
  sigset_t awaited;       /* the forwarded signals and SIGCHLD */
  sigset_t mask;          /* the signal mask that this process started with */
  struct sigaction child; /* the action for SIGCHLD that it started with */
  bool in_foreground;     /* bide's process group has the terminal */
  int ending;             /* the last forwarded signal that is to end bide, or 0 */
  bool has_served;        /* a worker has begun to serve */
  int64_t pause;          /* milliseconds before the last worker began again; 0 for the first */
} Supervisor;

/* Memory that both processes share, so that bide needs no descriptor. */
typedef struct Shared {
  atomic_bool is_handed_over; /* set by bide */
  BideService service;
} Shared;

static Shared *shared;
static bool is_worker;

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a lock would be of one process");

static bool asks_for_sandbox(const char *word) {
  return strcmp(word, "--sandbox") == 0 || strncmp(word, "--sandbox=", 10) == 0;
}

char **bide_supervisor_find(char **argv) {
  bool asked = false;
  if (argv[0] == NULL)
    return NULL;
  while (*++argv != NULL && strcmp(*argv, "--") != 0)
    asked = asked || asks_for_sandbox(*argv);
  return asked && *argv != NULL && argv[1] != NULL ? argv + 1 : NULL;
}

bool bide_supervisor_is_worker(char **argv) {
  return argv[0] != NULL && argv[1] != NULL && strcmp(argv[1], "worker") == 0;
}

void bide_supervisor_hand_over(void) {
  if (shared != NULL)
    atomic_store(&shared->is_handed_over, true);
}

BideService *bide_supervisor_service(void) {
  return is_worker ? &shared->service : NULL;
}

/* ---- signals ------------------------------------------------------------------- */

/*
** Blocks the signals to forward. A signal that was ignored when the process started stays
** ignored, as nohup intends. SIGTTOU is blocked because taking the terminal back raises it.
*/
static void block_signals(Supervisor *self) {
  struct sigaction action;
  sigset_t blocked;
  sigemptyset(&self->awaited);
  for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
    if (sigaction(forwarded[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&self->awaited, forwarded[i]);
  sigaddset(&self->awaited, SIGCHLD);
  blocked = self->awaited;
  sigaddset(&blocked, SIGTTOU);
  sigprocmask(SIG_BLOCK, &blocked, &self->mask);
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, &self->child);
}

static void restore_signals(const Supervisor *self) {
  sigaction(SIGCHLD, &self->child, NULL);
  sigprocmask(SIG_SETMASK, &self->mask, NULL);
}

/* ---- the terminal -------------------------------------------------------------- */

/*
** Makes bide's process group the terminal's foreground group if the supervisor's was. bide
** has its own group, so that a signal to the supervisor's group reaches bide once, forwarded,
** and not twice; but only the foreground group can read input and gets the terminal's signals.
*/
static void give_terminal(Supervisor *self) {
  if (!self->in_foreground)
    self->in_foreground = tcgetpgrp(STDIN_FILENO) == getpgrp() &&
                          tcsetpgrp(STDIN_FILENO, self->bide) == 0;
}

static void take_terminal(Supervisor *self) {
  if (self->in_foreground)
    tcsetpgrp(STDIN_FILENO, getpgrp());
  self->in_foreground = false;
}

/* ---- ending --------------------------------------------------------------------- */

/* Dies by the signal, without a core file: bide's own is forbidden, or exists already. */
static int die_by(int number) {
  struct rlimit no_core = {0, 0};
  sigset_t one;
  setrlimit(RLIMIT_CORE, &no_core);
  signal(number, SIG_DFL);
  sigemptyset(&one);
  sigaddset(&one, number);
  kill(getpid(), number);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
  return SIGNAL_CODE + number;
}

static int run_command(char **command) {
  bide_descriptors_seal();
  execvp(command[0], command);
  fprintf(stderr, "bide: %s: %s\n", command[0], strerror(errno));
  return NO_COMMAND;
}

/*
** Ends as bide did. Returns an exit code unless this process became COMMAND or died by a signal. A
** signal that was forwarded after bide had looked at its signals for the last time ends this
** process in place of bide; one that comes from here on is pending, and ends this process or
** COMMAND when the mask is restored.
*/
static int end_as(Supervisor *self, int status) {
  take_terminal(self);
  restore_signals(self);
  if (WIFSIGNALED(status))
    return die_by(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0 || self->command == NULL || !atomic_load(&shared->is_handed_over))
    return WEXITSTATUS(status);
  return self->ending != 0 ? SIGNAL_CODE + self->ending : run_command(self->command);
}

/* ---- supervising---------------------------------------------------------------- */

static bool is_of_terminal(int number) {
  return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* Stops the supervisor, which the shell watches, if the terminal stopped bide. */
static void stop_too(Supervisor *self, int number) {
  if (!is_of_terminal(number))
    return;
  take_terminal(self);
  kill(getpid(), SIGSTOP);
}

/* Handles changes of bide's state. Returns true once bide has ended. */
static bool bide_has_ended(Supervisor *self, int *status) {
  while (waitpid(self->bide, status, WNOHANG | WUNTRACED) > 0) {
    if (!WIFSTOPPED(*status))
      return true;
    stop_too(self, WSTOPSIG(*status));
  }
  return false;
}

/* Waits until bide has ended, and returns how. */
static int await_end(Supervisor *self) {
  for (;;) {
    int status, number = sigwaitinfo(&self->awaited, NULL);
    if (number == SIGCHLD && bide_has_ended(self, &status))
      return status;
    if (number == SIGCONT)
      give_terminal(self);
    else if (number > 0 && number != SIGCHLD && !is_of_terminal(number))
      self->ending = number;
    if (number > 0 && number != SIGCHLD)
      kill(self->bide, number);
  }
}

/* SIGTTOU is ignored so that bide may write to a terminal that another group controls. */
static void become_bide(const Supervisor *self, pid_t parent) {
  setpgid(0, 0);
  bide_platform_die_with_parent();
  if (getppid() != parent)
    _exit(SIGNAL_CODE + SIGKILL);
  restore_signals(self);
  signal(SIGTTOU, SIG_IGN);
}

/* ---- a worker begins again ------------------------------------------------------ */

/*
** Reports whether another worker follows the one that has ended. One that served before was
** configured well, so a later one that cannot begin, as without its store, is begun again too.
*/
static bool must_begin_again(Supervisor *self) {
  BideServicePhase phase = shared->service.phase;
  self->has_served = self->has_served || phase == BIDE_SERVICE_SERVING;
  return self->has_served && phase != BIDE_SERVICE_LEAVING && self->ending == 0;
}

/* One that its store did not know yet leaves the accident of the one before to the next one. */
static void note_accident(int status) {
  BideService *service = &shared->service;
  if (service->worker != 0)
    service->last = (BideAccident){service->worker, service->wait, status};
  service->worker = 0;
  service->wait = 0;
  service->phase = BIDE_SERVICE_STARTING;
}

/* Waits before the next one begins, or ends by a signal that comes meanwhile. */
static void rest(Supervisor *self, int64_t lived) {
  int64_t until = bide_clock_monotonic(), left;
  int64_t longest = shared->service.last.wait != 0 ? PAUSE_AFTER_WAIT : LONGEST_PAUSE;
  self->pause = lived >= LONG_LIFE || self->pause == 0 ? FIRST_PAUSE : 2 * self->pause;
  if (self->pause > longest)
    self->pause = longest;
  until += self->pause;
  while ((left = until - bide_clock_monotonic()) > 0) {
    struct timespec time = {left / 1000, left % 1000 * 1000000};
    int number = sigtimedwait(&self->awaited, NULL, &time);
    if (number > 0 && number != SIGCHLD && number != SIGCONT && !is_of_terminal(number)) {
      restore_signals(self);
      _exit(die_by(number));
    }
  }
}

/* ---- both ----------------------------------------------------------------------- */

static bool share_memory(void) {
  void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                      0);
  if (memory == MAP_FAILED)
    return false;
  shared = memory;
  return true;
}

/* Supervises one child until its end; returns false in the child. */
static bool outlive(Supervisor *self, int *status) {
  pid_t parent = getpid();
  self->bide = fork();
  if (self->bide == 0) {
    become_bide(self, parent);
    return false;
  }
  if (self->bide < 0)
    return true;
  setpgid(self->bide, self->bide);
  give_terminal(self);
  *status = await_end(self);
  take_terminal(self);
  return true;
}

bool bide_supervisor_start(char **command) {
  Supervisor self = {.command = command};
  is_worker = command == NULL;
  if (!share_memory())
    return false;
  block_signals(&self);
  for (;;) {
    int64_t began = bide_clock_monotonic();
    int status = 0;
    if (!outlive(&self, &status))
      return true;
    if (self.bide < 0 && !self.has_served) {
      restore_signals(&self);
      return false;
    }
    if (self.bide > 0 && (!is_worker || !must_begin_again(&self)))
      _exit(end_as(&self, status));
    if (self.bide > 0)
      note_accident(status);
    rest(&self, bide_clock_monotonic() - began);
  }
}
