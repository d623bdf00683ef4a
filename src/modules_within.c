/*
** bide's modules within the program, which is one file: compiled Lua, C modules that are linked
** with it, and the files that they read. Libraries are loaded for C modules of others alone, where
** the program's Lua can load any: that of `make bundle` can, that of `make static` cannot.
*/
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h"

#define FOLDER "lua/"

int luaopen_bide_core(lua_State *L);
int luaopen_bide_transfer(lua_State *L);
int luaopen_bide_sqlite(lua_State *L);
int luaopen_bide_digest(lua_State *L);
int luaopen_bide_secure(lua_State *L);
int luaopen_bide_walls(lua_State *L);
int luaopen_bide_xml(lua_State *L);
int luaopen_cjson(lua_State *L);
int luaopen_cjson_safe(lua_State *L);
int luaopen_lpeg(lua_State *L);
int luaopen_luv(lua_State *L);
int luaopen_lxp(lua_State *L);
int luaopen_rex_pcre2(lua_State *L);
int luaopen_yaml(lua_State *L);

static int compare_name(const void *name, const void *file) {
  return strcmp(name, ((const BideEmbedded *)file)->name);
}

static const BideEmbedded *find(const char *name) {
  return bsearch(name, bide_embedded, bide_embedded_count, sizeof *bide_embedded, compare_name);
}

/* embedded.read(name): the text of a file, or nil if there is none. */
static int read_file(lua_State *L) {
  const BideEmbedded *file = find(luaL_checkstring(L, 1));
  if (file == NULL)
    return 0;
  lua_pushlstring(L, (const char *)file->bytes, file->length);
  return 1;
}

/* embedded.names(folder): the sorted names of the files in a folder, which ends with a slash. */
static int list_names(lua_State *L) {
  size_t length;
  const char *folder = luaL_checklstring(L, 1, &length);
  lua_Integer count = 0;
  lua_newtable(L);
  for (size_t i = 0; i < bide_embedded_count; i++) {
    const char *name = bide_embedded[i].name;
    if (strncmp(name, folder, length) != 0 || strchr(name + length, '/') != NULL)
      continue;
    lua_pushstring(L, name + length);
    lua_rawseti(L, -2, ++count);
  }
  return 1;
}

static int open_embedded(lua_State *L) {
  static const luaL_Reg functions[] = {{"read", read_file}, {"names", list_names}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}

/* A searcher for package.searchers: finds Lua modules within the program. */
static int search_within(lua_State *L) {
  static const char *const endings[] = {".lua", "/init.lua"};
  const char *name = luaL_gsub(L, luaL_checkstring(L, 1), ".", "/");
  for (int i = 0; i < 2; i++) {
    const BideEmbedded *file = find(lua_pushfstring(L, FOLDER "%s%s", name, endings[i]));
    if (file == NULL)
      continue;
    if (luaL_loadbufferx(L, (const char *)file->bytes, file->length, file->name, "b") != LUA_OK)
      return lua_error(L);
    lua_pushstring(L, file->name);
    return 2;
  }
  return 0;
}

/* Pushes the file of a module by package.cpath; returns false if there is none. */
static int has_library(lua_State *L, const char *name) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchpath");
  lua_pushstring(L, name);
  lua_getfield(L, -3, "cpath"); /* package searchpath name cpath */
  lua_call(L, 2, 1);
  return lua_isstring(L, -1);
}

/* A searcher: says of a C module of others that it cannot be loaded, rather than that it is not there. */
static int refuse_library(lua_State *L) {
  const char *name = luaL_checkstring(L, 1), *dot = strchr(name, '.');
  if (has_library(L, name) ||
      (dot != NULL && has_library(L, lua_pushlstring(L, name, (size_t)(dot - name)))))
    return luaL_error(L,
                      "module '%s': this build has no C modules but bide's own, and %s is one: use "
                      "the build of a distribution's package, which loads them",
                      name, lua_tostring(L, -1));
  lua_pushfstring(L, "no C module '%s' (this build could load none)", name);
  return 1;
}

/* Returns whether this Lua can load a library at all: if so, it fails for a folder in another way. */
static bool can_load_libraries(lua_State *L) {
  bool can;
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "loadlib");
  lua_pushstring(L, "/");
  lua_pushstring(L, "*");
  lua_call(L, 2, 3); /* package nil message where */
  can = strcmp(luaL_optstring(L, -1, ""), "absent") != 0;
  lua_pop(L, 4);
  return can;
}

/* Lua's own searchers are for package.preload, Lua files, libraries, and libraries of several modules. */
static void set_searchers(lua_State *L) {
  enum { LIBRARIES = 3, LAST = 4 };
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchers");
  if (!can_load_libraries(L)) {
    lua_pushcfunction(L, refuse_library);
    lua_rawseti(L, -2, LIBRARIES);
    lua_pushnil(L);
    lua_rawseti(L, -2, LAST);
  }
  lua_pop(L, 2);
  lua_pushcfunction(L, search_within);
  bide_modules_add_searcher(L);
}

static void preload(lua_State *L) {
  static const luaL_Reg modules[] = {{"bide.core", luaopen_bide_core},
                                     {"bide.transfer", luaopen_bide_transfer},
                                     {"bide.sqlite", luaopen_bide_sqlite},
                                     {"bide.digest", luaopen_bide_digest},
                                     {"bide.secure", luaopen_bide_secure},
                                     {"bide.walls", luaopen_bide_walls},
                                     {"bide.xml", luaopen_bide_xml},
                                     {"bide.embedded", open_embedded},
                                     {"cjson", luaopen_cjson},
                                     {"cjson.safe", luaopen_cjson_safe},
                                     {"lpeg", luaopen_lpeg},
                                     {"luv", luaopen_luv},
                                     {"lxp", luaopen_lxp},
                                     {"rex_pcre2", luaopen_rex_pcre2},
                                     {"yaml", luaopen_yaml},
                                     {NULL, NULL}};
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  luaL_setfuncs(L, modules, 0);
  lua_pop(L, 1);
}

void bide_modules_install(lua_State *L, const char *name) {
  (void)name;
  preload(L);
  bide_modules_set_path(L, "path", "");
  bide_modules_set_path(L, "cpath", "");
  set_searchers(L);
}
