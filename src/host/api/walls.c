/*
** bide.walls: the kernel's walls around the process. It is a Lua module of its own, so that only
** runs with --sandbox load it. Annotated in lua/bide/meta/walls.lua.
*/
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "base/export.h"
#include "process/walls.h"

BIDE_API int luaopen_bide_walls(lua_State *L);

static const char *const names[BIDE_WALL_COUNT] = {"files", "calls", "limits"};

/* Returns the texts of the list at stack index 1, which keeps them. */
static const char **read_paths(lua_State *L, size_t *count) {
  const char **paths;
  *count = lua_rawlen(L, 1);
  paths = lua_newuserdatauv(L, (*count + 1) * sizeof *paths, 0);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    luaL_argcheck(L, lua_type(L, -1) == LUA_TSTRING, 1, "must be a list of paths");
    paths[i] = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  return paths;
}

/* walls.raise(readable, memory | 0) -> { [wall] = the reason why it cannot be raised } */
static int raise_walls(lua_State *L) {
  BideWalls walls;
  int missing[BIDE_WALL_COUNT];
  lua_Integer memory = luaL_checkinteger(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argcheck(L, memory >= 0, 2, "must be 0 or more");
  if (!bide_walls_has_one_thread())
    return luaL_error(L,
                      "the walls of the sandbox cannot be raised: the process has threads already");
  walls.readable = read_paths(L, &walls.readable_count);
  walls.memory = (uint64_t)memory;
  bide_walls_raise(&walls, missing);
  lua_newtable(L);
  for (int wall = 0; wall < BIDE_WALL_COUNT; wall++)
    if (missing[wall] != 0) {
      lua_pushstring(L, strerror(missing[wall]));
      lua_setfield(L, -2, names[wall]);
    }
  return 1;
}

static const luaL_Reg functions[] = {{"raise", raise_walls}, {NULL, NULL}};

int luaopen_bide_walls(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
