#include "process/interrupter.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/platform.h"

#define SIGNAL (SIGRTMIN + 7) /* any real-time signal that the C library does not use */

static void (*fire_of_process)(void);

#ifdef BIDE_PLATFORM_LINUX
#include <sys/syscall.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid /* glibc 2.36 has no other name for it */
#endif

/* On Linux the kernel sends the signal to the thread of the timer. */
static void aim(struct sigevent *event, BideInterrupter *interrupter) {
  (void)interrupter;
  event->sigev_notify = SIGEV_THREAD_ID;
  event->sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
}

static bool reaches_thread(const siginfo_t *info) {
  (void)info;
  return true;
}
#else
/* On other systems any thread may get the signal, and forwards it to the thread of the timer. */
static void aim(struct sigevent *event, BideInterrupter *interrupter) {
  interrupter->thread = pthread_self();
  event->sigev_notify = SIGEV_SIGNAL;
  event->sigev_value.sival_ptr = interrupter;
}

static bool reaches_thread(const siginfo_t *info) {
  const BideInterrupter *interrupter = info->si_value.sival_ptr;
  if (info->si_code != SI_TIMER || pthread_equal(pthread_self(), interrupter->thread))
    return true;
  pthread_kill(interrupter->thread, SIGNAL);
  return false;
}
#endif

static void on_signal(int number, siginfo_t *info, void *context) {
  int saved = errno;
  (void)number;
  (void)context;
  if (reaches_thread(info))
    fire_of_process();
  errno = saved;
}

static bool handle_signal(void (*fire)(void)) {
  struct sigaction action;
  fire_of_process = fire;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGNAL, &action, NULL) == 0;
}

bool bide_interrupter_open(BideInterrupter *interrupter, void (*fire)(void)) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_signo = SIGNAL;
  aim(&event, interrupter);
  return handle_signal(fire) && timer_create(CLOCK_MONOTONIC, &event, &interrupter->timer) == 0;
}

void bide_interrupter_close(BideInterrupter *interrupter) {
  timer_delete(interrupter->timer);
}

void bide_interrupter_set(const BideInterrupter *interrupter, int64_t at) {
  struct itimerspec times = {{0, 0}, {0, 0}};
  if (at != INT64_MAX) {
    int64_t set = at > 0 ? at : 1; /* 0 would stop the timer */
    times.it_interval.tv_nsec = BIDE_INTERRUPTER_AGAIN * 1000000L;
    times.it_value.tv_sec = (time_t)(set / 1000);
    times.it_value.tv_nsec = (long)(set % 1000) * 1000000;
  }
  timer_settime(interrupter->timer, TIMER_ABSTIME, &times, NULL);
}
