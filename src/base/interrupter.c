#include "base/interrupter.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SIGNAL (SIGRTMIN + 7) /* any real-time signal that the C library does not use */
#define AGAIN 20000000        /* nanoseconds between two signals, once the first has come */

static void (*fire_of_process)(void);

static void on_signal(int number) {
  int saved = errno;
  (void)number;
  fire_of_process();
  errno = saved;
}

static bool handle_signal(void (*fire)(void)) {
  struct sigaction action;
  fire_of_process = fire;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGNAL, &action, NULL) == 0;
}

bool bide_interrupter_open(BideInterrupter *interrupter, void (*fire)(void)) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGNAL;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid); /* glibc 2.36 has no other name for it */
  return handle_signal(fire) && timer_create(CLOCK_MONOTONIC, &event, &interrupter->timer) == 0;
}

void bide_interrupter_close(BideInterrupter *interrupter) {
  timer_delete(interrupter->timer);
}

void bide_interrupter_set(const BideInterrupter *interrupter, int64_t at) {
  struct itimerspec times = {{0, 0}, {0, 0}};
  if (at != INT64_MAX) {
    int64_t set = at > 0 ? at : 1; /* 0 would stop it */
    times.it_interval.tv_nsec = AGAIN;
    times.it_value.tv_sec = (time_t)(set / 1000);
    times.it_value.tv_nsec = (long)(set % 1000) * 1000000;
  }
  timer_settime(interrupter->timer, TIMER_ABSTIME, &times, NULL);
}
