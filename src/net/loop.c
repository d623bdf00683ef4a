#include "net/loop.h"

#include <stdlib.h>

#include "base/clock.h"

#define ROUNDS 8
#define MOST_TIMERS 64 /* that fire between two polls of the sockets */
/* Milliseconds. A poll does not count the time for which the machine was suspended. */
#define LONGEST_POLL 10000
#define LAST (UINT64_C(1) << 63) /* in `order`: after all others due at that time */

struct BideLoop {
  uv_loop_t own;
  uv_loop_t *uv;     /* `own`, or the loop of the caller */
  uv_timer_t *alarm; /* ends the poll for the earliest timer; freed in its close callback */
  BideSignals *signals;
  bool virtual_clock;
  bool is_polling; /* within uv_run: `now` was read before it */
  int64_t now;
  int64_t looked_at;    /* when it last looked at the watched deadlines */
  int64_t wall_at_zero; /* under the virtual clock */
  size_t held;
  BideTimers due;
  BideTimers deadlines; /* that are watched */
  uint64_t order;
};

/* ---- timers -------------------------------------------------------------- */

static void add_timer(BideLoop *loop, BideTimer *timer, int64_t at, uint64_t class,
                      void (*fire)(BideTimer *)) {
  timer->at = at > 0 ? at : 0; /* any time in the past is due now */
  timer->order = class | loop->order++;
  timer->fire = fire;
  bide_timers_add(&loop->due, timer);
}

static bool start_timer(BideLoop *loop, BideTimer *timer, int64_t at, uint64_t class,
                        void (*fire)(BideTimer *)) {
  bide_loop_stop_timer(loop, timer);
  if (!bide_timers_make_room(&loop->due, 1))
    return false;
  add_timer(loop, timer, at, class, fire);
  return true;
}

bool bide_loop_reserve(BideLoop *loop, size_t timers) {
  if (!bide_timers_make_room(&loop->due, timers))
    return false;
  loop->due.reserved += timers;
  return true;
}

void bide_loop_unreserve(BideLoop *loop, size_t timers) {
  loop->due.reserved -= timers;
}

void bide_loop_start_reserved(BideLoop *loop, BideTimer *timer, int64_t at,
                              void (*fire)(BideTimer *)) {
  bide_loop_stop_timer(loop, timer);
  add_timer(loop, timer, at, 0, fire);
}

bool bide_loop_start_timer(BideLoop *loop, BideTimer *timer, int64_t at,
                           void (*fire)(BideTimer *)) {
  return start_timer(loop, timer, at, 0, fire);
}

bool bide_loop_start_timer_last(BideLoop *loop, BideTimer *timer, int64_t at,
                                void (*fire)(BideTimer *)) {
  int64_t rounded_up = loop->virtual_clock || at == INT64_MAX ? at : at + 1;
  return start_timer(loop, timer, rounded_up, LAST, fire);
}

void bide_loop_stop_timer(BideLoop *loop, BideTimer *timer) {
  bide_timers_remove(&loop->due, timer);
}

/* ---- watched deadlines -------------------------------------------------- */

bool bide_loop_watch_deadline(BideLoop *loop, BideTimer *watch, int64_t deadline, bool is_patient,
                              void (*passed)(BideTimer *)) {
  bide_timers_remove(&loop->deadlines, watch);
  if (loop->virtual_clock)
    return true;
  if (!bide_timers_make_room(&loop->deadlines, 1))
    return false;
  watch->at = deadline;
  watch->order = is_patient ? LAST : 0;
  watch->fire = passed;
  bide_timers_add(&loop->deadlines, watch);
  return true;
}

void bide_loop_unwatch_deadline(BideLoop *loop, BideTimer *watch) {
  bide_timers_remove(&loop->deadlines, watch);
}

/*
** Notices the deadlines that are over at `now`. Patient ones wait, unless timers have had their
** turn.
*/
static void notice_deadlines(BideLoop *loop, int64_t now, bool had_turn) {
  BideTimers *deadlines = &loop->deadlines;
  loop->looked_at = now;
  while (deadlines->count > 0 && deadlines->heap[1]->at < now) {
    BideTimer *watch = deadlines->heap[1];
    bide_timers_remove(deadlines, watch);
    if (watch->order == 0 || had_turn) {
      watch->fire(watch);
      continue;
    }
    watch->at = now;
    bide_timers_add(deadlines, watch);
  }
}

void bide_loop_look(BideLoop *loop) {
  if (loop->deadlines.count > 0)
    notice_deadlines(loop, bide_loop_clock(loop), false);
}

/* ---- what others see of the timers -------------------------------------- */

size_t bide_loop_timer_count(const BideLoop *loop) {
  return loop->due.count;
}

int64_t bide_loop_next_timer(const BideLoop *loop) {
  return loop->due.count > 0 ? loop->due.heap[1]->at : INT64_MAX;
}

int64_t bide_loop_first_deadline(const BideLoop *loop) {
  int64_t first = INT64_MAX;
  for (size_t place = 1; place <= loop->due.count && place <= MOST_TIMERS; place++)
    if ((loop->due.heap[place]->order & LAST) != 0 && loop->due.heap[place]->at < first)
      first = loop->due.heap[place]->at;
  return first;
}

bool bide_loop_has_overdue_deadline(const BideLoop *loop) {
  int64_t now = bide_loop_clock(loop);
  for (size_t place = 1; place <= loop->due.count; place++)
    if ((loop->due.heap[place]->order & LAST) != 0 && loop->due.heap[place]->at <= now)
      return true;
  return false;
}

static void count_handle(uv_handle_t *handle, void *count) {
  if (!uv_is_closing(handle))
    ++*(size_t *)count;
}

size_t bide_loop_handle_count(const BideLoop *loop) {
  size_t count = 0;
  uv_walk(loop->uv, count_handle, &count);
  return count;
}

/* ---- the loop ----------------------------------------------------------- */

static void free_handle(uv_handle_t *handle) {
  free(handle);
}

static bool open_handles(BideLoop *loop) {
  loop->alarm = malloc(sizeof *loop->alarm);
  loop->signals = loop->alarm != NULL ? bide_signals_open(loop->uv) : NULL;
  if (loop->signals == NULL) {
    free(loop->alarm);
    return false;
  }
  uv_timer_init(loop->uv, loop->alarm);
  return true;
}

BideLoop *bide_loop_create(uv_loop_t *uv) {
  BideLoop *loop = calloc(1, sizeof *loop);
  if (loop == NULL)
    return NULL;
  loop->uv = uv != NULL ? uv : &loop->own;
  if (uv == NULL && uv_loop_init(&loop->own) != 0) {
    free(loop);
    return NULL;
  }
  if (!open_handles(loop)) {
    if (uv == NULL)
      uv_loop_close(&loop->own);
    free(loop);
    return NULL;
  }
  loop->now = bide_clock_monotonic();
  return loop;
}

/* A loop of somebody else is not run, which would call what waits on it: its owner does so. */
void bide_loop_destroy(BideLoop *loop) {
  bide_signals_close(loop->signals);
  uv_close((uv_handle_t *)loop->alarm, free_handle);
  if (loop->uv == &loop->own) {
    uv_run(&loop->own, UV_RUN_NOWAIT); /* closes the two */
    uv_loop_close(&loop->own);
  }
  free(loop->due.heap);
  free(loop->deadlines.heap);
  free(loop);
}

uv_loop_t *bide_loop_uv(BideLoop *loop) {
  return loop->uv;
}

BideSignals *bide_loop_signals(const BideLoop *loop) {
  return loop->signals;
}

int64_t bide_loop_now(const BideLoop *loop) {
  return loop->is_polling ? bide_loop_clock(loop) : loop->now;
}

int64_t bide_loop_wall(const BideLoop *loop) {
  return loop->virtual_clock ? loop->wall_at_zero + loop->now : bide_clock_wall();
}

int64_t bide_loop_clock(const BideLoop *loop) {
  return loop->virtual_clock ? loop->now : bide_clock_monotonic();
}

int64_t bide_loop_after(const BideLoop *loop, int64_t milliseconds) {
  int64_t rounded = milliseconds > 0 && !loop->virtual_clock ? 1 : 0;
  return bide_loop_clock(loop) + milliseconds + rounded;
}

void bide_loop_update(BideLoop *loop) {
  loop->now = bide_loop_clock(loop);
}

void bide_loop_use_virtual_clock(BideLoop *loop) {
  loop->virtual_clock = true;
  loop->wall_at_zero = bide_clock_wall() - loop->now;
}

bool bide_loop_is_virtual(const BideLoop *loop) {
  return loop->virtual_clock;
}

void bide_loop_hold(BideLoop *loop) {
  loop->held++;
}

void bide_loop_release(BideLoop *loop) {
  loop->held--;
}

static bool is_due(const BideLoop *loop) {
  return loop->due.count > 0 && loop->due.heap[1]->at <= loop->now;
}

/* Fires up to `most` timers that are due now, but no timer that they start. */
static int fire_round(BideLoop *loop, int most) {
  uint64_t limit = loop->order;
  int fired = 0;
  while (fired < most && is_due(loop) && (loop->due.heap[1]->order & ~LAST) < limit) {
    BideTimer *timer = loop->due.heap[1];
    bide_loop_stop_timer(loop, timer);
    timer->fire(timer);
    bide_loop_look(loop);
    fired++;
  }
  return fired;
}

/*
** Fires due timers in a few rounds without a poll between, since a timer often starts another that
** is due at once. The number of rounds is bounded, so that a timer that restarts itself cannot
** block the loop. The number of timers is bounded too: of thousands of requests that are due at
** once, the first are then answered early, and the next reuse their connections. Deadlines are
** looked at before the first timer and after each.
*/
static void fire_due_timers(BideLoop *loop) {
  int left = MOST_TIMERS;
  notice_deadlines(loop, loop->now, false);
  for (int round = 0; round < ROUNDS && left > 0 && is_due(loop); round++)
    left -= fire_round(loop, left);
  notice_deadlines(loop, loop->looked_at, true);
}

/*
** Ends the poll; the turn fires the due timers. If the alarm is due when uv_run begins, libuv calls
** this before the poll, which would then wait for the next event without limit; after uv_stop it
** does not wait.
*/
static void on_alarm(uv_timer_t *alarm) {
  uv_stop(alarm->loop);
}

static void set_alarm(BideLoop *loop, int64_t delay) {
  uv_update_time(loop->uv);
  if (delay > LONGEST_POLL)
    delay = LONGEST_POLL;
  uv_timer_start(loop->alarm, on_alarm, delay > 0 ? (uint64_t)delay : 0, 0);
}

static bool is_in_flight(const BideLoop *loop) {
  return loop->held > 0 || uv_loop_alive(loop->uv);
}

int64_t bide_loop_rests_until(const BideLoop *loop) {
  return loop->virtual_clock || is_in_flight(loop) ? 0 : bide_loop_next_timer(loop);
}

/* Makes a turn. The clock jumps to the next timer only if nothing is in flight. */
static bool turn_virtual(BideLoop *loop) {
  if (is_in_flight(loop) || loop->due.count == 0)
    uv_run(loop->uv, is_due(loop) ? UV_RUN_NOWAIT : UV_RUN_ONCE);
  else if (!is_due(loop))
    loop->now = loop->due.heap[1]->at;
  uv_run(loop->uv, UV_RUN_NOWAIT);
  bide_signals_handle(loop->signals); /* uv_run skips them if no handle is active */
  fire_due_timers(loop);
  return is_in_flight(loop) || loop->due.count > 0; /* a timer may have begun something */
}

/*
** Makes a turn. Since the clock is rounded down, a timer may seem not to be due for up to a
** millisecond more; the next turn then sets the alarm again, and the timer does not fire early.
*/
static bool turn_real(BideLoop *loop) {
  bool alive;
  loop->now = bide_clock_monotonic();
  if (loop->due.count > 0)
    set_alarm(loop, loop->due.heap[1]->at - loop->now);
  alive = is_in_flight(loop);
  loop->is_polling = true;
  uv_run(loop->uv, UV_RUN_ONCE);
  loop->is_polling = false;
  uv_timer_stop(loop->alarm);
  loop->now = bide_clock_monotonic();
  fire_due_timers(loop);
  return alive || loop->due.count > 0;
}

static void note_closing(uv_handle_t *handle, void *is_closing) {
  if (uv_is_closing(handle))
    *(bool *)is_closing = true;
}

/* Runs several rounds, since the callback of a closing handle may close another. */
void bide_loop_settle(BideLoop *loop) {
  bool is_closing = true;
  for (int round = 0; round < ROUNDS && is_closing; round++) {
    is_closing = false;
    uv_run(loop->uv, UV_RUN_NOWAIT);
    uv_walk(loop->uv, note_closing, &is_closing);
  }
}

bool bide_loop_turn(BideLoop *loop) {
  return loop->virtual_clock ? turn_virtual(loop) : turn_real(loop);
}
