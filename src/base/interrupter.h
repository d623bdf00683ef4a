/*
** A timer of the kernel's that interrupts one thread by a real-time signal. Its handler
** runs on that thread, between any two of its instructions, so that it may look at what the
** thread itself wrote. No program that is executed inherits it.
*/
#ifndef BIDE_BASE_INTERRUPTER_H
#define BIDE_BASE_INTERRUPTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct BideInterrupter {
  timer_t timer;
} BideInterrupter;

/*
** Makes one for the calling thread; `fire` is called by the signal and must be
** async-signal-safe. One function serves the whole process. False where the system has no
** timer left: then nothing was made.
*/
bool bide_interrupter_open(BideInterrupter *interrupter, void (*fire)(void));
void bide_interrupter_close(BideInterrupter *interrupter);

/*
** Sets it to fire at a time of bide_clock_monotonic, and then every few milliseconds, in place of
** what it was set to. A time that is past fires it at once, INT64_MAX stops it. Async-signal-safe,
** and for any thread to call.
*/
void bide_interrupter_set(const BideInterrupter *interrupter, int64_t at);

#endif
