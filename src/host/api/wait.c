/*
** bide.core.wait: the states of waits, the backoff; wait_definition.c has definitions. Annotated in
** lua/bide/meta/wait.lua.
*/
#include <lauxlib.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "host/api/modules.h"
#include "host/api/wait_definition.h"
#include "host/api/wait_state.h"
#include "host/class.h"
#include "host/failure.h"
#include "host/interrupt.h"
#include "host/values/document.h"
#include "wait/matcher.h"
#include "wait/record.h"

static const BideClass kind_class = {"bide.wait_kind"};
static const BideClass state_class = {"bide.wait"};

/* The state of a turn is "<s1i8i8i8i8i8": the record, and five numbers. */
#define TURN_NUMBERS 5
#define TURN_BYTES (1 + BIDE_RECORD_BYTES + TURN_NUMBERS * sizeof(uint64_t))

/* ---- the state of a wait ---------------------------------------------------- */

BideWaitState *bide_wait_state_check(lua_State *L) {
  return bide_class_check(L, 1, &state_class);
}

static BideWaiter *check_state(lua_State *L) {
  return &bide_wait_state_check(L)->waiter;
}

const BideDefinition *bide_wait_state_definition(lua_State *L) {
  const BideWaitKind *kind;
  lua_getiuservalue(L, 1, BIDE_ALARM_TARGET);
  kind = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return kind->definition;
}

/*
** Pushes a kind for the definition at `definition`. The alarms of its waits call the function at
** `ring`.
*/
static BideWaitKind *push_kind(lua_State *L, int definition, int ring) {
  BideWaitKind *kind = lua_newuserdatauv(L, sizeof *kind, BIDE_WAIT_KIND_VALUES);
  kind->definition = lua_touserdata(L, definition);
  bide_class_set(L, &kind_class);
  lua_pushvalue(L, definition);
  lua_setiuservalue(L, -2, BIDE_WAIT_DEFINITION);
  lua_pushvalue(L, ring);
  lua_setiuservalue(L, -2, BIDE_WAIT_RING);
  return kind;
}

/*
** Pushes a state of the kind at `kind`, whose alarm calls with the value at `argument`. The value
** after it makes the attempts.
*/
static BideWaiter *push_state(lua_State *L, int kind, int argument) {
  BideWaitState *state = lua_newuserdatauv(L, sizeof *state, BIDE_WAIT_VALUES);
  memset(state, 0, sizeof *state);
  bide_class_set(L, &state_class);
  bide_alarm_init(L, kind, argument);
  lua_pushvalue(L, argument + 1);
  lua_setiuservalue(L, -2, BIDE_WAIT_CALL);
  return &state->waiter;
}

static void stop_watching(BideWaitState *state) {
  BideLoop *loop = state->alarm.host != NULL ? bide_host_loop(state->alarm.host) : NULL;
  if (loop != NULL)
    bide_loop_unwatch_deadline(loop, &state->watch);
}

static int collect_state(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  stop_watching(state);
  bide_alarm_free(L, &state->alarm);
  bide_history_free(&state->history);
  return 0;
}

static void on_passed(BideTimer *watch) {
  BideWaitState *state = (BideWaitState *)(void *)((char *)watch - offsetof(BideWaitState, watch));
  state->decided_at = bide_loop_clock(bide_host_loop(state->alarm.host));
}

/*
** Decides the wait once its deadline is over, whatever else is due then. A wait that was never
** asked is decided only after its alarm had a turn to ring: the first attempt always runs, unless
** very many are due.
*/
static void watch_deadline(lua_State *L, BideWaitState *state, bool is_patient) {
  BideLoop *loop = bide_host_loop(bide_host_check(L));
  int64_t deadline = bide_waiter_deadline(&state->waiter);
  if (!bide_loop_watch_deadline(loop, &state->watch, deadline, is_patient, on_passed))
    bide_failure_no_memory(L);
}

/* wait.kind(definition, limits, ring | nil) -> kind */
static int kind(lua_State *L) {
  BideWaitLimits limits;
  bide_wait_definition_check(L, 1);
  limits = bide_wait_definition_check_limits(L, 2);
  lua_settop(L, 3);
  push_kind(L, 1, 3)->limits = limits;
  return 1;
}

/* kind:start(seed, now, argument, call | nil) -> state */
static int start(lua_State *L) {
  const BideWaitKind *of = bide_class_check(L, 1, &kind_class);
  lua_Integer seed = luaL_checkinteger(L, 2), now = luaL_checkinteger(L, 3);
  lua_settop(L, 5);
  bide_waiter_init(push_state(L, 1, 4), &of->limits, (uint64_t)seed, now);
  return 1;
}

/* Reads a record in any of its forms. */
static bool read_record(BideWaiter *waiter, BideWaitLimits *limits, const char *text, size_t length,
                        int64_t since, BideError *error) {
  bool is_packed = length > 0 && text[0] >= BIDE_RECORD_FORMAT && text[0] <= BIDE_RECORD_NEWEST;
  if (is_packed)
    return bide_record_unpack(waiter, limits, (const unsigned char *)text, length, since, error);
  return bide_record_read(waiter, limits, text, length, since, error);
}

/* wait.restore(definition, record, started) -> state without an alarm | nil, failure */
static int restore(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  lua_Integer since = luaL_checkinteger(L, 3);
  BideWaitKind *of;
  BideWaiter waiter;
  BideError error;
  bide_wait_definition_check(L, 1);
  lua_settop(L, 5); /* definition record started nil nil */
  of = push_kind(L, 1, 4);
  if (!read_record(&waiter, &of->limits, text, length, since, &error))
    return bide_failure_push(L, &error);
  *push_state(L, 6, 4) = waiter;
  return 1;
}

/* Pushes a kind that is like the one at 1, but for its limits. */
static BideWaitKind *push_other_kind(lua_State *L, const BideWaitLimits *limits) {
  BideWaitKind *other;
  int top = lua_gettop(L);
  lua_getiuservalue(L, 1, BIDE_WAIT_DEFINITION);
  lua_getiuservalue(L, 1, BIDE_WAIT_RING);
  other = push_kind(L, top + 1, top + 2);
  other->limits = *limits;
  return other;
}

/*
** kind:restore(record, started, argument, call | nil) -> state | nil, failure; the wait has the
** limits of its record, which mostly are those of its kind
*/
static int restore_one(lua_State *L) {
  BideWaitKind *of = bide_class_check(L, 1, &kind_class);
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  lua_Integer since = luaL_checkinteger(L, 3);
  BideWaitLimits limits;
  BideWaiter waiter;
  BideError error;
  int kind = 1;
  lua_settop(L, 5);
  if (!read_record(&waiter, &limits, text, length, since, &error))
    return bide_failure_push(L, &error);
  if (memcmp(&limits, &of->limits, sizeof limits) != 0) {
    of = push_other_kind(L, &limits);
    kind = lua_gettop(L);
  }
  waiter.limits = &of->limits;
  *push_state(L, kind, 4) = waiter;
  return 1;
}

/* ---- a turn of a store ------------------------------------------------------ */

/* The arguments of kind:take_up. */
enum { KIND = 1, TURN, CLASS, INPUT, OUTPUT, FAILURE, CLOCK, AHEAD, SEED, CALL };

/* The members of a turn that it reads, and of a wait that it sets: its upvalues. */
typedef enum Member {
  TURN_ATTEMPTS = 1,
  TURN_DEADLINE,
  TURN_DUE,
  TURN_FORMAT,
  STATE,
  WAIT_BEFORE,
  WAIT_ERROR,
  WAIT_HAS_MORE,
  WAIT_INPUT,
  WAIT_KEY,
  WAIT_MAX_WAIT,
  WAIT_OUTPUT
} Member;

#define MEMBERS WAIT_OUTPUT

static void push_members(lua_State *L) {
  static const char *const names[MEMBERS] = {
    [TURN_ATTEMPTS - 1] = "attempts",
    [TURN_DEADLINE - 1] = "deadline",
    [TURN_DUE - 1] = "due",
    [TURN_FORMAT - 1] = "format",
    [STATE - 1] = "state",
    [WAIT_BEFORE - 1] = "before",
    [WAIT_ERROR - 1] = "error",
    [WAIT_HAS_MORE - 1] = "has_more",
    [WAIT_INPUT - 1] = "input",
    [WAIT_KEY - 1] = "key",
    [WAIT_MAX_WAIT - 1] = "max_wait",
    [WAIT_OUTPUT - 1] = "output",
  };
  luaL_checkstack(L, MEMBERS, NULL);
  for (int i = 0; i < MEMBERS; i++)
    lua_pushstring(L, names[i]);
}

/* The longest delay of a turn, in milliseconds. */
#define LONGEST_DELAY ((int64_t)1 << 50)

/* What a turn has beside its record: `asked` and `had` are those of its conditions, and of the path
** of its input. */
typedef struct TurnState {
  const char *record;
  size_t length;
  int64_t delay;
  BideAsked seen, of_path;
} TurnState;

static int64_t number_at(const char *bytes) {
  uint64_t value = 0;
  for (size_t i = sizeof value; i-- > 0;)
    value = value << 8 | (unsigned char)bytes[i];
  return (int64_t)value;
}

/* Reads what push_turn has written; the record stays in the text. */
static bool read_turn(TurnState *read, const char *text, size_t length) {
  size_t of_record = length > 0 ? (unsigned char)text[0] : 0;
  const char *numbers = text + 1 + of_record;
  if (length != 1 + of_record + TURN_NUMBERS * sizeof(uint64_t))
    return false;
  *read = (TurnState){.record = text + 1, .length = of_record, .delay = number_at(numbers)};
  read->seen.asked = (uint64_t)number_at(numbers + 8);
  read->seen.had = (uint64_t)number_at(numbers + 16);
  read->of_path.asked = (uint64_t)number_at(numbers + 24);
  read->of_path.had = (uint64_t)number_at(numbers + 32);
  return read->delay >= 0 && read->delay <= LONGEST_DELAY;
}

/* Returns an integer of the turn, which was checked by turns.read. */
static lua_Integer integer_of_turn(lua_State *L, Member member) {
  lua_Integer value;
  lua_pushvalue(L, lua_upvalueindex((int)member));
  lua_rawget(L, TURN);
  value = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return value;
}

/* Wraps as integers of Lua do: the clock of a store is input. */
static int64_t difference(lua_Integer later, lua_Integer earlier) {
  return (int64_t)((uint64_t)later - (uint64_t)earlier);
}

/* Returns whole milliseconds, rounded down, and not below 0. */
static int64_t milliseconds(int64_t microseconds) {
  return microseconds > 0 ? microseconds / 1000 : 0;
}

/*
** Reads the state of the turn, and returns the stack position of its kind: another one than KIND
** where its limits differ. Returns 0, and pushes the mistake, if it cannot be what bide wrote.
*/
static int read_state_of_turn(lua_State *L, int64_t since, BideWaiter *waiter, TurnState *read) {
  BideWaitKind *of = lua_touserdata(L, KIND);
  BideWaitLimits limits;
  BideError error;
  size_t length;
  const char *text;
  lua_pushvalue(L, lua_upvalueindex(STATE));
  lua_rawget(L, TURN);
  text = luaL_checklstring(L, -1, &length); /* the turn keeps it */
  lua_pop(L, 1);
  if (!read_turn(read, text, length)) {
    lua_pushliteral(L, "its state is broken");
  } else if (!read_record(waiter, &limits, read->record, read->length, since, &error)) {
    lua_pushliteral(L, "its state is broken, or of another version");
  } else if (waiter->attempts != (uint64_t)integer_of_turn(L, TURN_ATTEMPTS)) {
    lua_pushliteral(L, "its state is that of another attempt"); /* it would never be written */
  } else if (memcmp(&limits, &of->limits, sizeof limits) == 0) {
    waiter->limits = &of->limits;
    return KIND;
  } else {
    of = push_other_kind(L, &limits);
    waiter->limits = &of->limits;
    return lua_gettop(L);
  }
  return 0;
}

/* Returns nil, and the text on top. */
static int fail_with_text(lua_State *L) {
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

/* Sets a member of the table at `wait` to the value at `index`. */
static void set_member(lua_State *L, int wait, Member member, int index) {
  lua_pushvalue(L, lua_upvalueindex((int)member));
  lua_pushvalue(L, index);
  lua_rawset(L, wait);
}

/* Pushes the table of a wait, with room for what it has while it makes its attempt. */
static int push_wait(lua_State *L) {
  int wait;
  lua_createtable(L, 0, 8);
  wait = lua_gettop(L);
  set_member(L, wait, WAIT_INPUT, INPUT);
  set_member(L, wait, WAIT_KEY, TURN);
  if (!lua_isnil(L, OUTPUT)) {
    set_member(L, wait, WAIT_OUTPUT, OUTPUT);
    set_member(L, wait, WAIT_BEFORE, OUTPUT);
  }
  if (!lua_isnil(L, FAILURE)) {
    set_member(L, wait, WAIT_ERROR, FAILURE);
    lua_pushvalue(L, lua_upvalueindex(WAIT_HAS_MORE));
    lua_pushboolean(L, true);
    lua_rawset(L, wait);
  }
  lua_pushvalue(L, CLASS);
  lua_setmetatable(L, wait);
  return wait;
}

/*
** kind:take_up(turn, class, input, output | nil, error | nil, now, ahead, seed, call | nil)
**   -> wait, delay, asked, had | nil, mistake
** Continues the wait of a turn, or begins it with the seed if it has made no attempt, and sets its
** alarm. The wait is a table with the metatable `class`; the clock of the store is `ahead` of that
** of the loop, in microseconds. `delay` is the one that was to pass before the attempt; asked and
** had are those of the input's path.
*/
static int take_up(lua_State *L) {
  const BideWaitKind *of = bide_class_check(L, KIND, &kind_class);
  lua_Integer now, clock, left;
  int64_t since;
  int kind = KIND, wait;
  BideWaitState *state;
  BideWaiter waiter;
  TurnState read = {.delay = 0};
  luaL_checktype(L, TURN, LUA_TTABLE);
  luaL_checktype(L, CLASS, LUA_TTABLE);
  luaL_checkany(L, INPUT);
  now = luaL_checkinteger(L, CLOCK);
  clock = (lua_Integer)((uint64_t)now * 1000 + (uint64_t)luaL_checkinteger(L, AHEAD));
  luaL_checkinteger(L, SEED);
  lua_settop(L, CALL);
  since = (int64_t)((uint64_t)of->limits.max_wait * 1000);
  since = difference(integer_of_turn(L, TURN_DEADLINE), since);
  since = difference(now, milliseconds(difference(clock, since)));
  left = difference(integer_of_turn(L, TURN_DUE), clock);
  if (integer_of_turn(L, TURN_FORMAT) == 0)
    bide_waiter_init(&waiter, &of->limits, (uint64_t)lua_tointeger(L, SEED), since);
  else if ((kind = read_state_of_turn(L, since, &waiter, &read)) == 0)
    return fail_with_text(L);
  wait = push_wait(L);
  lua_pushvalue(L, CALL);
  *push_state(L, kind, wait) = waiter; /* … wait call state */
  state = lua_touserdata(L, -1);
  set_member(L, wait, STATE, lua_gettop(L));
  if (waiter.limits->max_wait != of->limits.max_wait) {
    lua_pushvalue(L, lua_upvalueindex(WAIT_MAX_WAIT));
    lua_pushinteger(L, waiter.limits->max_wait);
    lua_rawset(L, wait);
  }
  if (!lua_isnil(L, OUTPUT))
    bide_wait_state_look(L, state, of->definition, OUTPUT);
  state->seen.asked |= read.seen.asked;
  state->seen.had |= read.seen.had;
  bide_alarm_start(L, wait + 2, now + milliseconds(left > 0 ? left + 999 : 0));
  watch_deadline(L, state, waiter.attempts == 0);
  lua_settop(L, wait);
  lua_pushinteger(L, read.delay);
  lua_pushinteger(L, (lua_Integer)read.of_path.asked);
  lua_pushinteger(L, (lua_Integer)read.of_path.had);
  return 4;
}

/* state:save() -> its record, which wait.restore reads */
static int save(lua_State *L) {
  char text[BIDE_RECORD_TEXT];
  lua_pushlstring(L, text, bide_record_write(check_state(L), text));
  return 1;
}

/* Returns the form of a packed record at `index`, the first one by default. */
static int check_format(lua_State *L, int index) {
  lua_Integer format = luaL_optinteger(L, index, BIDE_RECORD_FORMAT);
  luaL_argcheck(L, format >= BIDE_RECORD_FORMAT && format <= BIDE_RECORD_NEWEST, index,
                "is no format of this program");
  return (int)format;
}

/* state:pack(format | nil) -> its record in a packed form */
static int pack(lua_State *L) {
  unsigned char bytes[BIDE_RECORD_BYTES];
  const BideWaiter *waiter = check_state(L);
  lua_pushlstring(L, (const char *)bytes, bide_record_pack(waiter, check_format(L, 2), bytes));
  return 1;
}

/* Writes a number with the least significant byte first. Returns what is behind it. */
static unsigned char *add_number(unsigned char *at, uint64_t value) {
  for (size_t i = 0; i < sizeof value; i++, value >>= 8)
    *at++ = (unsigned char)(value & 0xff);
  return at;
}

/*
** Pushes the state of a turn: the record, the delay before the next attempt, state:members(), and
** those of the input's path.
*/
static void push_turn(lua_State *L, const BideWaitState *state, int format, lua_Integer delay,
                      lua_Integer asked, lua_Integer had) {
  unsigned char bytes[TURN_BYTES], *at;
  size_t length = bide_record_pack(&state->waiter, format, bytes + 1);
  if (length > UCHAR_MAX)
    luaL_error(L, "the record of a wait has %d bytes", (int)length);
  bytes[0] = (unsigned char)length;
  at = add_number(bytes + 1 + length, (uint64_t)delay);
  at = add_number(at, state->seen.asked);
  at = add_number(at, state->seen.had);
  at = add_number(at, (uint64_t)asked);
  at = add_number(at, (uint64_t)had);
  lua_pushlstring(L, (const char *)bytes, (size_t)(at - bytes));
}

/*
** state:settle(now, delay, acceptor | nil, error | nil, note | nil, format, keeps, asked, had)
**   -> the state of a turn, the number of attempts
** With keeps, the next attempt follows here, as after state:retry; else the wait has ended here.
*/
static int settle(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  lua_Integer delay = luaL_checkinteger(L, 3), asked, had;
  bool keeps = lua_toboolean(L, 8);
  int format = check_format(L, 7);
  luaL_checkinteger(L, 2);
  asked = luaL_checkinteger(L, 9);
  had = luaL_checkinteger(L, 10);
  if (keeps) {
    bide_wait_state_retry(L);
  } else {
    bide_alarm_stop(L, 1);
    stop_watching(state);
  }
  push_turn(L, state, format, delay, asked, had);
  lua_pushinteger(L, (lua_Integer)state->waiter.attempts);
  return 2;
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
    watch_deadline(L, state, state->waiter.attempts == 0);
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
  stop_watching(state);
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

int64_t bide_wait_state_clock(lua_State *L, const BideWaitState *state) {
  BideLoop *loop = bide_host_loop(state->alarm.host);
  if (loop == NULL)
    luaL_error(L, "bide: the host is closed");
  bide_loop_update(loop);
  return bide_loop_now(loop);
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
    watch_deadline(L, state, false);
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
  lua_pushinteger(L, state->began - state->waiter.started);
  lua_pushinteger(L, now - state->began);
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
  if (!bide_random_bytes(&seed, sizeof seed))
    return luaL_error(L, "the system has no random bytes");
  lua_pushinteger(L, seed);
  return 1;
}

static const luaL_Reg state_methods[] = {
  {"__gc", collect_state},
  {"first", first},
  {"attempts", attempts},
  {"begin", begin},
  {"began", began},
  {"last", last},
  {"rings", rings},
  {"woken", woken},
  {"started", started},
  {"deadline", deadline},
  {"recall", bide_wait_state_recall},
  {"members", bide_wait_state_members},
  {"recall_members", bide_wait_state_recall_members},
  {"missing", bide_wait_state_missing},
  {"is_blind", bide_wait_state_is_blind},
  {"ring_at", ring_at},
  {"silence", silence},
  {"leave", leave},
  {"conclude", bide_wait_state_conclude},
  {"remember", bide_wait_state_remember},
  {"retry", bide_wait_state_retry},
  {"history", bide_wait_state_history},
  {"streak", streak},
  {"status", status},
  {"oversleep", oversleep},
  {"call", call},
  {"save", save},
  {"pack", pack},
  {"settle", settle},
  {NULL, NULL},
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

static const luaL_Reg kind_methods[] = {{"start", start}, {"restore", restore_one}, {NULL, NULL}};

static const luaL_Reg functions[] = {
  {"is_yes", is_yes},
  {"definition", bide_wait_definition_new},
  {"kind", kind},
  {"restore", restore},
  {"ceiling", ceiling},
  {"late_range", late_range},
  {"delay", delay},
  {"random_seed", random_seed},
  {"error_name", error_name},
  {"names", names},
  {NULL, NULL},
};

static void define_state(lua_State *L) {
  bide_class_define(L, &state_class, state_methods);
  bide_class_push(L, &state_class);
  lua_getfield(L, -1, "__index"); /* metatable methods */
  bide_wait_state_add_decisions(L);
  lua_pop(L, 2);
}

static void define_kind(lua_State *L) {
  bide_class_define(L, &kind_class, kind_methods);
  bide_class_push(L, &kind_class);
  lua_getfield(L, -1, "__index"); /* metatable methods */
  push_members(L);
  lua_pushcclosure(L, take_up, MEMBERS);
  lua_setfield(L, -2, "take_up");
  lua_pop(L, 2);
}

int bide_open_wait(lua_State *L) {
  bide_wait_definition_define(L);
  define_kind(L);
  define_state(L);
  luaL_newlib(L, functions);
  lua_pushinteger(L, BIDE_RECORD_FORMAT);
  lua_setfield(L, -2, "FORMAT");
  lua_pushinteger(L, BIDE_RECORD_NEWEST);
  lua_setfield(L, -2, "NEWEST");
  return 1;
}
