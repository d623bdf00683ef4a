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

static void push_pretty(lua_State *L, const BideError *error, const char *kind, const char *text,
                        size_t length) {
  size_t begin = error->offset < length ? error->offset : length;
  size_t end = begin;
  luaL_Buffer buffer;
  while (begin > 0 && text[begin - 1] != '\n')
    begin--;
  while (end < length && text[end] != '\n')
    end++;
  luaL_buffinit(L, &buffer);
  luaL_addstring(&buffer, kind == NULL ? "" : kind);
  luaL_addstring(&buffer, kind == NULL ? "" : ": ");
  luaL_addstring(&buffer, error->message);
  luaL_addstring(&buffer, "\n  ");
  luaL_addlstring(&buffer, text + begin, end - begin);
  luaL_addstring(&buffer, "\n  ");
  for (int column = 1; column < error->column; column++)
    luaL_addchar(&buffer, ' ');
  luaL_addchar(&buffer, '^');
  luaL_pushresult(&buffer);
}

void bide_failure_add_text(lua_State *L, const BideError *error, const char *kind,
                           const char *text, size_t length) {
  lua_pushlstring(L, text, length);
  lua_setfield(L, -2, "expression");
  if (error->line == 0)
    return;
  push_pretty(L, error, kind, text, length);
  lua_setfield(L, -2, "pretty");
}

int bide_failure_push(lua_State *L, const BideError *error) {
  lua_pushnil(L);
  bide_failure_push_table(L, error);
  return 2;
}
