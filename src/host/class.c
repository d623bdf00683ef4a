#include "host/class.h"

#include <stdint.h>
#include <string.h>

bool bide_class_push_mark(lua_State *L, const BideClass *class) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, class) == LUA_TTABLE)
    return false;
  lua_pop(L, 1);
  lua_createtable(L, 1, 4); /* metatable */
  lua_pushstring(L, class->name);
  lua_setfield(L, -2, "__name");
  lua_pushvalue(L, -1); /* metatable metatable */
  lua_rawsetp(L, LUA_REGISTRYINDEX, class);
  return true;
}

/*
** The class is at 1 of the metatable, where it is found faster than the metatable in the
** registry.
*/
bool bide_class_push(lua_State *L, const BideClass *class) {
  if (!bide_class_push_mark(L, class))
    return false;
  lua_pushlightuserdata(L, (void *)(uintptr_t) class);
  lua_rawseti(L, -2, 1);
  lua_pushstring(L, class->name);
  lua_setfield(L, -2, "__metatable");
  return true;
}

void bide_class_define(lua_State *L, const BideClass *class, const luaL_Reg *methods) {
  bide_class_push(L, class);
  lua_newtable(L); /* metatable methods */
  for (; methods->name != NULL; methods++) {
    lua_pushcfunction(L, methods->func);
    lua_setfield(L, strncmp(methods->name, "__", 2) == 0 ? -3 : -2, methods->name);
  }
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

void bide_class_set(lua_State *L, const BideClass *class) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, class);
  lua_setmetatable(L, -2);
}

bool bide_class_is(lua_State *L, int index, const BideClass *class) {
  bool is;
  if (!lua_getmetatable(L, index))
    return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, class); /* its metatable, that of the class */
  is = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is;
}

void *bide_class_test(lua_State *L, int index, const BideClass *class) {
  void *memory = lua_touserdata(L, index);
  bool is;
  if (memory == NULL || !lua_getmetatable(L, index))
    return NULL;
  lua_rawgeti(L, -1, 1); /* metatable class */
  is = lua_touserdata(L, -1) == class;
  lua_pop(L, 2);
  return is ? memory : NULL;
}

void *bide_class_check(lua_State *L, int index, const BideClass *class) {
  void *memory = bide_class_test(L, index, class);
  if (memory == NULL)
    luaL_typeerror(L, index, class->name);
  return memory;
}
