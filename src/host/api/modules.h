/*
** The modules of bide.core, each a table with the functions of host/api/<module>.c, which are
** annotated in lua/bide/meta/<module>.lua. bide_define_<module>, if there is one, makes the classes
** of the module and sets what else is in its table, which is on top of the stack.
*/
#ifndef BIDE_HOST_API_MODULES_H
#define BIDE_HOST_API_MODULES_H

#include <lauxlib.h>
#include <lua.h>

/* A module needs one row here: core.c makes its table and puts it into bide.core. */
#define BIDE_MODULES(PLAIN, DEFINED) \
  PLAIN(bounded) \
  PLAIN(coroutine) \
  DEFINED(json) \
  DEFINED(jmespath) \
  PLAIN(limits) \
  DEFINED(loop) \
  PLAIN(model) \
  PLAIN(names) \
  PLAIN(network) \
  PLAIN(pattern) \
  PLAIN(postgres) \
  DEFINED(process) \
  DEFINED(recording) \
  DEFINED(resolver) \
  DEFINED(response) \
  DEFINED(schedule) \
  DEFINED(secret) \
  PLAIN(service) \
  DEFINED(task) \
  PLAIN(text) \
  DEFINED(turns) \
  DEFINED(wait) \
  PLAIN(watchdog)

#define BIDE_DECLARE_PLAIN(module) extern const luaL_Reg bide_functions_##module[];
#define BIDE_DECLARE_DEFINED(module) \
  BIDE_DECLARE_PLAIN(module) \
  void bide_define_##module(lua_State *L);
BIDE_MODULES(BIDE_DECLARE_PLAIN, BIDE_DECLARE_DEFINED)
#undef BIDE_DECLARE_PLAIN
#undef BIDE_DECLARE_DEFINED

#endif
