/*
** The loop: one libuv loop, one `now`, one heap of timers over a single
** uv_timer. Everything in bide that waits, waits here.
**
** The clock is replaceable. Under the virtual clock `now` stands still while
** something is in flight, and jumps to the next timer when nothing is; a wait
** of an hour so takes as long as its decisions do.
*/
#ifndef BIDE_NET_LOOP_H
#define BIDE_NET_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/export.h"

typedef struct BideLoop BideLoop;
typedef struct BideTimer BideTimer;

/*
** A timer is embedded in what it wakes. Zeroed, it is stopped. It must be
** stopped before its memory goes away.
*/
struct BideTimer {
  int64_t at;       /* when it is due, in the loop's milliseconds */
  uint64_t order;   /* timers due at one time fire in the order they were started */
  size_t place;     /* its place in the heap, from 1; 0 when it is stopped */
  void (*fire)(BideTimer *timer);
};

/*
** Makes a loop. `uv` is a loop to join, which then must outlive this one; NULL
** makes one of its own. Returns NULL when memory is out. From then on a write to a
** peer that has closed fails, and does not end the process by SIGPIPE.
*/
BideLoop *bide_loop_create(uv_loop_t *uv);

/* Closes what the loop itself opened. Timers still running are forgotten. */
void bide_loop_destroy(BideLoop *loop);

BIDE_API uv_loop_t *bide_loop_uv(BideLoop *loop);

/*
** Milliseconds, monotonic, read once a turn; in a callback that something outside
** caused (a signal, a socket, a child) it is the time of that callback.
*/
int64_t bide_loop_now(const BideLoop *loop);

/* Milliseconds since 1970; under the virtual clock it goes with that. */
int64_t bide_loop_wall(const BideLoop *loop);

/* Reads the clock anew, after something that may have taken long. */
void bide_loop_update(BideLoop *loop);

/*
** The clock itself, read now and not once a turn: for code that asks whether it
** has run too long. Equals bide_loop_now under the virtual clock.
*/
BIDE_API int64_t bide_loop_clock(const BideLoop *loop);

/* Turns to the virtual clock, for good; whether that was done. */
void bide_loop_use_virtual_clock(BideLoop *loop);
bool bide_loop_is_virtual(const BideLoop *loop);

/* Starts a timer, or moves one that runs. False when memory is out: it is stopped then. */
BIDE_API bool bide_loop_start_timer(BideLoop *loop, BideTimer *timer, int64_t at,
                                    void (*fire)(BideTimer *));

/*
** The same for a deadline: of what is due at one time it fires last, so that
** something done exactly at its deadline is done in time. Since the clock is
** rounded down, it fires up to a millisecond after its time and never before it.
*/
bool bide_loop_start_timer_last(BideLoop *loop, BideTimer *timer, int64_t at,
                                void (*fire)(BideTimer *));

/*
** Keeps room for so many more timers that must start whatever memory there is: those
** that are started by bide_loop_start_reserved. False when memory is out.
*/
BIDE_API bool bide_loop_reserve(BideLoop *loop, size_t timers);
BIDE_API void bide_loop_unreserve(BideLoop *loop, size_t timers);

/* bide_loop_start_timer for a timer that room is kept for: it cannot fail. */
BIDE_API void bide_loop_start_reserved(BideLoop *loop, BideTimer *timer, int64_t at,
                                       void (*fire)(BideTimer *));

BIDE_API void bide_loop_stop_timer(BideLoop *loop, BideTimer *timer);

/* When the next timer is due, INT64_MAX where none runs. */
int64_t bide_loop_next_timer(const BideLoop *loop);

/* The first deadline of the next few timers, INT64_MAX where none of them is one. */
int64_t bide_loop_first_deadline(const BideLoop *loop);

/* Whether a deadline's time is over, since nothing lets the loop turn. It looks at every timer. */
bool bide_loop_has_overdue_deadline(const BideLoop *loop);

/* How many timers run; how many handles of libuv are open, whoever opened them. */
size_t bide_loop_timer_count(const BideLoop *loop);
size_t bide_loop_handle_count(const BideLoop *loop);

/*
** What is in flight besides timers (a transfer) is counted, so that the virtual
** clock stands still meanwhile and the loop knows that it is not idle.
*/
BIDE_API void bide_loop_hold(BideLoop *loop);
BIDE_API void bide_loop_release(BideLoop *loop);

/*
** One turn: waits for the next thing to happen, and lets it. Returns false when
** nothing can happen any more: no timer, nothing in flight, no active handle.
*/
bool bide_loop_turn(BideLoop *loop);

/* Lets handles that are closing close, without waiting for anything; fires no timer. */
void bide_loop_settle(BideLoop *loop);

/*
** Signals: `notice` runs on the loop, once for each signal that came. The flag
** is set by the handler itself, so that code which keeps the loop from turning
** can see it too; it is cleared when `notice` runs. A second signal that finds the
** first one still unheeded ends the process at once: nobody is left to be told. One that
** is ignored when it is first to be watched stays so, as under nohup.
*/
bool bide_loop_watch_signal(BideLoop *loop, int number, void (*notice)(void *context, int number),
                            void *context);
bool bide_loop_signal_pending(const BideLoop *loop);

/* The signal that came last and is not handled yet, 0 for none. Async-signal-safe. */
int bide_loop_pending_signal(void);

/* The signal that was handled last, 0 where none was. */
int bide_loop_handled_signal(void);

/*
** What each watched signal calls within its handler, on whatever thread that runs: for
** code that keeps the loop from turning. Async-signal-safe.
*/
void bide_loop_interrupt_by_signals(void (*interrupt)(void));

/* Runs `notice` for what is pending now, where the loop cannot turn. */
void bide_loop_heed_signals(BideLoop *loop);

#endif
