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

typedef struct Module {
  const char *name;
  const luaL_Reg *functions;
  void (*define)(lua_State *L); /* NULL: it has functions only */
} Module;

#define PLAIN(module) {#module, bide_functions_##module, NULL},
#define DEFINED(module) {#module, bide_functions_##module, bide_define_##module},
static const Module modules[] = {BIDE_MODULES(PLAIN, DEFINED)};
#undef PLAIN
#undef DEFINED

BIDE_API int luaopen_bide_core(lua_State *L);

int luaopen_bide_core(lua_State *L) {
  bide_host_open(L);
  lua_newtable(L);
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
    lua_newtable(L); /* core module */
    luaL_setfuncs(L, modules[i].functions, 0);
    if (modules[i].define != NULL)
      modules[i].define(L);
    lua_setfield(L, -2, modules[i].name);
  }
  return 1;
}
