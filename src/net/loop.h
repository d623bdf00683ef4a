/*
** The event loop: one libuv loop, one `now`, and one heap of timers over a single uv_timer. All
** waiting in bide happens here.
**
** The clock can be replaced. Under the virtual clock `now` does not change while something is in
** flight, and otherwise jumps to the next timer, so that a wait of an hour takes only the time of
** its decisions.
*/
#ifndef BIDE_NET_LOOP_H
#define BIDE_NET_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/export.h"
#include "net/signals.h"
#include "net/timers.h"

typedef struct BideLoop BideLoop;

/*
** Creates a loop on `uv`, which must outlive it, or on a libuv loop of its own if `uv` is NULL.
** Returns NULL if memory is exhausted.
*/
BideLoop *bide_loop_create(uv_loop_t *uv);

/* Destroys the loop. Closes only the handles that the loop opened, and drops running timers. */
void bide_loop_destroy(BideLoop *loop);

BIDE_API uv_loop_t *bide_loop_uv(BideLoop *loop);
BideSignals *bide_loop_signals(const BideLoop *loop);

/*
** Returns the monotonic time in milliseconds, which is read once per turn. In a callback for an
** outside event (a signal, a socket, a child) it is the time of that callback.
*/
BIDE_API int64_t bide_loop_now(const BideLoop *loop);

/* Returns the milliseconds since 1970. Under the virtual clock they advance with it. */
int64_t bide_loop_wall(const BideLoop *loop);

/* Reads the clock again, after work that may have taken long. */
void bide_loop_update(BideLoop *loop);

/*
** Reads the monotonic clock now and not once per turn, for code that checks how long it has run.
** Equals bide_loop_now under the virtual clock.
*/
BIDE_API int64_t bide_loop_clock(const BideLoop *loop);

/*
** Returns the first time by which that many milliseconds have passed from now. The clock is rounded
** down, so that is one later than the sum, unless the clock is virtual.
*/
int64_t bide_loop_after(const BideLoop *loop, int64_t milliseconds);

/* Switch to the virtual clock, permanently; report whether that was done. */
void bide_loop_use_virtual_clock(BideLoop *loop);
bool bide_loop_is_virtual(const BideLoop *loop);

/* Starts a timer, or moves a running one. Returns false, with the timer stopped, without memory. */
BIDE_API bool bide_loop_start_timer(BideLoop *loop, BideTimer *timer, int64_t at,
                                    void (*fire)(BideTimer *));

/*
** Starts a timer for a deadline, as bide_loop_start_timer. Of all timers due at the same time it
** fires last, so that work done exactly at its deadline is in time. Since the clock is rounded
** down, it fires up to a millisecond late and never early.
*/
bool bide_loop_start_timer_last(BideLoop *loop, BideTimer *timer, int64_t at,
                                void (*fire)(BideTimer *));

/*
** Watches a deadline: calls `passed` as soon as the loop notices that it is over, before any other
** work. All deadlines that are over are noticed at once, in C, however much else is due; so
** `passed` may only note the time, and calls neither Lua nor the loop. With `is_patient`, this
** waits until timers that were due had a turn to fire. Returns false without memory.
** Nothing is watched under the virtual clock, where nothing is late.
*/
bool bide_loop_watch_deadline(BideLoop *loop, BideTimer *watch, int64_t deadline, bool is_patient,
                              void (*passed)(BideTimer *));
void bide_loop_unwatch_deadline(BideLoop *loop, BideTimer *watch);

/* Looks whether a watched deadline is over; called between two pieces of work. */
BIDE_API void bide_loop_look(BideLoop *loop);

/*
** Reserve room for `timers` more timers of bide_loop_start_reserved, and give it back. Reserving
** returns false if memory is exhausted.
*/
BIDE_API bool bide_loop_reserve(BideLoop *loop, size_t timers);
BIDE_API void bide_loop_unreserve(BideLoop *loop, size_t timers);

/* Starts a timer in reserved room, as bide_loop_start_timer. It cannot fail. */
BIDE_API void bide_loop_start_reserved(BideLoop *loop, BideTimer *timer, int64_t at,
                                       void (*fire)(BideTimer *));

BIDE_API void bide_loop_stop_timer(BideLoop *loop, BideTimer *timer);

/* Returns when the next timer is due, INT64_MAX if no timer runs. */
int64_t bide_loop_next_timer(const BideLoop *loop);

/*
** Returns the time until which the next turn does nothing but wait for the first timer; 0 if
** something is in flight that may end its poll before.
*/
int64_t bide_loop_rests_until(const BideLoop *loop);

/* Returns the first deadline among the next few timers, INT64_MAX without one. */
int64_t bide_loop_first_deadline(const BideLoop *loop);

/* Reports whether a deadline has passed because the loop did not turn. It visits every timer. */
bool bide_loop_has_overdue_deadline(const BideLoop *loop);

/* Return the number of running timers, and of all open handles of the libuv loop. */
size_t bide_loop_timer_count(const BideLoop *loop);
size_t bide_loop_handle_count(const BideLoop *loop);

/*
** Count the work in flight besides timers, such as transfers. While any is held, the virtual clock
** does not advance and the loop is not idle.
*/
BIDE_API void bide_loop_hold(BideLoop *loop);
BIDE_API void bide_loop_release(BideLoop *loop);

/*
** Makes one turn: waits for the next event and runs its callbacks. Returns false if no event can
** happen any more: no timer runs, nothing is in flight, and no handle is active.
*/
bool bide_loop_turn(BideLoop *loop);

/* Finishes closing handles, without waiting for events and without firing timers. */
void bide_loop_settle(BideLoop *loop);

#endif
