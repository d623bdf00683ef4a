#include "host/api/wait_definition.h"

#include <lauxlib.h>
#include <string.h>

#include "host/class.h"
#include "host/failure.h"
#include "host/values/document.h"
#include "host/values/scratch.h"
#include "host/values/script_functions.h"
#include "wait/matcher.h"

static const BideClass definition_class = {"bide.definition"};

BideDefinition *bide_wait_definition_check(lua_State *L, int index) {
  return bide_class_check(L, index, &definition_class);
}

BideState bide_wait_definition_check_state(lua_State *L, int index) {
  const char *given = luaL_checkstring(L, index), *name;
  for (int i = 0; (name = bide_state_name((BideState)i)) != NULL; i++)
    if (strcmp(given, name) == 0)
      return (BideState)i;
  luaL_argerror(L, index, lua_pushfstring(L, "invalid option '%s'", given));
  return BIDE_RETRY;
}

/* Returns the state of the acceptor on top of the stack. */
static BideState state_of_acceptor(lua_State *L) {
  BideState state;
  lua_getfield(L, -1, "state");
  state = bide_wait_definition_check_state(L, lua_gettop(L));
  lua_pop(L, 1);
  return state;
}

/*
** Pushes the argument of the matcher on top of the stack; the loader has checked that it has one.
*/
static const BideMatcherKind *push_argument(lua_State *L) {
  const BideMatcherKind *kind = bide_matcher_kinds;
  int matcher = lua_gettop(L);
  luaL_checktype(L, matcher, LUA_TTABLE);
  while (kind->name != NULL && lua_getfield(L, matcher, kind->name) == LUA_TNIL) {
    lua_pop(L, 1);
    kind++;
  }
  if (kind->name == NULL)
    luaL_error(L, "a matcher must have a member");
  return kind;
}

/* Adds the acceptor on top of the stack. `arena` and the table at `keep` hold what is read. */
static bool add_acceptor(lua_State *L, BideDefinition *definition, BideArena *arena, int keep,
                         BideError *error) {
  BideState state = state_of_acceptor(L);
  const BideMatcherKind *kind;
  BideValue argument = bide_value_null();
  lua_getfield(L, -1, "matcher");
  kind = push_argument(L);
  if (kind->compile != NULL && !bide_document_from_lua(L, -1, keep, arena, &argument, error))
    return false;
  if (!bide_definition_add(definition, state, kind, &argument, error))
    return false;
  lua_pop(L, 2); /* … acceptor */
  if (lua_getfield(L, -1, "until") == LUA_TBOOLEAN && lua_toboolean(L, -1))
    bide_definition_set_until(definition);
  return true;
}

/* Returns a field that is a whole number, 0 or more; `otherwise` if it is absent. */
static lua_Integer option_of(lua_State *L, int index, const char *field, lua_Integer otherwise) {
  lua_Integer value = otherwise;
  if (lua_getfield(L, index, field) != LUA_TNIL) {
    if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 0)
      luaL_error(L, "%s must be a whole number, 0 or more", field);
    value = lua_tointeger(L, -1);
  }
  lua_pop(L, 1);
  return value;
}

/* The limits were checked by wait/limits.lua: an error here is a fault of bide. */
BideWaitLimits bide_wait_definition_check_limits(lua_State *L, int index) {
  BideWaitLimits limits;
  BideError error;
  luaL_checktype(L, index, LUA_TTABLE);
  for (size_t i = 0; i < BIDE_WAIT_LIMITS; i++) {
    const BideWaitLimit *row = &bide_wait_limits[i];
    bide_wait_limits_set(&limits, row, option_of(L, index, row->name, row->otherwise));
  }
  if (!bide_wait_limits_check(&limits, &error))
    luaL_argerror(L, index, error.message);
  return limits;
}

static BideSpan span_of(lua_State *L, int index, const char *attempts, const char *time) {
  return (BideSpan){(uint64_t)option_of(L, index, attempts, 0), option_of(L, index, time, 0)};
}

/* Adds what is beyond the specification: nil, or { hold_attempts, hold_time, watched = path }. */
static bool add_beyond(lua_State *L, int index, BideDefinition *definition, BideError *error) {
  BideText path;
  if (lua_isnoneornil(L, index))
    return true;
  definition->hold = span_of(L, index, "hold_attempts", "hold_time");
  if (lua_getfield(L, index, "watched") != LUA_TSTRING)
    return true;
  path.bytes = lua_tolstring(L, -1, &path.length);
  return bide_definition_watch(definition, path, error);
}

/* Raises that a definition cannot be compiled; lack of memory as Lua raises it. */
static int fail_to_compile(lua_State *L, const char *place, const BideError *error) {
  if (error->code == BIDE_ERROR_MEMORY)
    return bide_failure_no_memory(L);
  return luaL_error(L, "%s%s", place, error->message);
}

static void add_acceptors(lua_State *L, int index, lua_Integer count, BideDefinition *definition) {
  BideScratch *scratch = bide_scratch_push(L);
  BideError error = {.code = BIDE_OK};
  int top;
  lua_pushnil(L); /* … scratch keep */
  top = lua_gettop(L);
  for (lua_Integer position = 1; position <= count; position++) {
    lua_geti(L, index, position);
    if (!add_acceptor(L, definition, &scratch->arena, top, &error))
      fail_to_compile(L, lua_pushfstring(L, "acceptors[%I]: ", (LUAI_UACINT)position), &error);
    lua_settop(L, top);
  }
  bide_scratch_free(scratch);
  lua_settop(L, top - 2);
}

int bide_wait_definition_new(lua_State *L) {
  BideBackoff backoff = {luaL_checkinteger(L, 1), luaL_checkinteger(L, 2), 0};
  BideError error = {.code = BIDE_OK};
  BideDefinition *result;
  lua_Integer count;
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 4);
  count = luaL_len(L, 3);
  result = lua_newuserdatauv(L, sizeof *result, 0);
  memset(result, 0, sizeof *result);
  bide_class_set(L, &definition_class);
  if (!bide_definition_init(result, backoff, &error))
    return fail_to_compile(L, "", &error);
  result->functions = bide_script_functions_of(L);
  add_acceptors(L, 3, count, result);
  if (!add_beyond(L, 4, result, &error))
    return fail_to_compile(L, "", &error);
  lua_settop(L, 5);
  return 1;
}

static int collect(lua_State *L) {
  bide_definition_free(bide_wait_definition_check(L, 1));
  return 0;
}

static const luaL_Reg methods[] = {{"__gc", collect}, {NULL, NULL}};

void bide_wait_definition_define(lua_State *L) {
  bide_class_define(L, &definition_class, methods);
}
