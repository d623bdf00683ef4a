/*
** The history of a wait, a part of bide.core.wait. Its entries become Lua tables for scripts, and
** are kept in as few bytes as they need.
*/
#include <lauxlib.h>

#include "host/api/wait_definition.h"
#include "host/api/wait_state.h"
#include "host/argument.h"
#include "host/failure.h"
#include "host/values/document.h"

/* ---- from Lua ---------------------------------------------------------------------- */

/* An attempt as state:history gives it is the table at this index. */
#define ENTRY 2

/* The arguments of state:retry and of state:conclude. */
enum { NOW = 2, DELAY, ACCEPTOR, FAILURE, NOTE };
#define STATE DELAY

/* The longest time of an entry, in seconds. */
#define LONGEST 1e12

/* Returns a time of the entry in milliseconds; `otherwise` if it is absent. */
static int64_t time_of(lua_State *L, const char *name, int64_t otherwise) {
  int64_t time = otherwise;
  lua_pushstring(L, name);
  if (lua_rawget(L, ENTRY) != LUA_TNIL) {
    lua_Number seconds = luaL_checknumber(L, -1);
    luaL_argcheck(L, seconds >= 0 && seconds <= LONGEST, ENTRY, name);
    time = (int64_t)(seconds * 1000 + 0.5);
  }
  lua_pop(L, 1);
  return time;
}

/* Pushes a member of the entry, and returns its position. */
static int push_member(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_rawget(L, ENTRY);
  return lua_gettop(L);
}

/* Returns the state whose name, or nil for an attempt that was cut, is at `index`. */
static uint16_t state_at(lua_State *L, int index) {
  if (lua_isnil(L, index))
    return BIDE_ATTEMPT_CUT;
  return (uint16_t)(BIDE_ATTEMPT_DECIDED + (int)bide_wait_definition_check_state(L, index));
}

/* Returns the position of the acceptor at `index`; 0 for nil, if none decided. */
static uint32_t acceptor_at(lua_State *L, int index) {
  return lua_isnoneornil(L, index) ? 0 : (uint32_t)bide_argument_int(L, index, 0);
}

/* Pushes the members of BIDE_WAIT_DETAILS: nil, the error, or a table if there is a note. */
static void push_details(lua_State *L, int failure, int note) {
  if (!lua_isnil(L, failure))
    bide_document_check(L, failure);
  if (luaL_optstring(L, note, NULL) == NULL) {
    lua_pushvalue(L, failure);
    return;
  }
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, failure);
  lua_setfield(L, -2, "error");
  lua_pushvalue(L, note);
  lua_setfield(L, -2, "note");
}

/* Keeps the details on top, by the place of their attempt. Most waits never have details. */
static void keep_details(lua_State *L, size_t place) {
  int details = lua_gettop(L);
  if (lua_getiuservalue(L, 1, BIDE_WAIT_DETAILS) == LUA_TNIL) {
    if (lua_isnil(L, details))
      return;
    lua_newtable(L);
    lua_pushvalue(L, -1); /* … details nil list list */
    lua_setiuservalue(L, 1, BIDE_WAIT_DETAILS);
  }
  lua_pushvalue(L, details); /* … list details */
  lua_rawseti(L, -2, (lua_Integer)place + 1);
}

/* Adds an attempt, with the failure and the note at these positions of the stack. */
static void add_attempt(lua_State *L, BideWaitState *state, uint64_t number,
                        const BideAttempt *read, int failure, int note) {
  BideAttempt *attempt;
  push_details(L, failure, note);
  keep_details(L, bide_history_place(number));
  /* A finalizer may have added the attempt meanwhile. */
  if (number <= state->history.count)
    luaL_error(L, "attempt %I is one of the past", (LUAI_UACINT)number);
  attempt = bide_history_add(&state->history, number);
  if (attempt == NULL)
    bide_failure_no_memory(L);
  else
    *attempt = *read;
}

/* state:remember(entry): adds an attempt of an earlier process, as state:history gives it */
static int remember(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  lua_Integer number;
  BideAttempt read;
  int failure, note;
  luaL_checktype(L, ENTRY, LUA_TTABLE);
  lua_settop(L, ENTRY);
  number = luaL_checkinteger(L, push_member(L, "attempt"));
  luaL_argcheck(L, number > 0, ENTRY, "attempts count from 1");
  read.at = time_of(L, "at", 0);
  read.duration = time_of(L, "duration", 0);
  read.delay = time_of(L, "delay", -1);
  read.state = state_at(L, push_member(L, "state"));
  read.acceptor = acceptor_at(L, push_member(L, "acceptor"));
  read.is_woken = (uint16_t)lua_toboolean(L, push_member(L, "woken"));
  failure = push_member(L, "error");
  note = push_member(L, "note");
  add_attempt(L, state, (uint64_t)number, &read, failure, note);
  return 0;
}

/* Adds the attempt that was begun last, by the arguments of the method. */
static void add_last(lua_State *L, BideWaitState *state, uint16_t decided, int64_t delay) {
  BideAttempt read = {
    .at = bide_wait_state_difference(state->began, state->waiter.started),
    .duration = bide_wait_state_difference(luaL_checkinteger(L, NOW), state->began),
    .delay = delay,
    .acceptor = acceptor_at(L, ACCEPTOR),
    .state = decided,
    .is_woken = state->waiter.is_woken,
  };
  lua_settop(L, NOTE);
  luaL_argcheck(L, state->waiter.attempts > 0, 1, "no attempt was begun");
  add_attempt(L, state, state->waiter.attempts, &read, FAILURE, NOTE);
}

/*
** state:conclude(now, state | nil, acceptor | nil, error | nil, note | nil): adds the attempt that
** was begun last; the error is a document
*/
static int conclude(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  luaL_checkany(L, STATE);
  add_last(L, state, state_at(L, STATE), -1);
  return 0;
}

int bide_wait_state_retry(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  lua_Integer now = luaL_checkinteger(L, NOW), delay = luaL_checkinteger(L, DELAY);
  add_last(L, state, BIDE_ATTEMPT_DECIDED + (int)BIDE_RETRY, delay);
  bide_alarm_start(L, 1, bide_wait_state_sum(now, delay));
  return 0;
}

/* ---- to Lua --------------------------------------------------------------------- */

static void set_seconds(lua_State *L, const char *name, int64_t milliseconds) {
  lua_pushnumber(L, (double)milliseconds / 1000);
  lua_setfield(L, -2, name);
}

static void set_members(lua_State *L, uint64_t number, const BideAttempt *attempt) {
  lua_pushinteger(L, (lua_Integer)number);
  lua_setfield(L, -2, "attempt");
  set_seconds(L, "at", attempt->at);
  set_seconds(L, "duration", attempt->duration);
  if (attempt->delay >= 0)
    set_seconds(L, "delay", attempt->delay);
  if (attempt->state >= BIDE_ATTEMPT_DECIDED) {
    lua_pushstring(L, bide_state_name((BideState)(attempt->state - BIDE_ATTEMPT_DECIDED)));
    lua_setfield(L, -2, "state");
  }
  if (attempt->is_woken) {
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "woken");
  }
  if (attempt->acceptor == 0)
    return;
  lua_pushinteger(L, attempt->acceptor);
  lua_setfield(L, -2, "acceptor");
}

/* Pops the details on top of the stack, and adds them to the entry below. */
static void set_details(lua_State *L) {
  int entry = lua_gettop(L) - 1, details = entry + 1;
  if (lua_type(L, details) == LUA_TUSERDATA) {
    lua_setfield(L, entry, "error");
    return;
  }
  if (lua_istable(L, details))
    for (lua_pushnil(L); lua_next(L, details) != 0;) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2); /* entry details name name value */
      lua_rawset(L, entry);
    }
  lua_settop(L, entry);
}

/* state:history() -> entries, omitted */
static int history_of(lua_State *L) {
  BideHistory *history = &bide_wait_state_check(L)->history;
  lua_Integer count = 0;
  uint64_t number = 0;
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, BIDE_WAIT_DETAILS);
  lua_newtable(L); /* state details list */
  while ((number = bide_history_next(history, number)) != 0) {
    size_t place = bide_history_place(number);
    BideAttempt attempt = history->attempts[place]; /* a copy: a finalizer may add attempts */
    lua_createtable(L, 0, 9);
    set_members(L, number, &attempt);
    if (lua_istable(L, 2)) {
      lua_rawgeti(L, 2, (lua_Integer)place + 1); /* state details list entry its details */
      set_details(L);
    }
    lua_rawseti(L, 3, ++count);
  }
  lua_pushinteger(L, (lua_Integer)bide_history_omitted(history));
  return 2;
}

void bide_wait_history_add_to_state(lua_State *L) {
  static const luaL_Reg methods[] = {{"remember", remember},
                                     {"conclude", conclude},
                                     {"retry", bide_wait_state_retry},
                                     {"history", history_of},
                                     {NULL, NULL}};
  luaL_setfuncs(L, methods, 0);
}
