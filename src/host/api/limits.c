/* bide.core.limits: the script limits. Annotated in lua/bide/meta/limits.lua. */
#include <lauxlib.h>

#include "host/api/modules.h"
#include "host/argument.h"
#include "host/memory.h"
#include "host/task.h"

/* The least memory that must be left for scripts, in bytes; with less, nothing runs. */
#define LEAST ((size_t)1 << 20)

#define LONGEST INT64_C(1000000000000) /* milliseconds; more would overflow as nanoseconds */

/* Sanitized code takes several times as long. */
#if defined(__SANITIZE_ADDRESS__)
#define SCALE 10
#else
#define SCALE 1
#endif

static const char text_key = 0;

/*
** limits.set(instructions | 0, script_time | 0, memory | 0, memory_text) -> whether that memory
** suffices; the time is in milliseconds of the processor; the limits hold for tasks that are
** started from now on
*/
static int set(lua_State *L) {
  BideHost *host = bide_host_check(L);
  BideScriptLimits limits = {.instructions = luaL_checkinteger(L, 1)};
  lua_Integer time = luaL_checkinteger(L, 2), memory = luaL_checkinteger(L, 3);
  luaL_argcheck(L, limits.instructions >= 0, 1, "must be 0 or more");
  luaL_argcheck(L, time >= 0 && time <= LONGEST / SCALE, 2, "is out of range");
  luaL_argcheck(L, memory >= 0, 3, "must be 0 or more");
  limits.memory_text = bide_argument_text(L, 4);
  limits.script_time = time * SCALE;
  lua_settop(L, 4);
  if (memory > 0 && !bide_memory_limit(L, bide_memory_of(L), (size_t)memory, LEAST)) {
    lua_pushboolean(L, false);
    return 1;
  }
  lua_rawsetp(L, LUA_REGISTRYINDEX, &text_key); /* keeps the text, in place of the last one */
  bide_tasks_limit_scripts(host, &limits);
  lua_pushboolean(L, true);
  return 1;
}

/* limits.used() -> bytes of the Lua state, its documents and answers, garbage included */
static int used(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)bide_memory_used(L, bide_memory_of(L)));
  return 1;
}

const luaL_Reg bide_functions_limits[] = {{"set", set}, {"used", used}, {NULL, NULL}};
