/*
** bide.core: the C side of bide as one Lua module, in the host and in plain
** lua5.4 alike. It is a table of modules, each bound by its own api_<module>.c.
*/
#include <lauxlib.h>
#include <lua.h>

#include "base/export.h"
#include "host/api.h"
#include "host/host.h"

static const luaL_Reg modules[] = {
  {"bounded", bide_open_bounded},
  {"coroutine", bide_open_coroutine},
  {"json", bide_open_json},
  {"jmespath", bide_open_jmespath},
  {"limiter", bide_open_limiter},
  {"limits", bide_open_limits},
  {"loop", bide_open_loop},
  {"names", bide_open_names},
  {"pattern", bide_open_pattern},
  {"process", bide_open_process},
  {"secret", bide_open_secret},
  {"strategy", bide_open_strategy},
  {"task", bide_open_task},
  {"text", bide_open_text},
  {"wait", bide_open_wait},
  {"watchdog", bide_open_watchdog},
  {NULL, NULL}
};

BIDE_API int luaopen_bide_core(lua_State *L);

int luaopen_bide_core(lua_State *L) {
  bide_host_open(L);
  lua_newtable(L);
  for (const luaL_Reg *module = modules; module->name != NULL; module++) {
    lua_pushcfunction(L, module->func);
    lua_call(L, 0, 1);
    lua_setfield(L, -2, module->name);
  }
  return 1;
}
