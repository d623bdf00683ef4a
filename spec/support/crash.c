/*
** A module for Lua that ends its process: require "crash" () by a signal, (CODE) by an exit, and (-1)
** never returns.
*/
#include <lauxlib.h>
#include <lua.h>
#include <unistd.h>

static int crash(lua_State *L) {
  if (lua_isinteger(L, 1) && lua_tointeger(L, 1) >= 0)
    _exit((int)lua_tointeger(L, 1));
  while (lua_isinteger(L, 1))
    continue;
  *(volatile int *)lua_touserdata(L, 1) = 1;
  return 0;
}

int luaopen_crash(lua_State *L) {
  lua_pushcfunction(L, crash);
  return 1;
}
