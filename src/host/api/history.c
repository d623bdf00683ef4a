/*
** The history of a wait, a part of bide.core.wait. Its entries are Lua tables for scripts, and
** are kept in as few bytes as they need.
*/
#include <lauxlib.h>
#include <string.h>

#include "host/api/wait_state.h"
#include "host/failure.h"
#include "host/values/document.h"

static const char *const state_names[] = {"success", "failure", "retry", NULL};

/* ---- from Lua ---------------------------------------------------------------------- */

static uint32_t read_state(lua_State *L, int index) {
  return BIDE_ATTEMPT_DECIDED + (uint32_t)luaL_checkoption(L, index, NULL, state_names);
}

/* Reads the member on top of the stack; returns false if BideAttempt has no such member. */
static bool read_member(lua_State *L, const char *name, BideAttempt *attempt) {
  int top = lua_gettop(L);
  if (strcmp(name, "at") == 0)
    attempt->at = luaL_checknumber(L, top);
  else if (strcmp(name, "duration") == 0)
    attempt->duration = luaL_checknumber(L, top);
  else if (strcmp(name, "delay") == 0)
    attempt->delay = luaL_checknumber(L, top);
  else if (strcmp(name, "acceptor") == 0)
    attempt->acceptor = (uint32_t)luaL_checkinteger(L, top);
  else if (strcmp(name, "state") == 0)
    attempt->state = read_state(L, top);
  else
    return strcmp(name, "attempt") == 0;
  return true;
}

/* Adds the member on top of the stack to the table at `details`, which is nil before the first. */
static void add_detail(lua_State *L, int details, const char *name) {
  if (lua_isnil(L, details)) {
    lua_newtable(L);
    lua_replace(L, details);
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, details, name);
}

/* Reads the entry at 2, and pushes a table of its other members at 3, or nil if it has none. */
static void read_entry(lua_State *L, BideAttempt *attempt) {
  *attempt = (BideAttempt){.delay = -1, .state = BIDE_ATTEMPT_CUT};
  lua_pushnil(L);
  for (lua_pushnil(L); lua_next(L, 2) != 0; lua_pop(L, 1)) {
    const char *name = lua_type(L, 4) == LUA_TSTRING ? lua_tostring(L, 4) : "?";
    if (!read_member(L, name, attempt))
      add_detail(L, 3, name);
  }
}

/* Replaces a table whose only member is an error by the error: most details are one error. */
static void shorten_details(lua_State *L) {
  if (lua_isnil(L, 3))
    return;
  lua_pushnil(L);
  lua_next(L, 3); /* state entry details name value */
  if (strcmp(lua_tostring(L, -2), "error") == 0 && bide_document_test(L, -1) != NULL) {
    lua_pushvalue(L, -2);
    if (lua_next(L, 3) == 0) {
      lua_replace(L, 3);
      lua_settop(L, 3);
      return;
    }
  }
  lua_settop(L, 3);
}

/* Keeps the details at 3, by the place of their attempt. Most waits never have details. */
static void keep_details(lua_State *L, size_t place) {
  if (lua_getiuservalue(L, 1, BIDE_WAIT_DETAILS) == LUA_TNIL) {
    if (lua_isnil(L, 3))
      return;
    lua_newtable(L);
    lua_pushvalue(L, -1); /* state entry details nil list list */
    lua_setiuservalue(L, 1, BIDE_WAIT_DETAILS);
  }
  lua_pushvalue(L, 3); /* … list details */
  lua_rawseti(L, -2, (lua_Integer)place + 1);
}

int bide_wait_state_remember(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  BideAttempt read, *attempt;
  lua_Integer number;
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_getfield(L, 2, "attempt");
  number = luaL_checkinteger(L, 3);
  luaL_argcheck(L, number > 0, 2, "attempts count from 1");
  lua_settop(L, 2);
  read_entry(L, &read);
  shorten_details(L);
  keep_details(L, bide_history_place((uint64_t)number));
  /* A finalizer may have added the attempt meanwhile. */
  luaL_argcheck(L, (uint64_t)number > state->history.count, 2, "an attempt of the past");
  attempt = bide_history_add(&state->history, (uint64_t)number);
  if (attempt == NULL)
    return bide_failure_no_memory(L);
  *attempt = read;
  return 0;
}

/* ---- to Lua --------------------------------------------------------------------- */

static void set_number(lua_State *L, const char *name, double number) {
  lua_pushnumber(L, number);
  lua_setfield(L, -2, name);
}

static void set_members(lua_State *L, uint64_t number, const BideAttempt *attempt) {
  lua_pushinteger(L, (lua_Integer)number);
  lua_setfield(L, -2, "attempt");
  set_number(L, "at", attempt->at);
  set_number(L, "duration", attempt->duration);
  if (attempt->delay >= 0)
    set_number(L, "delay", attempt->delay);
  if (attempt->state >= BIDE_ATTEMPT_DECIDED) {
    lua_pushstring(L, state_names[attempt->state - BIDE_ATTEMPT_DECIDED]);
    lua_setfield(L, -2, "state");
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
    lua_createtable(L, 0, 8);
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
