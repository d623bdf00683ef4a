/*
** The history of a wait, a part of bide.core.wait. Its entries become Lua tables for scripts, and
** are kept in as few bytes as they need.
*/
#include <lauxlib.h>

#include "host/api/wait_state.h"
#include "host/failure.h"
#include "host/values/document.h"

/* ---- from Lua ---------------------------------------------------------------------- */

/* The arguments of state:remember, and of state:retry. */
enum { NUMBER = 2, BEGAN, ENDED, STATE, ACCEPTOR, DELAY, FAILURE, NOTE, WOKEN };
enum { NOW = 2, NEXT_DELAY, RETRIED_ACCEPTOR, RETRIED_FAILURE, RETRIED_NOTE };

static int64_t difference(lua_Integer later, lua_Integer earlier) {
  return (int64_t)((uint64_t)later - (uint64_t)earlier);
}

static BideAttempt read_attempt(lua_State *L, const BideWaitState *state) {
  lua_Integer began = luaL_checkinteger(L, BEGAN);
  BideAttempt attempt = {
    .at = difference(began, state->waiter.started),
    .duration = difference(luaL_checkinteger(L, ENDED), began),
    .delay = luaL_optinteger(L, DELAY, -1),
    .acceptor = (uint32_t)luaL_optinteger(L, ACCEPTOR, 0),
    .state = BIDE_ATTEMPT_CUT,
    .is_woken = (uint16_t)lua_toboolean(L, WOKEN),
  };
  if (!lua_isnil(L, STATE))
    attempt.state = (uint16_t)(BIDE_ATTEMPT_DECIDED + (int)bide_wait_state_check_name(L, STATE));
  return attempt;
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

int bide_wait_state_remember(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  lua_Integer number = luaL_checkinteger(L, NUMBER);
  BideAttempt read;
  lua_settop(L, WOKEN);
  luaL_argcheck(L, number > 0, NUMBER, "attempts count from 1");
  read = read_attempt(L, state);
  add_attempt(L, state, (uint64_t)number, &read, FAILURE, NOTE);
  return 0;
}

int bide_wait_state_retry(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  lua_Integer now = luaL_checkinteger(L, NOW);
  BideAttempt read = {
    .at = difference(state->began, state->waiter.started),
    .duration = difference(now, state->began),
    .delay = luaL_checkinteger(L, NEXT_DELAY),
    .acceptor = (uint32_t)luaL_optinteger(L, RETRIED_ACCEPTOR, 0),
    .state = BIDE_ATTEMPT_DECIDED + BIDE_RETRY,
    .is_woken = state->is_woken,
  };
  lua_settop(L, RETRIED_NOTE);
  luaL_argcheck(L, state->waiter.attempts > 0, 1, "no attempt was begun");
  add_attempt(L, state, state->waiter.attempts, &read, RETRIED_FAILURE, RETRIED_NOTE);
  bide_alarm_start(L, 1, (lua_Integer)((lua_Unsigned)now + (lua_Unsigned)read.delay));
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

int bide_wait_state_history(lua_State *L) {
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
