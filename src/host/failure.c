#include "host/failure.h"

#include <lauxlib.h>

#define FAILURE "bide.failure"

static int failure_tostring(lua_State *L) {
  const char *message;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_getfield(L, 1, "line");
  lua_getfield(L, 1, "column");
  lua_getfield(L, 1, "message");
  message = luaL_tolstring(L, -1, NULL);
  if (lua_isinteger(L, 2) && lua_isinteger(L, 3))
    lua_pushfstring(L, "%s at line %I, column %I", message, (LUAI_UACINT)lua_tointeger(L, 2),
                    (LUAI_UACINT)lua_tointeger(L, 3));
  return 1;
}

static void set_integer(lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

void bide_failure_push_table(lua_State *L, const BideError *error) {
  lua_createtable(L, 0, 7);
  lua_pushstring(L, bide_error_name(error->code));
  lua_setfield(L, -2, "kind");
  lua_pushstring(L, error->message);
  lua_setfield(L, -2, "message");
  if (error->line > 0) {
    set_integer(L, "line", error->line);
    set_integer(L, "column", error->column);
    set_integer(L, "offset", (lua_Integer)error->offset);
  }
  if (luaL_newmetatable(L, FAILURE)) {
    lua_pushcfunction(L, failure_tostring);
    lua_setfield(L, -2, "__tostring");
  }
  lua_setmetatable(L, -2);
}

int bide_failure_push(lua_State *L, const BideError *error) {
  lua_pushnil(L);
  bide_failure_push_table(L, error);
  return 2;
}
