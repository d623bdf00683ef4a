#include "host/kind.h"

#include <lauxlib.h>

bool bide_kind_push_mark(lua_State *L, const BideKind *kind) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, kind) == LUA_TTABLE)
    return false;
  lua_pop(L, 1);
  lua_createtable(L, 0, 4);
  lua_pushstring(L, kind->name);
  lua_setfield(L, -2, "__name");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, kind);
  return true;
}

bool bide_kind_push(lua_State *L, const BideKind *kind) {
  if (!bide_kind_push_mark(L, kind))
    return false;
  lua_pushstring(L, kind->name);
  lua_setfield(L, -2, "__metatable");
  return true;
}

void bide_kind_set(lua_State *L, const BideKind *kind) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, kind);
  lua_setmetatable(L, -2);
}

bool bide_kind_is(lua_State *L, int index, const BideKind *kind) {
  bool is;
  if (!lua_getmetatable(L, index))
    return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, kind);
  is = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is;
}

void *bide_kind_test(lua_State *L, int index, const BideKind *kind) {
  void *memory = lua_touserdata(L, index);
  return memory != NULL && bide_kind_is(L, index, kind) ? memory : NULL;
}

void *bide_kind_check(lua_State *L, int index, const BideKind *kind) {
  void *memory = bide_kind_test(L, index, kind);
  if (memory == NULL)
    luaL_typeerror(L, index, kind->name);
  return memory;
}
