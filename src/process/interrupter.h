/*
** A kernel timer that interrupts one thread by a real-time signal. Its handler runs on that
** thread, between any two instructions, so it sees everything that the thread has written.
** Executed programs do not inherit the timer.
*/
#ifndef BIDE_PROCESS_INTERRUPTER_H
#define BIDE_PROCESS_INTERRUPTER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Milliseconds between two signals, once the first has come. */
#define BIDE_INTERRUPTER_AGAIN 20

typedef struct BideInterrupter {
  timer_t timer;
  pthread_t thread; /* to interrupt; unused on Linux, where the timer names it */
} BideInterrupter;

/*
** Makes a timer for the calling thread. The signal handler calls `fire`, which must be
** async-signal-safe; there is one such function for the whole process. Returns false, having
** made nothing, if the system has no timer left.
*/
bool bide_interrupter_open(BideInterrupter *interrupter, void (*fire)(void));
void bide_interrupter_close(BideInterrupter *interrupter);

/*
** Sets the timer to fire at `at` (milliseconds, as bide_clock_monotonic) and then every
** BIDE_INTERRUPTER_AGAIN ms.
** Replaces the former setting. A time in the past fires at once; INT64_MAX stops the timer.
** Async-signal-safe; any thread may call it.
*/
void bide_interrupter_set(const BideInterrupter *interrupter, int64_t at);

#endif
