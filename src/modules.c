#include "modules.h"

#include <lauxlib.h>

void bide_modules_set_path(lua_State *L, const char *field, const char *patterns) {
  static const char *const of_current_folder[] = {";./?.lua", ";./?/init.lua", ";./?.so"};
  lua_getglobal(L, "package");
  lua_pushstring(L, patterns);
  lua_getfield(L, -2, field); /* package patterns path */
  for (int i = 0; i < 3; i++) {
    luaL_gsub(L, lua_tostring(L, -1), of_current_folder[i], "");
    lua_remove(L, -2);
  }
  lua_concat(L, 2);
  lua_setfield(L, -2, field);
  lua_pop(L, 1);
}

void bide_modules_add_searcher(lua_State *L) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchers");
  for (lua_Integer last = (lua_Integer)lua_rawlen(L, -1); last > 1; last--) {
    lua_rawgeti(L, -1, last);
    lua_rawseti(L, -2, last + 1);
  }
  lua_pushvalue(L, -3); /* searcher package searchers searcher */
  lua_rawseti(L, -2, 2);
  lua_pop(L, 3);
}
