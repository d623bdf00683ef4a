/*
** bide: argv in, exit code out. A thin host: it creates a Lua state, installs bide's own modules,
** and runs lua/bide/cli.
*/
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

#include "base/blocks.h"
#include "modules.h"
#include "process/descriptors.h"
#include "process/supervisor.h"

#define EXIT_FAULT 70 /* EX_SOFTWARE of sysexits.h */
#define DESCRIPTORS (BIDE_DESCRIPTORS_OF_LOOP + 2)
#define LONGEST_PAUSE 130 /* percent of the memory in use after a collection */
#define UNCOLLECTED 4096  /* kilobytes that are taken before the first collection */
#define YOUNG_SHARE 5     /* percent of it that new objects take before they are collected */

/* What the main function passes to Lua. */
typedef struct Start {
  char **argv;
  unsigned long long descriptor_limit; /* the soft limit that this process was started with */
  bool is_over;                        /* the state is being closed, and the process ends */
  int code;                            /* by which it ends then */
} Start;

/*
** Ends the process with the last of the finalizers. The blocks of very many objects go with it, and
** what the libraries would clean up; only leak checkers want each of them back.
*/
static int finalize_last(lua_State *L) {
  const Start *start = *(const Start **)lua_touserdata(L, 1);
#ifdef __SANITIZE_ADDRESS__
  (void)start;
#else
  if (start->is_over) {
    fflush(NULL);
    _exit(start->code);
  }
#endif
  return 0;
}

/* Creates the object that is finalized last when the state is closed, since it is the first. */
static void create_last(lua_State *L, const Start *start) {
  const Start **last = lua_newuserdatauv(L, sizeof(const Start *), 0);
  *last = start;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, finalize_last);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, start);
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
  create_last(L, start);
  luaL_openlibs(L);
  bide_modules_install(L, argv[0]);
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

/* What `warn` of Lua prints, which is nothing before a script calls it with "@on". */
typedef struct Warnings {
  bool are_on;
  bool goes_on; /* the next text belongs to the same warning */
} Warnings;

/* Does what the function of luaL_newstate does, which chooses the allocator as well. */
static void print_warning(void *context, const char *text, int goes_on) {
  Warnings *warnings = context;
  bool is_control = !warnings->goes_on && !goes_on && *text == '@';
  if (is_control)
    warnings->are_on = strcmp(text, "@on") == 0 || (warnings->are_on && strcmp(text, "@off") != 0);
  else if (warnings->are_on)
    fprintf(stderr, "%s%s%s", warnings->goes_on ? "" : "Lua warning: ", text, goes_on ? "" : "\n");
  warnings->goes_on = goes_on;
}

static lua_State *new_state(BideBlocks *blocks) {
  static Warnings warnings;
  lua_State *L = lua_newstate(bide_blocks_allocate, blocks);
  if (L == NULL)
    return NULL;
  lua_setwarnf(L, print_warning, &warnings);
  collect_by_generations(L);
  return L;
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
  static BideBlocks blocks;
  Start start = {.argv = argv};
  lua_State *L;
  (void)argc;
  fill_standard_files();
  start_supervisor(argv);
  start.descriptor_limit = bide_descriptors_raise_limit();
  check_descriptors();
  L = new_state(&blocks);
  if (L == NULL) {
    fputs("bide: not enough memory\n", stderr);
    return EXIT_FAULT;
  }
  lua_pushcfunction(L, add_traceback);
  lua_pushcfunction(L, protected_main);
  lua_pushlightuserdata(L, &start); /* add_traceback protected_main start */
  if (lua_pcall(L, 1, 1, 1) != LUA_OK)
    leave_with_fault(L);
  start.code = (int)lua_tointeger(L, -1);
  start.is_over = true;
  fflush(NULL);
  lua_close(L);
  return start.code;
}
