/*
** The modules of bide.core. The opener of each, bide_open_<module> in host/api/<module>.c, pushes
** the module's table, whose functions are annotated in lua/bide/meta/<module>.lua.
*/
#ifndef BIDE_HOST_API_MODULES_H
#define BIDE_HOST_API_MODULES_H

#include <lua.h>

/* A module needs one row here: core.c opens it and puts it into bide.core. */
#define BIDE_MODULES(MODULE) \
  MODULE(bounded) \
  MODULE(coroutine) \
  MODULE(json) \
  MODULE(jmespath) \
  MODULE(limits) \
  MODULE(loop) \
  MODULE(model) \
  MODULE(names) \
  MODULE(network) \
  MODULE(pattern) \
  MODULE(postgres) \
  MODULE(process) \
  MODULE(recording) \
  MODULE(resolver) \
  MODULE(response) \
  MODULE(schedule) \
  MODULE(secret) \
  MODULE(service) \
  MODULE(task) \
  MODULE(text) \
  MODULE(turns) \
  MODULE(wait) \
  MODULE(watchdog)

#define BIDE_DECLARE_OPENER(module) int bide_open_##module(lua_State *L);
BIDE_MODULES(BIDE_DECLARE_OPENER)
#undef BIDE_DECLARE_OPENER

#endif
