#include "net/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/platform.h"

#define FIRST_CAPACITY ((size_t)64)
#define ROUNDS 8
#define MOST_TIMERS 64 /* that fire between two polls of the sockets */
/* Milliseconds. A poll does not count the time for which the machine was suspended. */
#define LONGEST_POLL 10000
#define LAST (UINT64_C(1) << 63) /* in `order`: after all others due at that time */

typedef struct Heap {
  BideTimer **timers; /* timers[1] is due first */
  size_t count;
  size_t capacity;
  size_t reserved; /* places kept for timers that must start */
} Heap;

typedef struct Watch {
  void (*notice)(void *context, int number, bool by_kernel);
  void *context;
  struct sigaction previous;
  bool watched;
  volatile sig_atomic_t pending;
  volatile sig_atomic_t by_kernel; /* the kernel sent the pending one */
} Watch;

struct BideLoop {
  uv_loop_t own;
  uv_loop_t *uv;        /* `own`, or the loop of the caller */
  uv_timer_t *alarm;    /* ends the poll for the earliest timer; freed in its close callback */
  uv_async_t *signaled; /* makes the loop turn after a signal */
  bool virtual_clock;
  bool is_polling; /* within uv_run: `now` was read before it */
  int64_t now;
  int64_t wall_at_zero; /* under the virtual clock */
  size_t held;
  Heap due;
  Heap deadlines; /* that are watched */
  uint64_t order;
};

/*
** The state of the signal handler. It is static because a handler has no context argument; a
** process has one set of signals, and one loop may watch them.
*/
static Watch watches[BIDE_SIGNALS];
static uv_async_t *signal_receiver;
static int handled_signal;
static atomic_int pending_signal; /* the index of its watch */
static void (*interrupt_by_signals)(void);

/* ---- the heap of timers ------------------------------------------------- */

static bool is_before(const BideTimer *a, const BideTimer *b) {
  return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void place_timer(Heap *heap, BideTimer *timer, size_t place) {
  heap->timers[place] = timer;
  timer->place = place;
}

static void sift_up(Heap *heap, BideTimer *timer, size_t place) {
  while (place > 1 && is_before(timer, heap->timers[place / 2])) {
    place_timer(heap, heap->timers[place / 2], place);
    place /= 2;
  }
  place_timer(heap, timer, place);
}

static void sift_down(Heap *heap, BideTimer *timer, size_t place) {
  for (;;) {
    size_t child = place * 2;
    if (child > heap->count)
      break;
    if (child < heap->count && is_before(heap->timers[child + 1], heap->timers[child]))
      child++;
    if (!is_before(heap->timers[child], timer))
      break;
    place_timer(heap, heap->timers[child], place);
    place = child;
  }
  place_timer(heap, timer, place);
}

/* Makes room for `timers` more, besides all that is reserved. Place 0 is not used. */
static bool make_room(Heap *heap, size_t timers) {
  size_t needed = heap->count + heap->reserved + timers + 1;
  size_t capacity = heap->capacity == 0 ? FIRST_CAPACITY : heap->capacity;
  BideTimer **grown;
  if (needed <= heap->capacity)
    return true;
  while (capacity < needed)
    capacity *= 2;
  grown = realloc(heap->timers, capacity * sizeof *grown);
  if (grown == NULL)
    return false;
  heap->timers = grown;
  heap->capacity = capacity;
  return true;
}

static void add(Heap *heap, BideTimer *timer) {
  heap->count++;
  sift_up(heap, timer, heap->count);
}

static void take_out(Heap *heap, BideTimer *timer) {
  size_t place = timer->place;
  BideTimer *last;
  if (place == 0)
    return;
  timer->place = 0;
  last = heap->timers[heap->count--];
  if (last == timer)
    return;
  if (place > 1 && is_before(last, heap->timers[place / 2]))
    sift_up(heap, last, place);
  else
    sift_down(heap, last, place);
}

static void add_timer(BideLoop *loop, BideTimer *timer, int64_t at, uint64_t class,
                      void (*fire)(BideTimer *)) {
  timer->at = at > 0 ? at : 0; /* any time in the past is due now */
  timer->order = class | loop->order++;
  timer->fire = fire;
  add(&loop->due, timer);
}

static bool start_timer(BideLoop *loop, BideTimer *timer, int64_t at, uint64_t class,
                        void (*fire)(BideTimer *)) {
  bide_loop_stop_timer(loop, timer);
  if (!make_room(&loop->due, 1))
    return false;
  add_timer(loop, timer, at, class, fire);
  return true;
}

bool bide_loop_reserve(BideLoop *loop, size_t timers) {
  if (!make_room(&loop->due, timers))
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
  take_out(&loop->due, timer);
}

/* ---- watched deadlines -------------------------------------------------- */

bool bide_loop_watch_deadline(BideLoop *loop, BideTimer *watch, int64_t deadline, bool is_patient,
                              void (*passed)(BideTimer *)) {
  take_out(&loop->deadlines, watch);
  if (loop->virtual_clock)
    return true;
  if (!make_room(&loop->deadlines, 1))
    return false;
  watch->at = deadline;
  watch->order = is_patient ? LAST : 0;
  watch->fire = passed;
  add(&loop->deadlines, watch);
  return true;
}

void bide_loop_unwatch_deadline(BideLoop *loop, BideTimer *watch) {
  take_out(&loop->deadlines, watch);
}

/* Notices the deadlines that are over. Patient ones wait, unless timers have had their turn. */
static void notice_deadlines(BideLoop *loop, bool had_turn) {
  Heap *heap = &loop->deadlines;
  int64_t now;
  if (heap->count == 0)
    return;
  now = bide_loop_clock(loop);
  while (heap->count > 0 && heap->timers[1]->at < now) {
    BideTimer *watch = heap->timers[1];
    take_out(heap, watch);
    if (watch->order == 0 || had_turn) {
      watch->fire(watch);
      continue;
    }
    watch->at = now;
    add(heap, watch);
  }
}

void bide_loop_look(BideLoop *loop) {
  notice_deadlines(loop, false);
}

/* ---- what others see of the timers -------------------------------------- */

size_t bide_loop_timer_count(const BideLoop *loop) {
  return loop->due.count;
}

int64_t bide_loop_next_timer(const BideLoop *loop) {
  return loop->due.count > 0 ? loop->due.timers[1]->at : INT64_MAX;
}

int64_t bide_loop_first_deadline(const BideLoop *loop) {
  int64_t first = INT64_MAX;
  for (size_t place = 1; place <= loop->due.count && place <= MOST_TIMERS; place++)
    if ((loop->due.timers[place]->order & LAST) != 0 && loop->due.timers[place]->at < first)
      first = loop->due.timers[place]->at;
  return first;
}

bool bide_loop_has_overdue_deadline(const BideLoop *loop) {
  int64_t now = bide_loop_clock(loop);
  for (size_t place = 1; place <= loop->due.count; place++)
    if ((loop->due.timers[place]->order & LAST) != 0 && loop->due.timers[place]->at <= now)
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

/* ---- signals ------------------------------------------------------------ */

/* Marks the signal as pending. It only calls async-signal-safe functions. */
static void on_signal(int number, siginfo_t *info, void *interrupted) {
  int error = errno; /* of the interrupted code */
  (void)interrupted;
  if (pending_signal)
    _exit(128 + number);
  pending_signal = number;
  watches[number].by_kernel = info->si_code > 0;
  watches[number].pending = 1;
  if (signal_receiver != NULL)
    uv_async_send(signal_receiver);
  if (interrupt_by_signals != NULL)
    interrupt_by_signals();
  errno = error;
}

void bide_loop_interrupt_by_signals(void (*interrupt)(void)) {
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

void bide_loop_handle_signals(BideLoop *loop) {
  if (signal_receiver == loop->signaled)
    handle_signals();
}

bool bide_loop_watch_signal(BideLoop *loop, int number,
                            void (*notice)(void *context, int number, bool by_kernel),
                            void *context) {
  struct sigaction action;
  Watch *watch;
  if (number <= 0 || number >= BIDE_SIGNALS ||
      (signal_receiver != NULL && signal_receiver != loop->signaled))
    return false;
  signal_receiver = loop->signaled;
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

int bide_loop_handled_signal(void) {
  return handled_signal;
}

int bide_loop_pending_signal(void) {
  return pending_signal;
}

bool bide_loop_signal_pending(const BideLoop *loop) {
  return signal_receiver == loop->signaled && pending_signal != 0;
}

/* Gives the watched signals the actions that they had before. */
static void restore_actions(void) {
  for (int number = 1; number < BIDE_SIGNALS; number++) {
    if (watches[number].watched)
      sigaction(number, &watches[number].previous, NULL);
    memset(&watches[number], 0, sizeof watches[number]);
  }
}

static void forget_signals(BideLoop *loop) {
  if (signal_receiver != loop->signaled)
    return;
  restore_actions();
  pending_signal = 0;
  signal_receiver = NULL;
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
int bide_loop_release_signals(void) {
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

/* ---- the loop ----------------------------------------------------------- */

static void free_handle(uv_handle_t *handle) {
  free(handle);
}

static bool open_handles(BideLoop *loop) {
  loop->alarm = malloc(sizeof *loop->alarm);
  loop->signaled = malloc(sizeof *loop->signaled);
  if (loop->alarm == NULL || loop->signaled == NULL ||
      uv_async_init(loop->uv, loop->signaled, on_signaled) != 0) {
    free(loop->alarm);
    free(loop->signaled);
    return false;
  }
  uv_timer_init(loop->uv, loop->alarm);
  uv_unref((uv_handle_t *)loop->signaled);
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
  survive_failed_writes();
  return loop;
}

void bide_loop_destroy(BideLoop *loop) {
  forget_signals(loop);
  uv_close((uv_handle_t *)loop->alarm, free_handle);
  uv_close((uv_handle_t *)loop->signaled, free_handle);
  uv_run(loop->uv, UV_RUN_NOWAIT); /* closes the two */
  if (loop->uv == &loop->own)
    uv_loop_close(&loop->own);
  free(loop->due.timers);
  free(loop->deadlines.timers);
  free(loop);
}

uv_loop_t *bide_loop_uv(BideLoop *loop) {
  return loop->uv;
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
  return loop->due.count > 0 && loop->due.timers[1]->at <= loop->now;
}

/* Fires up to `most` timers that are due now, but no timer that they start. */
static int fire_round(BideLoop *loop, int most) {
  uint64_t limit = loop->order;
  int fired = 0;
  while (fired < most && is_due(loop) && (loop->due.timers[1]->order & ~LAST) < limit) {
    BideTimer *timer = loop->due.timers[1];
    bide_loop_stop_timer(loop, timer);
    timer->fire(timer);
    notice_deadlines(loop, false);
    fired++;
  }
  return fired;
}

/*
** Fires due timers in a few rounds without a poll between, since a timer often starts another that
** is due at once. The number of rounds is bounded, so that a timer that restarts itself cannot
** block the loop. The number of timers is bounded too: of thousands of requests that are due at
** once, the first are then answered early, and the next reuse their connections.
*/
static void fire_due_timers(BideLoop *loop) {
  int left = MOST_TIMERS;
  for (int round = 0; round < ROUNDS && left > 0 && is_due(loop); round++)
    left -= fire_round(loop, left);
  notice_deadlines(loop, true);
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

/* Makes a turn. The clock jumps to the next timer only if nothing is in flight. */
static bool turn_virtual(BideLoop *loop) {
  bool alive = is_in_flight(loop);
  bool is_due = loop->due.count > 0 && loop->due.timers[1]->at <= loop->now;
  if (alive || loop->due.count == 0)
    alive = uv_run(loop->uv, is_due ? UV_RUN_NOWAIT : UV_RUN_ONCE) != 0 || alive;
  else if (loop->due.timers[1]->at > loop->now)
    loop->now = loop->due.timers[1]->at;
  uv_run(loop->uv, UV_RUN_NOWAIT);
  bide_loop_handle_signals(loop); /* uv_run skips them if no handle is active */
  fire_due_timers(loop);
  return alive || loop->due.count > 0;
}

/*
** Makes a turn. Since the clock is rounded down, a timer may seem not to be due for up to a
** millisecond more; the next turn then sets the alarm again, and the timer does not fire early.
*/
static bool turn_real(BideLoop *loop) {
  bool alive;
  loop->now = bide_clock_monotonic();
  if (loop->due.count > 0)
    set_alarm(loop, loop->due.timers[1]->at - loop->now);
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
