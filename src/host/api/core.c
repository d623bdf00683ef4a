/*
** bide.core: the C side of bide as one Lua module, the same in the program and in plain lua5.4.
** It is a table of modules, each of which has its own file in host/api.
*/
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"
#include "host/api/modules.h"
#include "host/host.h"

_Static_assert(sizeof(lua_Integer) == sizeof(int64_t) && LUA_FLOAT_TYPE == LUA_FLOAT_DOUBLE,
               "Lua's numbers are those of JSON documents");

#define ROW(module) {#module, bide_open_##module},
static const luaL_Reg modules[] = {BIDE_MODULES(ROW){NULL, NULL}};
#undef ROW

BIDE_API int luaopen_bide_core(lua_State *L);

int luaopen_bide_core(lua_State *L) {
  bide_host_open(L);
  lua_newtable(L);
  for (const luaL_Reg *module = modules; module->name != NULL; module++) {
    lua_pushcfunction(L, module->func);
    lua_call(L, 0, 1); /* core module */
    lua_setfield(L, -2, module->name);
  }
  return 1;
}
