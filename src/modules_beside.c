/*
** bide's modules beside the program: compiled Lua, and libraries that the dynamic linker loads.
*/
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <limits.h>
#include <lua.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/platform.h"
#include "modules.h"

/* The folders of the modules, below the folder of the program, or the one above that. */
typedef struct Layout {
  const char *lua;     /* bide's Lua modules, compiled */
  const char *modules; /* its C modules */
} Layout;

static const Layout checkout = {"/lua", "/lib"};
static const Layout installed = {"/lib/bide/lua", "/lib/bide"};
static const Layout rock = {"/share/lua/5.4", "/lib/lua/5.4"}; /* of LuaRocks */

/* Cuts a path at its last slash; returns false if it has none. */
static bool go_up(char *path) {
  char *slash = strrchr(path, '/');
  if (slash != NULL)
    *slash = '\0';
  return slash != NULL;
}

/*
** Writes the folder of the running program, without a final slash; returns false if it is
** unknown.
*/
static bool find_program(const char *name, char folder[PATH_MAX]) {
  return bide_platform_program(name, folder) && go_up(folder);
}

static bool is_there(lua_State *L, const char *folder, const char *relative) {
  const char *path = lua_pushfstring(L, "%s%s/bide/init.lua", folder, relative);
  bool there = access(path, R_OK) == 0;
  lua_pop(L, 1);
  return there;
}

/*
** Puts `patterns` at the beginning of package[field], and removes the current folder from it: a
** file there must not take the place of a library. A script finds its own modules beside itself.
*/
static void set_path(lua_State *L, const char *field, const char *patterns) {
  const char *path;
  lua_getglobal(L, "package");
  lua_getfield(L, -1, field);
  path = luaL_gsub(L, lua_tostring(L, -1), ";./?.lua", "");
  path = luaL_gsub(L, path, ";./?/init.lua", "");
  path = luaL_gsub(L, path, ";./?.so", "");
  lua_pushfstring(L, "%s;%s", patterns, path); /* package path path1 path2 path3 result */
  lua_setfield(L, -6, field);
  lua_pop(L, 5);
}

/*
** A descriptor that is kept for modules which are loaded late: attempts may have all others then,
** and wait for one to be closed.
*/
static int spare_descriptor = -1;

static void keep_spare(void) {
  if (spare_descriptor < 0)
    spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int open_module(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0 || errno != EMFILE || spare_descriptor < 0)
    return file;
  close(spare_descriptor);
  spare_descriptor = -1;
  return open(path, O_RDONLY | O_CLOEXEC);
}

/* A file that Lua reads. */
typedef struct Reader {
  int file;
  int reason;        /* errno, if it cannot be opened or read */
  char bytes[16384]; /* most modules are shorter */
} Reader;

static const char *read_next(lua_State *L, void *data, size_t *length) {
  Reader *reader = data;
  ssize_t count = read(reader->file, reader->bytes, sizeof reader->bytes);
  (void)L;
  reader->reason = count < 0 ? errno : 0;
  *length = count > 0 ? (size_t)count : 0;
  return reader->bytes;
}

/*
** Loads a compiled module, if it is there, and opens its file once; package.searchers would open it
** three times.
*/
static bool load_module(lua_State *L, const char *path) {
  Reader reader;
  int status = LUA_OK;
  reader.file = open_module(path);
  reader.reason = reader.file >= 0 ? 0 : errno;
  if (reader.file >= 0) {
    status = lua_load(L, read_next, &reader, path, "b");
    close(reader.file);
  }
  keep_spare();
  if (reader.reason == ENOENT)
    return false;
  if (reader.reason != 0)
    luaL_error(L, "cannot read %s: %s", path, strerror(reader.reason));
  if (status != LUA_OK)
    lua_error(L);
  return true;
}

/* Opens a library. The spare descriptor is for that: it takes one at a time. */
static void *open_library(const char *path) {
  void *library;
  if (spare_descriptor >= 0)
    close(spare_descriptor);
  spare_descriptor = -1;
  library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  keep_spare();
  return library;
}

/*
** Reports whether a library could not be loaded for lack of memory, by the words of the dynamic
** linker, which has no code for it.
*/
static bool lacks_memory(const char *reason) {
  static const char *const words[] = {
    "failed to map segment", "annot map zero-fill pages",       "annot allocate ",
    "annot create ",         "annot change memory protections", "out of memory"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(reason, words[i]) != NULL)
      return true;
  return false;
}

/* Raises why a library cannot be loaded; lack of memory as Lua raises it. */
static void fail_to_load(lua_State *L, const char *name, const char *reason) {
  if (lacks_memory(reason)) {
    lua_pushliteral(L, "not enough memory");
    lua_error(L);
  }
  luaL_error(L, "cannot load the module %s: %s", name, reason);
}

/*
** Pushes the opener of a C module. Its libraries bind their functions at their first call, as they
** do in a program that is linked with them; package.searchers would bind all of them at once, which
** takes as long as all else that is done to load libcurl.
*/
static bool load_c_module(lua_State *L, const char *path, const char *name) {
  const char *opener = lua_pushfstring(L, "luaopen_%s", luaL_gsub(L, name, ".", "_"));
  lua_CFunction function = NULL;
  void *library, *symbol;
  if (access(path, R_OK) != 0)
    return false;
  library = open_library(path);
  symbol = library != NULL ? dlsym(library, opener) : NULL;
  if (symbol == NULL)
    fail_to_load(L, name, dlerror());
  memcpy(&function, &symbol, sizeof function); /* ISO C has no cast between the two */
  lua_pushcfunction(L, function);
  return true;
}

/* Reports whether a module is one of bide's, or argparse, which is compiled with them. */
static bool is_own(const char *name) {
  return strcmp(name, "bide") == 0 || strncmp(name, "bide.", 5) == 0 ||
         strcmp(name, "argparse") == 0;
}

/*
** A searcher for package.searchers: finds bide's own modules in the folders of its upvalues, first
** that of the Lua modules, then that of the C modules.
*/
static int search_own(lua_State *L) {
  static const char *const endings[] = {".lua", "/init.lua", ".so"};
  const char *name = luaL_checkstring(L, 1), *relative = luaL_gsub(L, name, ".", "/");
  if (!is_own(name))
    return 0;
  for (int i = 0; i < 3; i++) {
    const char *folder = lua_tostring(L, lua_upvalueindex(i < 2 ? 1 : 2));
    const char *path = lua_pushfstring(L, "%s/%s%s", folder, relative, endings[i]);
    int place = lua_gettop(L);
    if (i < 2 ? load_module(L, path) : load_c_module(L, path, name)) {
      lua_pushvalue(L, place);
      return 2;
    }
    lua_settop(L, place - 1);
  }
  return 0;
}

/* Adds the searcher after that of package.preload, before those that search paths. */
static void add_searcher(lua_State *L, const char *folder, const Layout *layout) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchers");
  for (lua_Integer last = (lua_Integer)lua_rawlen(L, -1); last > 1; last--) {
    lua_rawgeti(L, -1, last);
    lua_rawseti(L, -2, last + 1);
  }
  lua_pushfstring(L, "%s%s", folder, layout->lua);
  lua_pushfstring(L, "%s%s", folder, layout->modules);
  lua_pushcclosure(L, search_own, 2); /* package searchers searcher */
  lua_rawseti(L, -2, 2);
  lua_pop(L, 2);
}

/* Returns the layout in which the program is. Cuts `folder` at the one that the layout is below. */
static const Layout *find_layout(lua_State *L, char *folder) {
  if (is_there(L, folder, checkout.lua) || !go_up(folder))
    return &checkout;
  return is_there(L, folder, installed.lua) || !is_there(L, folder, rock.lua) ? &installed : &rock;
}

void bide_modules_install(lua_State *L, const char *name) {
  char folder[PATH_MAX];
  const Layout *layout;
  const char *lua, *modules;
  if (!find_program(name, folder))
    luaL_error(L, "cannot find the file of this program: mount /proc, or start it by its path");
  layout = find_layout(L, folder);
  lua = lua_pushfstring(L, "%s%s/?.lua;%s%s/?/init.lua", folder, layout->lua, folder, layout->lua);
  modules = lua_pushfstring(L, "%s%s/?.so", folder, layout->modules);
  set_path(L, "path", lua);
  set_path(L, "cpath", modules);
  add_searcher(L, folder, layout);
  lua_pop(L, 2);
}
