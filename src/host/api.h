/*
** The openers of the modules within bide.core. Each pushes its module's table,
** whose functions are annotated in lua/bide/meta/<module>.lua.
*/
#ifndef BIDE_HOST_API_H
#define BIDE_HOST_API_H

#include <lua.h>

int bide_open_bounded(lua_State *L);
int bide_open_coroutine(lua_State *L);
int bide_open_json(lua_State *L);
int bide_open_jmespath(lua_State *L);
int bide_open_limiter(lua_State *L);
int bide_open_limits(lua_State *L);
int bide_open_loop(lua_State *L);
int bide_open_names(lua_State *L);
int bide_open_pattern(lua_State *L);
int bide_open_process(lua_State *L);
int bide_open_secret(lua_State *L);
int bide_open_strategy(lua_State *L);
int bide_open_task(lua_State *L);
int bide_open_text(lua_State *L);
int bide_open_wait(lua_State *L);
int bide_open_watchdog(lua_State *L);

#endif
