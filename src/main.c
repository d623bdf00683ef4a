/*
** bide: argv in, exit code out. A thin host: it creates a Lua state, sets the paths of bide's own
** modules, and runs lua/bide/cli.
*/
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <limits.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/platform.h"
#include "process/descriptors.h"
#include "process/supervisor.h"

#define EXIT_FAULT 70 /* EX_SOFTWARE of sysexits.h */
#define DESCRIPTORS (BIDE_DESCRIPTORS_OF_LOOP + 1)
#define LONGEST_PAUSE 130 /* percent of the memory in use after a collection */
#define UNCOLLECTED 4096  /* kilobytes that are taken before the first collection */
#define YOUNG_SHARE 5     /* percent of it that new objects take before they are collected */

/* What the main function passes to Lua. */
typedef struct Start {
  char **argv;
  unsigned long long descriptor_limit; /* the soft limit that this process was started with */
} Start;

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

/* Finds the modules from the folder of the program, which it may change. */
static void set_paths(lua_State *L, char *folder) {
  const Layout *layout = find_layout(L, folder);
  const char *lua = lua_pushfstring(L, "%s%s/?.lua;%s%s/?/init.lua", folder, layout->lua, folder,
                                    layout->lua);
  const char *modules = lua_pushfstring(L, "%s%s/?.so", folder, layout->modules);
  set_path(L, "path", lua);
  set_path(L, "cpath", modules);
  add_searcher(L, folder, layout);
  lua_pop(L, 2);
}

static void push_arguments(lua_State *L, char **argv) {
  int count = 0;
  lua_newtable(L);
  if (argv[0] == NULL)
    return;
  while (argv[count + 1] != NULL) {
    lua_pushstring(L, argv[count + 1]);
    lua_rawseti(L, -2, ++count);
  }
}

static int add_traceback(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

static int hand_over(lua_State *L) {
  (void)L;
  bide_supervisor_hand_over();
  return 0;
}

/* If there is a supervisor, "bide.hand_over" is the function that makes it run COMMAND. */
static void offer_hand_over(lua_State *L, char **argv) {
  if (bide_supervisor_find(argv) == NULL)
    return;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushcfunction(L, hand_over);
  lua_setfield(L, -2, "bide.hand_over");
  lua_pop(L, 1);
}

/* If this is a supervised worker, "bide.service" is what it shares with its supervisor. */
static void offer_service(lua_State *L) {
  if (bide_supervisor_service() == NULL)
    return;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushlightuserdata(L, bide_supervisor_service());
  lua_setfield(L, -2, "bide.service");
  lua_pop(L, 1);
}

/* Sets "bide.descriptor_limit", the limit of descriptors that started programs get. */
static void offer_limit(lua_State *L, unsigned long long limit) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushinteger(L, limit < LLONG_MAX ? (lua_Integer)limit : LLONG_MAX);
  lua_setfield(L, -2, "bide.descriptor_limit");
  lua_pop(L, 1);
}

/* Runs all code that may raise; returns the exit code. */
static int protected_main(lua_State *L) {
  const Start *start = lua_touserdata(L, 1);
  char **argv = start->argv;
  char folder[PATH_MAX];
  luaL_openlibs(L);
  if (!find_program(argv[0], folder))
    return luaL_error(L,
                      "cannot find the file of this program: mount /proc, or start it by its path");
  set_paths(L, folder);
  offer_hand_over(L, argv);
  offer_service(L);
  offer_limit(L, start->descriptor_limit);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "bide.cli");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "main");
  push_arguments(L, argv); /* start module main arguments */
  lua_call(L, 1, 1);
  return 1;
}

/*
** Reports a fault of bide itself, or lack of memory; mistakes of users are reported in Lua. The
** state is not closed: libraries that are partly initialized crash then.
*/
static void leave_with_fault(lua_State *L) {
  const char *message = lua_tostring(L, -1);
  fprintf(stderr, "bide: %s\n", message != NULL ? message : "unknown error");
  fflush(NULL);
  _exit(EXIT_FAULT);
}

/*
** Opens /dev/null for each closed standard file, whose descriptor the next opened file would get,
** such as the events or a socket. For standard output it is opened for reading: writing must
** fail, so that output is not lost without notice.
*/
static void fill_standard_files(void) {
  for (int file = 0; file >= 0 && file <= STDERR_FILENO;) {
    bool is_output = fcntl(STDIN_FILENO, F_GETFD) >= 0 && fcntl(STDOUT_FILENO, F_GETFD) < 0;
    file = open("/dev/null", is_output ? O_RDONLY : O_RDWR);
    if (file > STDERR_FILENO)
      close(file);
  }
}

/*
** Collects nothing before the memory that a short wait takes: most of it lasts, so that collections
** free little, and they took a fourteenth of its instructions. Then collects by generations: most
** objects of an attempt die with it. A collection of the young ones costs what they cost, however
** often it comes, so it may come before they are much beside a fleet that sleeps; Lua would wait
** for 20 percent. If a collection finds that most objects live, as when very many waits begin, Lua
** lets memory grow by the pause before the next one; its default, 100 percent, would be most of the
** memory of such a fleet.
*/
static void collect_by_generations(lua_State *L) {
  lua_gc(L, LUA_GCINC, LONGEST_PAUSE, 0, 0);
  lua_gc(L, LUA_GCGEN, YOUNG_SHARE, 0);
  lua_gc(L, LUA_GCSTEP, -UNCOLLECTED); /* a negative step puts the next collection off */
}

#ifndef __SANITIZE_ADDRESS__
/* Gives nothing back, as the allocator of a state whose process ends when it is closed. */
static void *keep_freed(void *context, void *block, size_t old_size, size_t size) {
  (void)context;
  (void)old_size;
  return size > 0 ? realloc(block, size) : NULL;
}
#endif

/*
** Runs the finalizers. The blocks of very many objects go with the process; only leak checkers
** want each of them back.
*/
static void close_state(lua_State *L) {
#ifndef __SANITIZE_ADDRESS__
  lua_setallocf(L, keep_freed, NULL);
#endif
  lua_close(L);
}

/* Starts the process that runs COMMAND in place of a sandboxed bide, or a worker again. */
static void start_supervisor(char **argv) {
  bool is_worker = bide_supervisor_is_worker(argv);
  char **command = is_worker ? NULL : bide_supervisor_find(argv);
  if ((command == NULL && !is_worker) || bide_supervisor_start(command))
    return;
  fprintf(stderr, "bide: cannot start the process that %s needs: %s\n",
          is_worker ? "a worker" : "--sandbox", strerror(errno));
  exit(EXIT_FAULT);
}

/* libuv and luv abort or crash if they do not get the few descriptors that they need. */
static void check_descriptors(void) {
  const char *lack = bide_descriptors_lack(DESCRIPTORS);
  if (lack == NULL)
    return;
  fprintf(stderr,
          "bide: cannot start: too few file descriptors (%s): %d are needed besides those that are "
          "open, and the limit is %llu; raise it, for example by ulimit -n 1024\n",
          lack, DESCRIPTORS, bide_descriptors_limit());
  exit(EXIT_FAULT);
}

int main(int argc, char **argv) {
  Start start = {.argv = argv};
  lua_State *L;
  int code;
  (void)argc;
  fill_standard_files();
  start_supervisor(argv);
  start.descriptor_limit = bide_descriptors_raise_limit();
  check_descriptors();
  L = luaL_newstate();
  if (L == NULL) {
    fputs("bide: not enough memory\n", stderr);
    return EXIT_FAULT;
  }
  collect_by_generations(L);
  lua_pushcfunction(L, add_traceback);
  lua_pushcfunction(L, protected_main);
  lua_pushlightuserdata(L, &start); /* add_traceback protected_main start */
  if (lua_pcall(L, 1, 1, 1) != LUA_OK)
    leave_with_fault(L);
  code = (int)lua_tointeger(L, -1);
  fflush(NULL);
  close_state(L);
  return code;
}
