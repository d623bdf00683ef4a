/*
** bide.core.watchdog: ends the process if a call of C does not return. Annotated in
** lua/bide/meta/watchdog.lua.
*/
#include <lauxlib.h>

#include "host/api/modules.h"
#include "host/watchdog.h"

/* watchdog.start(load_timeout) -> whether it runs */
static int start(lua_State *L) {
  lua_Integer load_timeout = luaL_checkinteger(L, 1);
  luaL_argcheck(L, load_timeout > 0, 1, "must be above 0");
  lua_pushboolean(L, bide_watchdog_start(load_timeout));
  return 1;
}

/* watchdog.describe(text) */
static int describe(lua_State *L) {
  bide_watchdog_describe(luaL_checkstring(L, 1));
  return 0;
}

/* watchdog.begin_load(file) */
static int begin_load(lua_State *L) {
  bide_watchdog_begin_load(luaL_checkstring(L, 1));
  return 0;
}

/* watchdog.end_load() */
static int end_load(lua_State *L) {
  (void)L;
  bide_watchdog_end_load();
  return 0;
}

const luaL_Reg bide_functions_watchdog[] = {
  {"start", start},       {"describe", describe}, {"begin_load", begin_load},
  {"end_load", end_load}, {NULL, NULL},
};
