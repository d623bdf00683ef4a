/*
** bide.core.process: operations of a command on its own process. Annotated in
** lua/bide/meta/process.lua.
*/
#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/platform.h"
#include "host/api/modules.h"
#include "host/argument.h"
#include "net/loop.h"
#include "process/descriptors.h"
#include "process/group_supervisor.h"
#include "process/groups.h"
#include "process/library_signals.h"

/* Only the program is forked for a supervisor, not a process that embeds bide. */
static bool is_program;

/* Milliseconds between two looks for a signal that came just before a wait for room. */
#define SIGNAL_STEP 50

/* More than the system accepts. */
#define MOST_ARGUMENTS 500000

/* process.execute(arguments) -> message; returns only if the program cannot be run */
static int execute(lua_State *L) {
  lua_Integer count;
  const char **arguments;
  luaL_checktype(L, 1, LUA_TTABLE);
  count = (lua_Integer)lua_rawlen(L, 1);
  luaL_argcheck(L, count >= 1, 1, "needs a program");
  luaL_argcheck(L, count <= MOST_ARGUMENTS, 1, "too many arguments");
  luaL_checkstack(L, (int)count + 2, "too many arguments");
  arguments = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *arguments, 0);
  for (lua_Integer i = 0; i < count; i++) {
    lua_rawgeti(L, 1, i + 1); /* the stack keeps the text */
    arguments[i] = bide_argument_text(L, -1);
  }
  arguments[count] = NULL;
  fflush(NULL);
  bide_group_supervisor_dismiss();
  bide_descriptors_seal_new();
  bide_library_signals_restore();
  bide_descriptors_restore_limit();
  execvp(arguments[0], (char **)(void *)arguments);
  lua_pushstring(L, strerror(errno));
  return 1;
}

/*
** Returns why an earlier write failed, which the stream has not kept: the reader of the pipe
** left, or another cause.
*/
static int cause_of_failure(void) {
  struct pollfd output = {.fd = STDOUT_FILENO};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0 ? EPIPE : EIO;
}

/*
** process.flush_output(ever) -> true | nil, message, code; reports whether the buffer of standard
** output is written and, if `ever` is true, all earlier output too
*/
static int flush_output(lua_State *L) {
  bool failed_before = lua_toboolean(L, 1) && ferror(stdout) != 0;
  bool flushed = fflush(stdout) == 0;
  if (flushed && failed_before)
    errno = cause_of_failure();
  return luaL_fileresult(L, flushed && !failed_before, NULL);
}

/*
** Reports whether a piece can be written now, or within `patience` milliseconds. A signal that came
** ends the patience.
*/
static bool has_room(int descriptor, int64_t patience) {
  struct pollfd output = {.fd = descriptor, .events = POLLOUT};
  int64_t until = bide_clock_monotonic() + patience;
  for (;;) {
    int64_t left = until - bide_clock_monotonic();
    int ready = poll(&output, 1, left <= 0 ? 0 : left < SIGNAL_STEP ? (int)left : SIGNAL_STEP);
    if (ready > 0 || (ready < 0 && errno != EINTR))
      return true; /* the write says what is wrong */
    if (left <= 0 || bide_signals_pending() != 0 || bide_signals_handled() != 0)
      return false;
  }
}

/* Returns the descriptor that is the argument at `index`: a number, or an open file. */
static int check_descriptor(lua_State *L, int index) {
  const luaL_Stream *stream = luaL_testudata(L, index, LUA_FILEHANDLE);
  if (stream == NULL)
    return bide_argument_int(L, index, 0);
  luaL_argcheck(L, stream->closef != NULL, index, "the file is closed");
  return fileno(stream->f);
}

/*
** process.write(descriptor | file, text, patience | nil) -> the bytes that were written
** | nil, message, code
**
** Stops where the reader has taken nothing for `patience` milliseconds, by default never, and where
** a signal comes while nothing is taken. A file must not have a buffer of its own.
*/
static int write_text(lua_State *L) {
  int descriptor = check_descriptor(L, 1);
  size_t length, written = 0;
  const char *text = luaL_checklstring(L, 2, &length);
  lua_Integer patience = luaL_optinteger(L, 3, INT_MAX);
  luaL_argcheck(L, patience >= 0 && patience <= INT_MAX, 3, "out of range");
  while (written < length && has_room(descriptor, patience)) {
    size_t piece = length - written < PIPE_BUF ? length - written : PIPE_BUF;
    ssize_t count = write(descriptor, text + written, piece);
    if (count >= 0)
      written += (size_t)count;
    else if (errno == EAGAIN)
      break;
    else if (errno != EINTR)
      return luaL_fileresult(L, 0, NULL);
  }
  lua_pushinteger(L, (lua_Integer)written);
  return 1;
}

/* process.leave(code): flushes all output and ends the process at once */
static int leave(lua_State *L) {
  int code = bide_argument_int(L, 1, 0);
  luaL_argcheck(L, code <= 255, 1, "the system keeps the lowest byte alone");
  fflush(NULL);
  _exit(code);
}

/*
** process.prepare_child(role): the next process that is started gets descriptors 0, 1, 2 and
** those passed to it, and does not outlive this one; it is a "member" of the group of this process,
** or "leader" of its own, or of the "gentle" one
*/
static int prepare_child(lua_State *L) {
  static const char *const roles[] = {"member", "leader", "gentle", NULL};
  int role = luaL_checkoption(L, 1, NULL, roles);
  bide_descriptors_seal();
  if (is_program)
    bide_group_supervisor_bind_next((enum bide_child_role)role);
  return 0;
}

/* process.ignores(signal) -> whether this process ignores it */
static int ignores(lua_State *L) {
  lua_Integer number = luaL_checkinteger(L, 1);
  struct sigaction action;
  luaL_argcheck(L, number > 0 && number <= 64, 1, "must be a signal");
  lua_pushboolean(L, sigaction((int)number, NULL, &action) == 0 && action.sa_handler == SIG_IGN);
  return 1;
}

static int close_file(lua_State *L) {
  luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  return luaL_fileresult(L, fclose(stream->f) == 0, NULL);
}

/* process.create_file(name) -> file | nil, message, code; io.open(name, "wb"), close-on-exec */
static int create_file(lua_State *L) {
  const char *name = bide_argument_text(L, 1);
  luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
  stream->closef = NULL; /* closed until fopen has succeeded */
  luaL_setmetatable(L, LUA_FILEHANDLE);
  stream->f = fopen(name, "wbe");
  if (stream->f == NULL)
    return luaL_fileresult(L, 0, name);
  stream->closef = close_file;
  return 1;
}

/*
** process.truncate(file, length) -> whether the file ends there now; pipes and devices cannot be
** truncated
*/
static int truncate_file(lua_State *L) {
  const luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  lua_Integer length = luaL_checkinteger(L, 2);
  luaL_argcheck(L, stream->closef != NULL, 1, "is closed");
  luaL_argcheck(L, length >= 0, 2, "must be 0 or more");
  lua_pushboolean(L, ftruncate(fileno(stream->f), (off_t)length) == 0);
  return 1;
}

/* Returns the process id at stack index 1. */
static pid_t check_leader(lua_State *L) {
  return bide_argument_int(L, 1, 2);
}

/*
** process.declare_program(limit): this process is the program bide, and may have a supervisor;
** programs that it starts get this limit of descriptors
*/
static int declare_program(lua_State *L) {
  lua_Integer limit = luaL_checkinteger(L, 1);
  luaL_argcheck(L, limit >= 0, 1, "must be 0 or more");
  is_program = true;
  bide_descriptors_keep_limit((unsigned long long)limit);
  return 0;
}

/* process.descriptor_limit() -> the present soft limit */
static int descriptor_limit(lua_State *L) {
  unsigned long long limit = bide_descriptors_limit();
  lua_pushinteger(L, limit < INT64_MAX ? (lua_Integer)limit : INT64_MAX);
  return 1;
}

/* process.lacks_descriptors(count) -> "EMFILE" | "ENFILE" | nil if that number can be opened */
static int lacks_descriptors(lua_State *L) {
  lua_Integer count = luaL_checkinteger(L, 1);
  luaL_argcheck(L, count > 0 && count <= BIDE_DESCRIPTORS_CHECKED, 1, "out of range");
  lua_pushstring(L, bide_descriptors_lack((int)count));
  return 1;
}

/*
** process.open_groups() -> true | nil, message; programs that are started from now on end with
** bide
*/
static int open_groups(lua_State *L) {
  int why = bide_groups_open() ? 0 : ENOMEM;
  if (why == 0)
    why = bide_group_supervisor_start(!is_program);
  if (why != 0) {
    const char *name = bide_descriptors_name(why), *colon = name != NULL ? ": " : "";
    lua_pushnil(L);
    lua_pushfstring(L, "%s%s%s", name != NULL ? name : "", colon, strerror(why));
    return 2;
  }
  lua_pushboolean(L, true);
  return 1;
}

/* process.dismiss_supervisor() */
static int dismiss_supervisor(lua_State *L) {
  (void)L;
  bide_group_supervisor_dismiss();
  return 0;
}

/* process.add_group(leader | nil): of the child that was started; nil if none was */
static int add_group(lua_State *L) {
  if (!lua_isnoneornil(L, 1))
    bide_groups_add(check_leader(L));
  bide_groups_set_newborn(0);
  return 0;
}

/* process.remove_group(leader) */
static int remove_group(lua_State *L) {
  bide_groups_remove(check_leader(L));
  return 0;
}

/* process.set_gentle_group(leader | nil) */
static int set_gentle_group(lua_State *L) {
  bide_groups_set_gentle(lua_isnoneornil(L, 1) ? 0 : check_leader(L));
  return 0;
}

/* process.kill_group(leader): without the loop, which has ended */
static int kill_group(lua_State *L) {
  bide_groups_end(check_leader(L));
  return 0;
}

/*
** process.window(descriptor) -> columns, rows | nil if it is not a terminal, or its size is unknown
*/
static int window(lua_State *L) {
  struct winsize size = {0};
  if (ioctl(check_descriptor(L, 1), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return 0;
  lua_pushinteger(L, size.ws_col);
  lua_pushinteger(L, size.ws_row);
  return 2;
}

/* process.open_process(pid) -> descriptor, readable once it has ended | nil, message, code */
static int open_process(lua_State *L) {
  int descriptor = bide_platform_open_process(bide_argument_int(L, 1, 1));
  if (descriptor < 0)
    return luaL_fileresult(L, 0, NULL);
  lua_pushinteger(L, descriptor);
  return 1;
}

/*
** process.has_ended(descriptor) -> whether the process that open_process has opened has ended,
** though the loop may not have noticed it yet
*/
static int has_ended(lua_State *L) {
  struct pollfd process = {.fd = check_descriptor(L, 1), .events = POLLIN};
  lua_pushboolean(L, poll(&process, 1, 0) == 1);
  return 1;
}

/*
** process.end_of_child(pid) -> code, signal of a child that has ended, which the loop collects
** later | "collected" | nil while it runs
*/
static int end_of_child(lua_State *L) {
  pid_t child = check_leader(L);
  siginfo_t end = {0};
  if (waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno != ECHILD)
      return 0;
    lua_pushliteral(L, "collected");
    return 1;
  }
  if (end.si_pid == 0)
    return 0;
  lua_pushinteger(L, end.si_code == CLD_EXITED ? end.si_status : 0);
  lua_pushinteger(L, end.si_code == CLD_EXITED ? 0 : end.si_status);
  return 2;
}

const luaL_Reg bide_functions_process[] = {
  {"execute", execute},
  {"flush_output", flush_output},
  {"leave", leave},
  {"write", write_text},
  {"create_file", create_file},
  {"truncate", truncate_file},
  {"ignores", ignores},
  {"prepare_child", prepare_child},
  {"declare_program", declare_program},
  {"dismiss_supervisor", dismiss_supervisor},
  {"descriptor_limit", descriptor_limit},
  {"lacks_descriptors", lacks_descriptors},
  {"open_groups", open_groups},
  {"add_group", add_group},
  {"remove_group", remove_group},
  {"set_gentle_group", set_gentle_group},
  {"kill_group", kill_group},
  {"open_process", open_process},
  {"has_ended", has_ended},
  {"end_of_child", end_of_child},
  {"window", window},
  {NULL, NULL},
};

void bide_define_process(lua_State *L) {
  bide_descriptors_note();
  bide_library_signals_note();
  lua_pushinteger(L, EPIPE);
  lua_setfield(L, -2, "EPIPE");
  lua_pushinteger(L, ESRCH);
  lua_setfield(L, -2, "ESRCH");
}
