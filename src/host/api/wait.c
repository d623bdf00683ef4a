/*
** bide.core.wait: the states of waits, the backoff; wait_definition.c has definitions. Annotated in
** lua/bide/meta/wait.lua.
*/
#include <lauxlib.h>
#include <sys/random.h> /* declares getentropy on other systems than glibc */
#include <unistd.h>

#include "host/api/modules.h"
#include "host/api/wait_definition.h"
#include "host/api/wait_state.h"
#include "host/interrupt.h"
#include "host/values/document.h"
#include "wait/matcher.h"

/* ---- the state of a wait ---------------------------------------------------- */

static BideWaiter *check_state(lua_State *L) {
  return &bide_wait_state_check(L)->waiter;
}

/* wait.kind(definition, limits, ring | nil) -> kind */
static int kind(lua_State *L) {
  BideWaitLimits limits;
  bide_wait_definition_check(L, 1);
  limits = bide_wait_definition_check_limits(L, 2);
  lua_settop(L, 3);
  bide_wait_kind_push(L, 1, 3)->limits = limits;
  return 1;
}

/* kind:start(seed, now, argument, call | nil) -> state */
static int start(lua_State *L) {
  const BideWaitKind *of = bide_wait_kind_check(L);
  lua_Integer seed = luaL_checkinteger(L, 2), now = luaL_checkinteger(L, 3);
  lua_settop(L, 5);
  bide_waiter_init(&bide_wait_state_push(L, 1, 4)->waiter, &of->limits, (uint64_t)seed, now);
  return 1;
}

/* state:call() -> the function that makes its attempts | nil */
static int call(lua_State *L) {
  bide_wait_state_check(L);
  lua_getiuservalue(L, 1, BIDE_WAIT_CALL);
  return 1;
}

/* state:first(initialDelay) -> the time of the first attempt */
static int first(lua_State *L) {
  lua_Integer delay = luaL_checkinteger(L, 2);
  luaL_argcheck(L, delay >= 0, 2, "must not be below 0");
  lua_pushinteger(L, bide_waiter_first(check_state(L), delay));
  return 1;
}

/* state:ring_at(time): calls ring(argument) at that time, and not at the time set before */
static int ring_at(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  bide_alarm_start(L, 1, luaL_checkinteger(L, 2));
  if (state->watch.place == 0 && state->decided_at == 0)
    bide_wait_state_watch(L, state, state->waiter.attempts == 0);
  return 0;
}

/* state:silence(): stops the alarm */
static int silence(lua_State *L) {
  bide_wait_state_check(L);
  bide_alarm_stop(L, 1);
  return 0;
}

/*
** state:leave() -> the time at which the wait was decided because its deadline was over | nil; it
** has ended, and is watched no longer
*/
static int leave(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  bide_wait_state_unwatch(state);
  bide_interrupt_answer(); /* each end is progress, however many there are */
  if (state->decided_at == 0)
    return 0;
  lua_pushinteger(L, state->decided_at);
  return 1;
}

/* state:started() -> milliseconds */
static int started(lua_State *L) {
  lua_pushinteger(L, check_state(L)->started);
  return 1;
}

/* state:attempts() -> the number of those that have begun */
static int attempts(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)check_state(L)->attempts);
  return 1;
}

/*
** state:begin(unless_late | nil, is_woken | nil) -> the number of the attempt, the deadline, and
** the time. With unless_late, returns nothing if the deadline is over; the first attempt begins
** nevertheless, unless the wait was decided before. Reads the clock again.
*/
static int begin(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  BideWaiter *waiter = &state->waiter;
  int64_t deadline = bide_waiter_deadline(waiter);
  state->began = bide_wait_state_clock(L, state); /* earlier attempts of the turn took their time */
  if (lua_toboolean(L, 2) &&
      (state->decided_at != 0 || (waiter->attempts > 0 && state->began > deadline)))
    return 0;
  if (state->watch.place != 0 && waiter->attempts == 0)
    bide_wait_state_watch(L, state, false);
  lua_pushinteger(L, (lua_Integer)bide_waiter_begin(waiter, lua_toboolean(L, 3)));
  lua_pushinteger(L, deadline);
  lua_pushinteger(L, state->began);
  return 3;
}

/* state:began() -> the time when the last attempt began */
static int began(lua_State *L) {
  lua_pushinteger(L, bide_wait_state_check(L)->began);
  return 1;
}

/*
** state:last(now) -> the number of the last attempt, the time since the wait began at which it
** began, and how long it has lasted
*/
static int last(lua_State *L) {
  const BideWaitState *state = bide_wait_state_check(L);
  int64_t now = luaL_checkinteger(L, 2);
  lua_pushinteger(L, (lua_Integer)state->waiter.attempts);
  lua_pushinteger(L, bide_wait_state_difference(state->began, state->waiter.started));
  lua_pushinteger(L, bide_wait_state_difference(now, state->began));
  return 3;
}

/*
** state:rings() -> the time at which the alarm rings | nil, the time of the next attempt that a
** Retry-After asks for; 0 without one
*/
static int rings(lua_State *L) {
  const BideWaitState *state = bide_wait_state_check(L);
  if (state->alarm.timer.place == 0)
    lua_pushnil(L);
  else
    lua_pushinteger(L, state->alarm.timer.at);
  lua_pushinteger(L, state->not_before);
  return 2;
}

/*
** state:lateness() -> the time since the alarm should have rung, and how long that was after the
** begin of the last attempt; nil if this process made none. Reads the clock again.
*/
static int lateness(lua_State *L) {
  const BideWaitState *state = bide_wait_state_check(L);
  if (state->began == 0)
    return 0;
  lua_pushinteger(
    L, bide_wait_state_difference(bide_wait_state_clock(L, state), state->alarm.timer.at));
  lua_pushinteger(L, bide_wait_state_difference(state->alarm.timer.at, state->began));
  return 2;
}

/* state:woken() -> whether an event has brought the last attempt forward */
static int woken(lua_State *L) {
  lua_pushboolean(L, bide_wait_state_check(L)->waiter.is_woken);
  return 1;
}

/* state:deadline() -> milliseconds */
static int deadline(lua_State *L) {
  lua_pushinteger(L, bide_waiter_deadline(check_state(L)));
  return 1;
}

/* state:oversleep() */
static int oversleep(lua_State *L) {
  BideWaiter *waiter = check_state(L); /* checked first: C evaluates arguments in any order */
  bide_waiter_oversleep(waiter, bide_wait_state_definition(L));
  return 0;
}

/* Pushes the unit of a span, and its length. */
static void push_span(lua_State *L, BideSpan span) {
  lua_pushstring(L, span.attempts > 0 ? "attempts" : "time");
  lua_pushinteger(L, span.attempts > 0 ? (lua_Integer)span.attempts : span.time);
}

/*
** state:streak() -> "held" | "tolerated", consecutive attempts, the time of the first one, the
** unit of the length to reach, "attempts" | "time", and that length; nil without a streak
*/
static int streak(lua_State *L) {
  const BideWaiter *waiter = check_state(L);
  const BideStreak *of = &waiter->streak;
  BideSpan span = waiter->limits->tolerance;
  if (of->of == 0)
    return 0;
  if (of->of != BIDE_TOLERATED)
    span = bide_waiter_hold(waiter, bide_wait_state_definition(L));
  lua_pushstring(L, of->of == BIDE_TOLERATED ? "tolerated" : "held");
  lua_pushinteger(L, (lua_Integer)of->count);
  lua_pushinteger(L, of->since);
  push_span(L, span); /* state … word count since unit length */
  return 5;
}

/* state:status() -> the HTTP status that the last attempt observed, or nil */
static int status(lua_State *L) {
  int64_t last = bide_wait_state_check(L)->status;
  if (last == 0)
    return 0;
  lua_pushinteger(L, last);
  return 1;
}

/* ---- the backoff, for plans and specs ---------------------------------- */

static BideBackoff check_backoff(lua_State *L) {
  BideBackoff backoff = {luaL_checkinteger(L, 1), luaL_checkinteger(L, 2), 0};
  luaL_argcheck(L, backoff.min_delay >= 0, 1, "must not be below 0");
  luaL_argcheck(L, backoff.max_delay >= backoff.min_delay, 2, "must be at least minDelay");
  return backoff;
}

/* wait.ceiling(minDelay, maxDelay, attempt) -> milliseconds */
static int ceiling(lua_State *L) {
  BideBackoff backoff = check_backoff(L);
  luaL_argcheck(L, luaL_checkinteger(L, 3) >= 1, 3, "attempts count from 1");
  lua_pushinteger(L, bide_backoff_ceiling(&backoff, (uint64_t)lua_tointeger(L, 3)));
  return 1;
}

/* wait.late_range(minDelay, maxDelay, lateness, elapsed) -> low, high; lateness in billionths */
static int late_range(lua_State *L) {
  BideBackoff backoff = check_backoff(L);
  BideDelayRange range;
  backoff.lateness = luaL_checkinteger(L, 3);
  luaL_argcheck(L, backoff.lateness >= 1 && backoff.lateness <= BIDE_WHOLE_LATENESS, 3,
                "must be from 1 to a billion");
  range = bide_backoff_range(&backoff, 1, luaL_checkinteger(L, 4));
  lua_pushinteger(L, range.low);
  lua_pushinteger(L, range.high);
  return 2;
}

/* wait.delay(minDelay, drawn, remaining) -> milliseconds */
static int delay(lua_State *L) {
  BideBackoff backoff = {luaL_checkinteger(L, 1), INT64_MAX, 0};
  int64_t drawn = luaL_checkinteger(L, 2), remaining = luaL_checkinteger(L, 3);
  luaL_argcheck(L, backoff.min_delay >= 0, 1, "must not be below 0");
  luaL_argcheck(L, drawn >= 0, 2, "must not be below 0");
  luaL_argcheck(L, remaining > backoff.min_delay, 3, "must be above minDelay");
  lua_pushinteger(L, bide_backoff_delay(&backoff, drawn, remaining));
  return 1;
}

/* wait.random_seed() -> a random integer of the system */
static int random_seed(lua_State *L) {
  lua_Integer seed;
  if (getentropy(&seed, sizeof seed) != 0)
    return luaL_error(L, "the system has no random bytes");
  lua_pushinteger(L, seed);
  return 1;
}

static const luaL_Reg state_methods[] = {
  {"first", first},       {"attempts", attempts}, {"begin", begin},         {"began", began},
  {"last", last},         {"rings", rings},       {"woken", woken},         {"started", started},
  {"deadline", deadline}, {"ring_at", ring_at},   {"silence", silence},     {"leave", leave},
  {"streak", streak},     {"status", status},     {"oversleep", oversleep}, {"call", call},
  {"lateness", lateness}, {NULL, NULL},
};

/* wait.error_name(type) -> the name in an error's type, without a namespace */
static int error_name(lua_State *L) {
  BideText type;
  type.bytes = luaL_checklstring(L, 1, &type.length);
  type = bide_error_type_name(type);
  lua_pushlstring(L, type.bytes, type.length);
  return 1;
}

/* wait.is_yes(document, "path" | "success" | "failure") -> whether the value is a yes */
static int is_yes(lua_State *L) {
  static const char *const rules[] = {"path", "success", "failure", NULL};
  const BideDocument *document = bide_document_check(L, 1);
  lua_pushboolean(L, bide_yes(&document->root, (BideYesRule)luaL_checkoption(L, 2, NULL, rules)));
  return 1;
}

static const char *state_at(int position) {
  return bide_state_name((BideState)position);
}

static const char *comparator_at(int position) {
  return bide_comparator_name((BideComparator)position);
}

static const char *reason_at(int position) {
  return bide_reason_name((BideReason)position);
}

/* Sets a member of the table on top of the stack to a list of the names. */
static void set_names(lua_State *L, const char *member, const char *name_at(int position)) {
  const char *name;
  lua_newtable(L);
  for (int i = 0; (name = name_at(i)) != NULL; i++) {
    lua_pushstring(L, name);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, member);
}

/* wait.names() -> { states = names, comparators = names, reasons = names }, new lists */
static int names(lua_State *L) {
  lua_settop(L, 0);
  lua_newtable(L);
  set_names(L, "states", state_at);
  set_names(L, "comparators", comparator_at);
  set_names(L, "reasons", reason_at);
  return 1;
}

static const luaL_Reg kind_methods[] = {{"start", start}, {NULL, NULL}};

const luaL_Reg bide_functions_wait[] = {
  {"is_yes", is_yes},
  {"definition", bide_wait_definition_new},
  {"kind", kind},
  {"ceiling", ceiling},
  {"late_range", late_range},
  {"delay", delay},
  {"random_seed", random_seed},
  {"error_name", error_name},
  {"names", names},
  {NULL, NULL},
};

void bide_define_wait(lua_State *L) {
  bide_wait_definition_define(L);
  bide_wait_state_push_methods(L); /* methods of kinds, of states */
  luaL_setfuncs(L, state_methods, 0);
  bide_wait_decision_add_to_state(L);
  bide_wait_history_add_to_state(L);
  bide_wait_record_add_to_state(L);
  lua_pop(L, 1);
  luaL_setfuncs(L, kind_methods, 0);
  bide_wait_record_add_to_kind(L);
  lua_pop(L, 1);
  bide_wait_record_add_to_module(L);
}
