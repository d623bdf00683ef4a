/*
** Waits that another process continues, a part of bide.core.wait: their records, and the turns of a
** store, which have a record and what its waits have beside it.
*/
#include <lauxlib.h>
#include <limits.h>
#include <string.h>

#include "host/api/wait_definition.h"
#include "host/api/wait_state.h"
#include "host/failure.h"
#include "host/members.h"
#include "wait/record.h"

/* ---- records ---------------------------------------------------------------- */

/* Reads a record in any of its forms. */
static bool read_record(BideWaiter *waiter, BideWaitLimits *limits, const char *text, size_t length,
                        int64_t since, BideError *error) {
  bool is_packed = length > 0 && text[0] >= BIDE_RECORD_FORMAT && text[0] <= BIDE_RECORD_NEWEST;
  if (is_packed)
    return bide_record_unpack(waiter, limits, (const unsigned char *)text, length, since, error);
  return bide_record_read(waiter, limits, text, length, since, error);
}

/*
** Gives a wait the limits of its record, which mostly are those of the kind at 1. Returns the stack
** position of its kind: another one, which is pushed, where they differ.
*/
static int set_limits(lua_State *L, BideWaiter *waiter, const BideWaitLimits *limits) {
  BideWaitKind *of = lua_touserdata(L, 1);
  int top = lua_gettop(L), kind = 1;
  if (memcmp(limits, &of->limits, sizeof *limits) != 0) {
    lua_getiuservalue(L, 1, BIDE_WAIT_DEFINITION);
    lua_getiuservalue(L, 1, BIDE_WAIT_RING);
    of = bide_wait_kind_push(L, top + 1, top + 2);
    of->limits = *limits;
    kind = top + 3;
  }
  waiter->limits = &of->limits;
  return kind;
}

/* kind:restore(record, started, argument, call | nil) -> state | nil, failure */
static int restore(lua_State *L) {
  size_t length;
  const char *text;
  lua_Integer since;
  BideWaitLimits limits;
  BideWaiter waiter;
  BideError error;
  int kind;
  bide_wait_kind_check(L);
  text = luaL_checklstring(L, 2, &length);
  since = luaL_checkinteger(L, 3);
  lua_settop(L, 5);
  if (!read_record(&waiter, &limits, text, length, since, &error))
    return bide_failure_push(L, &error);
  kind = set_limits(L, &waiter, &limits);
  bide_wait_state_push(L, kind, 4)->waiter = waiter;
  return 1;
}

/* wait.restore(definition, record, started) -> state without an alarm | nil, failure */
static int restore_alone(lua_State *L) {
  bide_wait_definition_check(L, 1);
  lua_settop(L, 4); /* definition record started nil */
  bide_wait_kind_push(L, 1, 4);
  lua_replace(L, 1);
  return restore(L);
}

/* state:save() -> its record, which wait.restore reads */
static int save(lua_State *L) {
  char text[BIDE_RECORD_TEXT];
  lua_pushlstring(L, text, bide_record_write(&bide_wait_state_check(L)->waiter, text));
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
  const BideWaiter *waiter = &bide_wait_state_check(L)->waiter;
  lua_pushlstring(L, (const char *)bytes, bide_record_pack(waiter, check_format(L, 2), bytes));
  return 1;
}

/* ---- the state of a turn ---------------------------------------------------- */

/*
** It is "<s1i8i8i8i8i8": the record, the delay before the next attempt in milliseconds, what
** state:members() returns, and the same of the input's path.
*/
enum { DELAY, ASKED, HAD, ASKED_OF_PATH, HAD_OF_PATH, NUMBERS };

#define NUMBER_BYTES sizeof(uint64_t)

/* The longest delay of a turn. */
#define LONGEST_DELAY ((uint64_t)1 << 50)

static void push_turn(lua_State *L, const BideWaiter *waiter, int format,
                      const uint64_t numbers[NUMBERS]) {
  unsigned char bytes[1 + BIDE_RECORD_BYTES + NUMBERS * NUMBER_BYTES], *at;
  size_t length = bide_record_pack(waiter, format, bytes + 1);
  if (length > UCHAR_MAX)
    luaL_error(L, "the record of a wait has %d bytes", (int)length);
  bytes[0] = (unsigned char)length;
  at = bytes + 1 + length;
  for (size_t i = 0; i < NUMBERS * NUMBER_BYTES; i++)
    *at++ = (unsigned char)(numbers[i / NUMBER_BYTES] >> i % NUMBER_BYTES * 8 & 0xff);
  lua_pushlstring(L, (const char *)bytes, (size_t)(at - bytes));
}

/* Reads the numbers of what push_turn has written; the record, behind its length, stays there. */
static bool read_turn(const unsigned char *bytes, size_t length, uint64_t numbers[NUMBERS]) {
  if (length == 0 || length != 1 + (size_t)bytes[0] + NUMBERS * NUMBER_BYTES)
    return false;
  memset(numbers, 0, NUMBERS * sizeof *numbers);
  for (size_t i = 0; i < NUMBERS * NUMBER_BYTES; i++)
    numbers[i / NUMBER_BYTES] |= (uint64_t)bytes[1 + bytes[0] + i] << i % NUMBER_BYTES * 8;
  return numbers[DELAY] <= LONGEST_DELAY;
}

/* ---- a turn of a store ------------------------------------------------------ */

/* The arguments of kind:take_up. */
enum { KIND = 1, TURN, CLASS, INPUT, OUTPUT, FAILURE, CLOCK, AHEAD, SEED, CALL };

/* The members of a turn that it reads, and of a wait that it sets. */
enum {
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
  WAIT_OUTPUT,
  MEMBERS = WAIT_OUTPUT
};

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

/* Returns whole milliseconds, rounded down, and not below 0. */
static int64_t milliseconds(int64_t microseconds) {
  return microseconds > 0 ? microseconds / 1000 : 0;
}

/*
** Reads the state of the turn, and returns the stack position of its kind. Returns 0, and pushes
** the mistake, if it cannot be what bide wrote.
*/
static int read_state_of_turn(lua_State *L, int64_t since, BideWaiter *waiter,
                              uint64_t numbers[NUMBERS]) {
  BideWaitLimits limits;
  BideError error;
  size_t length;
  const char *text;
  bide_member_push(L, TURN, STATE);
  text = luaL_checklstring(L, -1, &length); /* the turn keeps it */
  lua_pop(L, 1);
  if (!read_turn((const unsigned char *)text, length, numbers))
    lua_pushliteral(L, "its state is broken");
  else if (!read_record(waiter, &limits, text + 1, (unsigned char)text[0], since, &error))
    lua_pushliteral(L, "its state is broken, or of another version");
  else if (waiter->attempts != (uint64_t)bide_member_integer(L, TURN, TURN_ATTEMPTS))
    lua_pushliteral(L, "its state is that of another attempt"); /* it would never be written */
  else
    return set_limits(L, waiter, &limits);
  return 0;
}

/* Sets a member of the table at `wait` to the value at `index`. */
static void set_member(lua_State *L, int wait, int member, int index) {
  lua_pushvalue(L, lua_upvalueindex(member));
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
  const BideWaitKind *of = bide_wait_kind_check(L);
  lua_Integer now, clock, left;
  int64_t since;
  int kind = KIND, wait;
  BideWaitState *state;
  BideWaiter waiter;
  uint64_t numbers[NUMBERS] = {0};
  luaL_checktype(L, TURN, LUA_TTABLE);
  luaL_checktype(L, CLASS, LUA_TTABLE);
  luaL_checkany(L, INPUT);
  now = luaL_checkinteger(L, CLOCK);
  clock = (lua_Integer)((uint64_t)now * 1000 + (uint64_t)luaL_checkinteger(L, AHEAD));
  luaL_checkinteger(L, SEED);
  lua_settop(L, CALL);
  since = (int64_t)((uint64_t)of->limits.max_wait * 1000);
  since = bide_wait_state_difference(bide_member_integer(L, TURN, TURN_DEADLINE), since);
  since = bide_wait_state_difference(now, milliseconds(bide_wait_state_difference(clock, since)));
  left = bide_wait_state_difference(bide_member_integer(L, TURN, TURN_DUE), clock);
  if (bide_member_integer(L, TURN, TURN_FORMAT) == 0) {
    bide_waiter_init(&waiter, &of->limits, (uint64_t)lua_tointeger(L, SEED), since);
  } else if ((kind = read_state_of_turn(L, since, &waiter, numbers)) == 0) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  wait = push_wait(L);
  lua_pushvalue(L, CALL);
  state = bide_wait_state_push(L, kind, wait); /* … wait call state */
  state->waiter = waiter;
  set_member(L, wait, STATE, lua_gettop(L));
  if (waiter.limits->max_wait != of->limits.max_wait) {
    lua_pushvalue(L, lua_upvalueindex(WAIT_MAX_WAIT));
    lua_pushinteger(L, waiter.limits->max_wait);
    lua_rawset(L, wait);
  }
  if (!lua_isnil(L, OUTPUT))
    bide_wait_state_look(L, state, of->definition, OUTPUT);
  state->seen.asked |= numbers[ASKED];
  state->seen.had |= numbers[HAD];
  bide_alarm_start(L, wait + 2,
                   bide_wait_state_sum(now, milliseconds(left) + (left > 0 && left % 1000 != 0)));
  bide_wait_state_watch(L, state, waiter.attempts == 0);
  lua_settop(L, wait);
  lua_pushinteger(L, (lua_Integer)numbers[DELAY]);
  lua_pushinteger(L, (lua_Integer)numbers[ASKED_OF_PATH]);
  lua_pushinteger(L, (lua_Integer)numbers[HAD_OF_PATH]);
  return 4;
}

/*
** state:settle(now, delay, acceptor | nil, error | nil, note | nil, format, keeps, asked, had)
**   -> the state of a turn, the number of attempts
** With keeps, the next attempt follows here, as after state:retry; else the wait has ended here,
** and its state is another one's from now on.
*/
static int settle(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  uint64_t numbers[NUMBERS] = {[DELAY] = (uint64_t)luaL_checkinteger(L, 3)};
  int format = check_format(L, 7);
  bool keeps = lua_toboolean(L, 8);
  luaL_checkinteger(L, 2);
  luaL_argcheck(L, !state->is_spare, 1, "was given back");
  numbers[ASKED_OF_PATH] = (uint64_t)luaL_checkinteger(L, 9);
  numbers[HAD_OF_PATH] = (uint64_t)luaL_checkinteger(L, 10);
  if (keeps) {
    bide_wait_state_retry(L); /* which leaves few arguments */
  } else {
    bide_alarm_stop(L, 1);
    bide_wait_state_unwatch(state);
  }
  numbers[ASKED] = state->seen.asked;
  numbers[HAD] = state->seen.had;
  push_turn(L, &state->waiter, format, numbers);
  lua_pushinteger(L, (lua_Integer)state->waiter.attempts);
  if (!keeps)
    bide_wait_state_give_back(L, state);
  return 2;
}

void bide_wait_record_add_to_state(lua_State *L) {
  static const luaL_Reg methods[] = {
    {"save", save}, {"pack", pack}, {"settle", settle}, {NULL, NULL}};
  luaL_setfuncs(L, methods, 0);
}

void bide_wait_record_add_to_kind(lua_State *L) {
  static const luaL_Reg methods[] = {{"restore", restore}, {"take_up", take_up}, {NULL, NULL}};
  bide_members_set_functions(L, methods, names, MEMBERS);
}

void bide_wait_record_add_to_module(lua_State *L) {
  lua_pushcfunction(L, restore_alone);
  lua_setfield(L, -2, "restore");
  lua_pushinteger(L, BIDE_RECORD_FORMAT);
  lua_setfield(L, -2, "FORMAT");
  lua_pushinteger(L, BIDE_RECORD_NEWEST);
  lua_setfield(L, -2, "NEWEST");
}
