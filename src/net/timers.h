/*
** Timers in a heap: the one that is due first is at hand. The heap knows no clock, and fires
** nothing; the loop does (net/loop.h).
*/
#ifndef BIDE_NET_TIMERS_H
#define BIDE_NET_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BideTimer BideTimer;

/*
** A timer, embedded in the caller's struct. A zeroed timer is stopped. The caller owns its memory,
** and stops the timer before freeing it.
*/
struct BideTimer {
  int64_t at;     /* when it is due, in milliseconds of the loop's clock */
  uint64_t order; /* timers due at the same time fire in the order of their start */
  size_t place;   /* its place in the heap, from 1; 0 if it is stopped */
  void (*fire)(BideTimer *timer);
};

/* A heap of timers. A zeroed one is empty. The owner frees `heap`. */
typedef struct BideTimers {
  BideTimer **heap; /* heap[1] is due first */
  size_t count;
  size_t capacity;
  size_t reserved; /* places kept for timers that must start */
} BideTimers;

/*
** Makes room for `more` timers, besides all that is reserved. Returns false if memory is
** exhausted.
*/
bool bide_timers_make_room(BideTimers *timers, size_t more);

/* Adds a timer that is stopped and knows when it is due; there must be room. */
void bide_timers_add(BideTimers *timers, BideTimer *timer);

/* Stops a timer, which may be stopped already. */
void bide_timers_remove(BideTimers *timers, BideTimer *timer);

#endif
