/* bide.core.names: "did you mean". Annotated in lua/bide/meta/names.lua. */
#include <lauxlib.h>

#include "base/nearest.h"
#include "host/api/modules.h"

/* names.nearest(name, candidates) -> the nearest candidate | nil if none is near enough */
static int nearest(lua_State *L) {
  BideNearest search;
  size_t length;
  const char *name = luaL_checklstring(L, 1, &length);
  lua_Integer count;
  luaL_checktype(L, 2, LUA_TTABLE);
  count = (lua_Integer)lua_rawlen(L, 2);
  bide_nearest_init(&search, name, length);
  for (lua_Integer i = 1; i <= count; i++) { /* the table keeps the texts: no metamethod runs */
    if (lua_rawgeti(L, 2, i) != LUA_TSTRING)
      return luaL_argerror(L, 2, "expected a list of strings");
    bide_nearest_offer(&search, lua_tostring(L, -1), lua_rawlen(L, -1));
    lua_pop(L, 1);
  }
  if (search.best == NULL)
    return 0;
  lua_pushlstring(L, search.best, search.best_length);
  return 1;
}

const luaL_Reg bide_functions_names[] = {{"nearest", nearest}, {NULL, NULL}};
