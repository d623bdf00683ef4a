#include "net/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/platform.h"

typedef struct Watch {
  void (*notice)(void *context, int number, bool by_kernel);
  void *context;
  struct sigaction previous;
  bool watched;
  volatile sig_atomic_t pending;
  volatile sig_atomic_t by_kernel; /* the kernel sent the pending one */
} Watch;

struct BideSignals {
  uv_async_t async; /* makes the loop turn after a signal */
};

/*
** The state of the signal handler. It is static because a handler has no context argument; a
** process has one set of signals, and one loop may watch them.
*/
static Watch watches[BIDE_SIGNALS];
static BideSignals *receiver;
static int handled_signal;
static atomic_int pending_signal; /* the index of its watch */
static void (*interrupt_by_signals)(void);

/* Marks the signal as pending. It only calls async-signal-safe functions. */
static void on_signal(int number, siginfo_t *info, void *interrupted) {
  int error = errno; /* of the interrupted code */
  (void)interrupted;
  if (pending_signal)
    _exit(128 + number);
  pending_signal = number;
  watches[number].by_kernel = info->si_code > 0;
  watches[number].pending = 1;
  if (receiver != NULL)
    uv_async_send(&receiver->async);
  if (interrupt_by_signals != NULL)
    interrupt_by_signals();
  errno = error;
}

void bide_signals_interrupt(void (*interrupt)(void)) {
  interrupt_by_signals = interrupt;
}

static void handle_signals(void) {
  if (!pending_signal)
    return;
  pending_signal = 0;
  for (int number = 1; number < BIDE_SIGNALS; number++) {
    Watch *watch = &watches[number];
    if (!watch->pending)
      continue;
    watch->pending = 0;
    handled_signal = number;
    watch->notice(watch->context, number, watch->by_kernel);
  }
}

static void on_signaled(uv_async_t *async) {
  (void)async;
  handle_signals();
}

void bide_signals_handle(const BideSignals *signals) {
  if (receiver == signals)
    handle_signals();
}

bool bide_signals_watch(BideSignals *signals, int number,
                        void (*notice)(void *context, int number, bool by_kernel), void *context) {
  struct sigaction action;
  Watch *watch;
  if (number <= 0 || number >= BIDE_SIGNALS || (receiver != NULL && receiver != signals))
    return false;
  receiver = signals;
  watch = &watches[number];
  watch->notice = notice;
  watch->context = context;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  if (watch->watched)
    return true;
  if (sigaction(number, NULL, &watch->previous) != 0)
    return false;
  if (watch->previous.sa_handler == SIG_IGN)
    return true;
  watch->watched = sigaction(number, &action, NULL) == 0;
  return watch->watched;
}

int bide_signals_handled(void) {
  return handled_signal;
}

int bide_signals_pending(void) {
  return pending_signal;
}

bool bide_signals_is_pending(const BideSignals *signals) {
  return receiver == signals && pending_signal != 0;
}

/* Gives the watched signals the actions that they had before. */
static void restore_actions(void) {
  for (int number = 1; number < BIDE_SIGNALS; number++) {
    if (watches[number].watched)
      sigaction(number, &watches[number].previous, NULL);
    memset(&watches[number], 0, sizeof watches[number]);
  }
}

static void forget_signals(const BideSignals *signals) {
  if (receiver != signals)
    return;
  restore_actions();
  pending_signal = 0;
  receiver = NULL;
}

/* Blocks the watched signals for this thread; returns one that is pending and was not blocked. */
static int block_watched(sigset_t *before) {
  sigset_t watched, arrived;
  sigemptyset(&watched);
  for (int number = 1; number < BIDE_SIGNALS; number++)
    if (watches[number].watched)
      sigaddset(&watched, number);
  sigprocmask(SIG_BLOCK, &watched, before);
  sigpending(&arrived);
  for (int number = 1; number < BIDE_SIGNALS; number++)
    if (watches[number].watched && !sigismember(before, number) && sigismember(&arrived, number))
      return number;
  return 0;
}

/*
** The signals are blocked while their actions are restored and the note of the handler is read. A
** signal that comes in between is pending, and has its effect when the mask is restored. The note
** is read after the actions were restored: until then another thread may run the handler.
*/
int bide_signals_release(void) {
  sigset_t before;
  int arrived = block_watched(&before);
  restore_actions();
  if (handled_signal == 0 && pending_signal != 0)
    handled_signal = pending_signal;
  if (handled_signal == 0)
    handled_signal = arrived;
  if (handled_signal == 0)
    sigprocmask(SIG_SETMASK, &before, NULL);
  return handled_signal;
}

/*
** Handles the signals of writes that fail, whose default ends the process: SIGPIPE of a closed
** peer, SIGXFSZ of a limit of file size. The write fails anyway. They are not ignored, since
** started programs would inherit that; a handler ends with execve. One that the
** embedding program has set is kept.
*/
static void do_nothing(int number) {
  (void)number;
}

static void survive(int number) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
    return;
  action.sa_handler = do_nothing;
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, NULL);
}

static void survive_failed_writes(void) {
  survive(SIGPIPE);
  survive(SIGXFSZ);
}

BideSignals *bide_signals_open(uv_loop_t *uv) {
  BideSignals *signals = malloc(sizeof *signals);
  if (signals == NULL || uv_async_init(uv, &signals->async, on_signaled) != 0) {
    free(signals);
    return NULL;
  }
  uv_unref((uv_handle_t *)&signals->async);
  survive_failed_writes();
  return signals;
}

static void free_signals(uv_handle_t *async) {
  free(async);
}

void bide_signals_close(BideSignals *signals) {
  forget_signals(signals);
  uv_close((uv_handle_t *)&signals->async, free_signals);
}

bool bide_signals_start_thread(void *(*run)(void *context), void *context, size_t stack) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, before;
  bool started;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  if (stack > 0)
    pthread_attr_setstacksize(&attributes, stack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  started = pthread_create(&thread, &attributes, run, context) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return started;
}
