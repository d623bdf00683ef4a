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
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/platform.h"
#include "modules.h"

/* The folders of the modules, below the folder of the program, or the one above that. */
typedef struct Layout {
  const char *lua; /* bide's Lua modules, compiled, each by itself and all of them in one file */
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

/* A module within the file of all Lua modules, as src/join.lua writes its index. */
typedef struct Entry {
  char name[56];
  uint32_t start, length;
} Entry;

/* The file of all Lua modules. It stays open: a late module then needs no descriptor. */
typedef struct Modules {
  int file;
  uint32_t count;
  Entry entries[]; /* sorted by their names */
} Modules;

static int compare_name(const void *name, const void *entry) {
  return strcmp(name, ((const Entry *)entry)->name);
}

/* A part of the file that Lua reads. */
typedef struct Reader {
  int file;
  int reason; /* errno, if it cannot be read */
  off_t next;
  size_t left;
  char bytes[16384]; /* most modules are shorter */
} Reader;

static const char *read_next(lua_State *L, void *data, size_t *length) {
  Reader *reader = data;
  size_t wanted = reader->left < sizeof reader->bytes ? reader->left : sizeof reader->bytes;
  ssize_t count = pread(reader->file, reader->bytes, wanted, reader->next);
  (void)L;
  reader->reason = count < 0 ? errno : 0;
  *length = count > 0 ? (size_t)count : 0;
  reader->next += (off_t)*length;
  reader->left -= *length;
  return reader->bytes;
}

/* Reads exactly `size` bytes of the file of all Lua modules. */
static void read_index(lua_State *L, int file, void *target, size_t size, off_t from) {
  ssize_t count = pread(file, target, size, from);
  if (count != (ssize_t)size)
    luaL_error(L, "cannot read the modules of this program: %s",
               count < 0 ? strerror(errno) : "their file is cut");
}

static void push_modules(lua_State *L, int file) {
  uint32_t count;
  Modules *modules;
  read_index(L, file, &count, sizeof count, 0);
  modules = lua_newuserdatauv(L, sizeof *modules + count * sizeof(Entry), 0);
  modules->file = file;
  modules->count = count;
  read_index(L, file, modules->entries, count * sizeof(Entry), sizeof count);
}

/* Loads a Lua module; returns false if bide has none of that name. */
static bool load_module(lua_State *L, const Modules *modules, const char *name) {
  const Entry *entry = bsearch(name, modules->entries, modules->count, sizeof *modules->entries,
                               compare_name);
  Reader reader;
  int status;
  if (entry == NULL)
    return false;
  reader.file = modules->file;
  reader.reason = 0;
  reader.next = entry->start;
  reader.left = entry->length;
  status = lua_load(L, read_next, &reader, name, "b");
  if (reader.reason != 0)
    luaL_error(L, "cannot read the module %s: %s", name, strerror(reader.reason));
  if (status != LUA_OK)
    lua_error(L);
  return true;
}

/* A descriptor that is kept for libraries which are loaded late: attempts may have all others then. */
static int spare_descriptor = -1;

static void keep_spare(void) {
  if (spare_descriptor < 0)
    spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/*
** libcurl, and the libcrypto and GnuTLS that its own libraries need, as the Makefile finds them; empty
** if there are none. Each is loaded before the module that needs it, by itself: the linker looks for a
** name in all libraries that are loaded together, and most of its steps for libcurl were to find
** names of these two behind thirty others. It also looks for what a module needs beside the module.
*/
#ifndef BIDE_LIBCURL
#define BIDE_LIBCURL ""
#define BIDE_LIBCRYPTO ""
#define BIDE_GNUTLS ""
#endif

/*
** Returns a copy of the environment with a variable behind the others, so that a value of the user's
** own holds; NULL if memory is short.
*/
static char **environment_with(char *variable) {
  size_t count = 0;
  char **copy;
  while (environ[count] != NULL)
    count++;
  copy = malloc((count + 2) * sizeof *copy);
  if (copy == NULL)
    return NULL;
  memcpy(copy, environ, count * sizeof *copy);
  copy[count] = variable;
  copy[count + 1] = NULL;
  return copy;
}

static void open_if_named(const char *name) {
  if (*name != '\0')
    (void)dlopen(name, RTLD_LAZY | RTLD_LOCAL);
}

/*
** Opens GnuTLS without letting it set itself up, which took a fortieth of a short wait and half a
** megabyte: the libraries that use it set it up before they do. Another thread may be reading the
** environment, which setenv would move; it may have the copy, which is kept.
*/
static void open_gnutls(void) {
  static char no_setup[] = "GNUTLS_NO_IMPLICIT_INIT=1";
  static char **volatile kept; /* where leak checkers find it */
  char **own = environ, **copy = environment_with(no_setup);
  if (copy != NULL)
    environ = kept = copy;
  open_if_named(BIDE_GNUTLS);
  environ = own;
}

/* Opens what is loaded before the library of a module. */
static void open_ahead(const char *module) {
  bool is_transfer = strcmp(module, "bide.transfer") == 0;
  if (is_transfer || strcmp(module, "bide.digest") == 0)
    open_if_named(BIDE_LIBCRYPTO);
  if (is_transfer) {
    open_gnutls();
    open_if_named(BIDE_LIBCURL);
  }
}

/* Opens the library of a module. The spare descriptor is for that: it takes one at a time. */
static void *open_library(const char *path, const char *module) {
  void *library;
  if (spare_descriptor >= 0)
    close(spare_descriptor);
  spare_descriptor = -1;
  open_ahead(module);
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
  library = open_library(path, name);
  symbol = library != NULL ? dlsym(library, opener) : NULL;
  if (symbol == NULL)
    fail_to_load(L, name, dlerror());
  memcpy(&function, &symbol, sizeof function); /* ISO C has no cast between the two */
  lua_pushcfunction(L, function);
  return true;
}

/*
** A searcher for package.searchers: finds bide's own modules. Its upvalues are the Lua modules, and
** the folder of the C modules.
*/
static int search_own(lua_State *L) {
  const Modules *modules = lua_touserdata(L, lua_upvalueindex(1));
  const char *name = luaL_checkstring(L, 1), *path;
  if (load_module(L, modules, name)) {
    lua_pushvalue(L, 1);
    return 2;
  }
  if (strncmp(name, "bide.", 5) != 0)
    return 0;
  path = lua_pushfstring(L, "%s/%s.so", lua_tostring(L, lua_upvalueindex(2)),
                         luaL_gsub(L, name, ".", "/")); /* name relative path */
  if (!load_c_module(L, path, name))
    return 0;
  lua_pushvalue(L, 3);
  return 2;
}

/* Opens the file of all Lua modules; returns -1 if a folder has them in another layout. */
static int open_modules(lua_State *L, const char *folder, const Layout *layout) {
  const char *path = lua_pushfstring(L, "%s%s/bide/modules", folder, layout->lua);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  lua_pop(L, 1);
  return file;
}

/*
** Returns the layout in which the program is, and opens its modules. Cuts `folder` at the one that
** the layout is below.
*/
static const Layout *find_layout(lua_State *L, char *folder, int *file) {
  const Layout *layout = &checkout;
  *file = open_modules(L, folder, layout);
  if (*file < 0 && go_up(folder)) {
    layout = &installed;
    *file = open_modules(L, folder, layout);
  }
  if (*file < 0) {
    layout = &rock;
    *file = open_modules(L, folder, layout);
  }
  if (*file < 0)
    luaL_error(L, "cannot open the modules of this program, lib/bide/lua/bide/modules: %s",
               strerror(errno));
  return layout;
}

void bide_modules_install(lua_State *L, const char *name) {
  char folder[PATH_MAX];
  const Layout *layout;
  const char *lua, *modules;
  int file;
  if (!bide_platform_program(name, folder) || !go_up(folder))
    luaL_error(L, "cannot find the file of this program: mount /proc, or start it by its path");
  layout = find_layout(L, folder, &file);
  lua = lua_pushfstring(L, "%s%s/?.lua;%s%s/?/init.lua;", folder, layout->lua, folder, layout->lua);
  modules = lua_pushfstring(L, "%s%s/?.so;", folder, layout->modules);
  bide_modules_set_path(L, "path", lua);
  bide_modules_set_path(L, "cpath", modules);
  lua_pop(L, 2);
  push_modules(L, file);
  lua_pushfstring(L, "%s%s", folder, layout->modules);
  lua_pushcclosure(L, search_own, 2);
  bide_modules_add_searcher(L);
}
