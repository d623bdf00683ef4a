/*
** Checks of the heap of timers in src/net/timers.c, by the loop, on the virtual clock: random starts, moves and
** stops, beside a plain list that is searched for the earliest timer.
*/
#include <stdint.h>
#include <stdlib.h>

#include "base/random.h"
#include "net/loop.h"

#include "spec/support/check.h"

#define TIMERS 200

static BideLoop *loop;
static BideRandom random_state;
static BideTimer timers[TIMERS];
static int64_t due[TIMERS];      /* INT64_MAX: stopped */
static uint64_t started[TIMERS]; /* the order of the starts; deadlines come after all others */
static uint64_t starts;
static int fired;
static int64_t beginning; /* the clock need not begin at 0 */

static int64_t draw(int64_t low, int64_t high) {
  return bide_random_between(&random_state, low, high);
}

/* Finds the timer that is due first by looking at all of them; -1 if none runs. */
static int first(void) {
  int best = -1;
  for (int i = 0; i < TIMERS; i++)
    if (due[i] != INT64_MAX &&
        (best < 0 || due[i] < due[best] || (due[i] == due[best] && started[i] < started[best])))
      best = i;
  return best;
}

static void fire(BideTimer *timer) {
  int expected = first();
  fired++;
  CHECK(expected >= 0 && timer == &timers[expected]);
  CHECK(due[timer - timers] <= bide_loop_now(loop));
  due[timer - timers] = INT64_MAX;
}

static void start(int i, int64_t at, bool is_deadline) {
  uint64_t last = is_deadline ? UINT64_C(1) << 63 : 0;
  bool done = is_deadline ? bide_loop_start_timer_last(loop, &timers[i], at, fire)
                          : bide_loop_start_timer(loop, &timers[i], at, fire);
  CHECK(done);
  due[i] = at > 0 ? at : 0;
  started[i] = last | starts++;
}

static void stop(int i) {
  bide_loop_stop_timer(loop, &timers[i]);
  due[i] = INT64_MAX;
}

static size_t running(void) {
  size_t count = 0;
  for (int i = 0; i < TIMERS; i++)
    count += due[i] != INT64_MAX;
  return count;
}

static void begin(uint64_t seed) {
  bide_random_seed(&random_state, seed);
  loop = bide_loop_create(NULL);
  bide_loop_use_virtual_clock(loop);
  memset(timers, 0, sizeof timers);
  for (int i = 0; i < TIMERS; i++)
    due[i] = INT64_MAX;
  beginning = bide_loop_now(loop);
  starts = 0;
  fired = 0;
}

static void act(void) {
  int i = (int)draw(0, TIMERS - 1);
  int64_t now = bide_loop_now(loop);
  switch (draw(0, 3)) {
    case 0: stop(i); break;
    case 1: start(i, now + draw(0, 20), true); break;
    default:
      start(i, now + draw(-5, 20), false); /* a running timer moves; the past is due now */
      break;
  }
}

static void check_state(void) {
  int expected = first();
  CHECK(bide_loop_timer_count(loop) == running());
  CHECK(bide_loop_next_timer(loop) == (expected < 0 ? INT64_MAX : due[expected]));
}

static void check_order(void) {
  for (uint64_t seed = 1; seed <= 200; seed++) {
    begin(seed);
    for (int round = 0; round < 20; round++) {
      for (int64_t actions = draw(1, 60); actions > 0; actions--)
        act();
      check_state();
      bide_loop_turn(loop);
    }
    while (running() > 0 && failures == 0)
      bide_loop_turn(loop);
    CHECK(fired > 0 && bide_loop_timer_count(loop) == 0);
    bide_loop_destroy(loop);
  }
}

static void check_same_time(void) {
  begin(1);
  start(0, beginning + 10, true);
  for (int i = 1; i < TIMERS; i++)
    start(i, beginning + 10, false);
  while (running() > 0 && failures == 0)
    bide_loop_turn(loop);
  CHECK(bide_loop_now(loop) == beginning + 10 && fired == TIMERS);
  bide_loop_destroy(loop);
}

static void check_reserved(void) {
  begin(1);
  CHECK(bide_loop_reserve(loop, 100));
  for (int i = 0; i < 100; i++) {
    bide_loop_start_reserved(loop, &timers[i], beginning + 5, fire);
    due[i] = beginning + 5;
    started[i] = starts++;
  }
  start(150, beginning + 4, false);
  while (running() > 0 && failures == 0)
    bide_loop_turn(loop);
  bide_loop_unreserve(loop, 100);
  CHECK(fired == 101);
  bide_loop_destroy(loop);
}

static void check_held(void) {
  begin(1);
  start(0, beginning + 1000, false);
  bide_loop_hold(loop);
  bide_loop_update(loop);
  CHECK(bide_loop_now(loop) == beginning); /* time stands still while something is in flight */
  bide_loop_release(loop);
  bide_loop_turn(loop);
  CHECK(bide_loop_now(loop) == beginning + 1000 && fired == 1);
  CHECK(!bide_loop_turn(loop));
  bide_loop_destroy(loop);
}

static void hold(BideTimer *timer) {
  (void)timer;
  bide_loop_hold(loop);
}

static void check_begun(void) {
  begin(1);
  CHECK(bide_loop_start_timer(loop, &timers[0], bide_loop_now(loop), hold));
  CHECK(bide_loop_turn(loop)); /* the last timer has begun something */
  bide_loop_release(loop);
  CHECK(!bide_loop_turn(loop));
  bide_loop_destroy(loop);
}

int main(int argc, char **argv) {
  static const Check checks[] = {
    {"timers fire in order, whatever was started, moved and stopped", check_order},
    {"timers due at one time fire in the order of their start, deadlines last", check_same_time},
    {"timers in reserved room start without memory", check_reserved},
    {"the virtual clock jumps to the next timer, and not while something is in flight", check_held},
    {"a turn in which the last timer begins something is not the last one", check_begun},
    {NULL, NULL},
  };
  return main_of_checks(checks, argc, argv);
}
