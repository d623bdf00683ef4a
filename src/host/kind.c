#include "host/kind.h"

#include <lauxlib.h>
#include <stdint.h>

bool bide_kind_push_mark(lua_State *L, const BideKind *kind) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, kind) == LUA_TTABLE)
    return false;
  lua_pop(L, 1);
  lua_createtable(L, 1, 4);
  lua_pushstring(L, kind->name);
  lua_setfield(L, -2, "__name");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, kind);
  return true;
}

/* The metatable bears its kind at 1, which is found faster than the metatable in the registry. */
bool bide_kind_push(lua_State *L, const BideKind *kind) {
  if (!bide_kind_push_mark(L, kind))
    return false;
  lua_pushlightuserdata(L, (void *)(uintptr_t)kind);
  lua_rawseti(L, -2, 1);
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
  bool is;
  if (memory == NULL || !lua_getmetatable(L, index))
    return NULL;
  lua_rawgeti(L, -1, 1);
  is = lua_touserdata(L, -1) == kind;
  lua_pop(L, 2);
  return is ? memory : NULL;
}

void *bide_kind_check(lua_State *L, int index, const BideKind *kind) {
  void *memory = bide_kind_test(L, index, kind);
  if (memory == NULL)
    luaL_typeerror(L, index, kind->name);
  return memory;
}
