/* bide.core.limits: the script limits. Annotated in lua/bide/meta/limits.lua. */
#include <lauxlib.h>

#include "host/api/modules.h"
#include "host/memory.h"
#include "host/task.h"

/* The least memory that must be left for scripts, in bytes; with less, nothing runs. */
#define LEAST ((size_t)1 << 20)

static const char texts_key = 0;

/* Returns the text at `index`, which the table at `kept` keeps from now on. */
static const char *keep_text(lua_State *L, int kept, int index) {
  lua_pushvalue(L, index);
  lua_rawseti(L, kept, index);
  return lua_tostring(L, index);
}

/*
** limits.set(instructions | 0, memory | 0, memory_text, own_folder) -> whether that memory
** suffices; the limits hold for tasks that are started from now on
*/
static int set(lua_State *L) {
  BideHost *host = bide_host_check(L);
  BideScriptLimits limits = {.instructions = luaL_checkinteger(L, 1)};
  lua_Integer memory = luaL_checkinteger(L, 2);
  luaL_argcheck(L, limits.instructions >= 0, 1, "must be 0 or more");
  luaL_argcheck(L, memory >= 0, 2, "must be 0 or more");
  luaL_checkstring(L, 3);
  luaL_checkstring(L, 4);
  lua_settop(L, 4);
  lua_newtable(L); /* instructions memory memory_text own_folder kept */
  limits.memory_text = keep_text(L, 5, 3);
  limits.own_folder = keep_text(L, 5, 4);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &texts_key);
  if (memory > 0 && !bide_memory_limit(L, bide_memory_of(L), (size_t)memory, LEAST)) {
    lua_pushboolean(L, false);
    return 1;
  }
  bide_tasks_limit_scripts(host, &limits);
  lua_pushboolean(L, true);
  return 1;
}

static const luaL_Reg functions[] = {{"set", set}, {NULL, NULL}};

int bide_open_limits(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
