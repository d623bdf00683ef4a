#include "host/host.h"

#include <lauxlib.h>
#include <luv/luv.h>
#include <stdatomic.h>
#include <string.h>

#include "host/class.h"
#include "host/failure.h"
#include "host/interrupt.h"
#include "host/memory.h"
#include "host/task.h"
#include "process/descriptors.h"

struct BideHost {
  BideLoop *loop; /* NULL once the host is closed */
  BideTasks *tasks;
  BideMemory memory;
  BidePolicy *policy; /* NULL without one */
  lua_State *turning; /* the state that turns the loop; NULL between turns */
  int handler;        /* the place of add_traceback on the stack of that state */
  bool faulted;       /* a callback has raised; the error is in the registry under &fault_key */
};

/* The user values of a host. */
enum { LUV = 1, TASKS };

static const BideClass host_class = {"bide.host"};

static const char host_key = 0;
static const char fault_key = 0;
static const char culprit_key =
  0; /* the callback of luv that raised the error; false if bide did */

/*
** The open host that this thread looked up last. Most calls look up the same one, and the
** registry is slow with light keys. It is valid until any host closes: the next state may have
** the address of that host's state. Its place is known once the library is loaded, without a call.
*/
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  const void *registry;
  BideHost *host;
  unsigned closed;
} latest;

static atomic_uint closed_hosts;

BideHost *bide_host_of(lua_State *L) {
  const void *registry = lua_topointer(L, LUA_REGISTRYINDEX);
  unsigned closed = atomic_load_explicit(&closed_hosts, memory_order_relaxed);
  BideHost *host;
  if (latest.registry == registry && latest.closed == closed)
    return latest.host;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &host_key);
  host = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (host != NULL && host->loop != NULL) {
    latest.registry = registry;
    latest.host = host;
    latest.closed = closed;
  }
  return host;
}

BideHost *bide_host_check(lua_State *L) {
  BideHost *host = bide_host_of(L);
  if (host->loop == NULL)
    luaL_error(L, "bide: the host is closed");
  return host;
}

BideLoop *bide_host_loop(BideHost *host) {
  return host->loop;
}

BidePolicy **bide_host_policy(BideHost *host) {
  return &host->policy;
}

BideMemory *bide_memory_of(lua_State *L) {
  return &bide_host_of(L)->memory;
}

BideTasks *bide_host_tasks(BideHost *host) {
  return host->tasks;
}

lua_State *bide_host_state(BideHost *host) {
  return host->turning;
}

/* Finalizers of scripts may run after this: they find the host's memory, without a loop. */
static int close_host(lua_State *L) {
  BideHost *host = bide_class_check(L, 1, &host_class);
  if (host->loop == NULL)
    return 0;
  atomic_fetch_add(&closed_hosts, 1);
  if (host->tasks != NULL)
    bide_tasks_close(host->tasks);
  bide_loop_destroy(host->loop);
  host->loop = NULL;
  bide_policy_free(host->policy);
  host->policy = NULL;
  bide_memory_release(L, &host->memory);
  return 0;
}

static int add_traceback(lua_State *L) {
  const char *message = lua_tostring(L, 1);
  if (message != NULL && !bide_failure_is_no_memory(L, 1))
    luaL_traceback(L, L, message, 1);
  return 1;
}

/*
** Pops the error on top of the stack of L, and keeps the first one for the end of the turn, with
** the callback at `culprit`, if that is not 0. The entries in the registry exist already, so
** nothing is allocated: lack of memory may be the error.
*/
static void keep_fault(BideHost *host, lua_State *L, int culprit) {
  if (host->faulted) {
    lua_pop(L, 1);
    return;
  }
  lua_rawsetp(L, LUA_REGISTRYINDEX, &fault_key);
  if (culprit != 0)
    lua_pushvalue(L, culprit);
  else
    lua_pushboolean(L, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &culprit_key);
  host->faulted = true;
}

void bide_host_push_culprit(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &culprit_key) == LUA_TFUNCTION)
    return;
  lua_pop(L, 1);
  lua_pushnil(L);
}

/* Raises the kept error. Its entry in the registry stays, for the next one. */
static int raise_fault(BideHost *host, lua_State *L) {
  host->faulted = false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &fault_key);
  lua_pushboolean(L, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &fault_key);
  return lua_error(L);
}

/* Calls as lua_pcall does; the message of an error has a traceback. */
static int protected_call(lua_State *L, int arguments, int results) {
  int function = lua_gettop(L) - arguments, status;
  lua_pushcfunction(L, add_traceback);
  lua_insert(L, function);
  status = lua_pcall(L, arguments, results, function);
  lua_remove(L, function);
  return status;
}

void bide_host_call(BideHost *host, int arguments) {
  if (lua_pcall(host->turning, arguments, 0, host->handler) != LUA_OK)
    keep_fault(host, host->turning, 0);
}

/* Lets L turn the loop. The handler of all calls stays on its stack until the end of the turn. */
static void begin_turn(BideHost *host, lua_State *L) {
  lua_pushcfunction(L, add_traceback);
  host->turning = L;
  host->handler = lua_gettop(L);
}

static void end_turn(BideHost *host) {
  lua_settop(host->turning, host->handler - 1);
  host->turning = NULL;
}

/*
** Calls a callback of a script for luv, whose own function would end the process on an error.
** Within a turn, the turn raises the error instead. The error of a callback that was stopped,
** because a deadline or a signal waited for its end, is dropped.
*/
static int call_for_luv(lua_State *L, int arguments, int results, int flags) {
  BideHost *host = bide_host_of(L);
  int top = lua_gettop(L) - arguments - 1, status;
  BideRunning link;
  bool stopped;
  if (host->turning == NULL)
    return luv_cfpcall(L, arguments, results, flags);
  lua_checkstack(L, 2);
  lua_pushvalue(L, top + 1);
  lua_insert(L, top + 1); /* … callback callback arguments */
  bide_interrupt_enter(&link, L);
  bide_tasks_begin_callback(host->tasks);
  status = protected_call(L, arguments, results);
  bide_interrupt_leave(&link);
  stopped = bide_tasks_end_callback(host->tasks);
  if (status != LUA_OK && stopped)
    lua_pop(L, 1);
  else if (status != LUA_OK)
    keep_fault(host, L, top + 1);
  lua_remove(L, top + 1);
  return status == LUA_OK ? lua_gettop(L) - top : -status;
}

/* luv calls callbacks in the state that loaded it, which may be a coroutine that is collected. */
static void let_luv_call_in_main_state(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  luv_context(L)->L = lua_tothread(L, -1);
  lua_pop(L, 1);
}

/*
** The loop is luv's, so that scripts with luv wait on the same loop as bide, whichever of the two
** was loaded first. It is the luv that this library is linked with, which needs no search. luv's
** module owns the loop; the host refers to the module, so it is collected first.
*/
void bide_host_open(lua_State *L) {
  BideHost *host;
  const char *lack;
  if (bide_host_of(L) != NULL)
    return;
  lack = bide_descriptors_lack(BIDE_DESCRIPTORS_OF_LOOP); /* without them luv would crash */
  if (lack != NULL)
    luaL_error(L, "bide: too few file descriptors are left to start (%s)", lack);
  luaL_requiref(L, "luv", luaopen_luv, 0);          /* luv */
  host = lua_newuserdatauv(L, sizeof *host, TASKS); /* luv host */
  lua_insert(L, -2);                                /* host luv */
  lua_setiuservalue(L, -2, LUV);
  luv_set_callback(L, call_for_luv);
  let_luv_call_in_main_state(L);
  memset(host, 0, sizeof *host);
  bide_class_push(L, &host_class); /* host metatable */
  lua_pushcfunction(L, close_host);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1); /* host host */
  lua_rawsetp(L, LUA_REGISTRYINDEX, &host_key);
  lua_pushboolean(L, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &fault_key);
  lua_pushboolean(L, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &culprit_key);
  host->loop = bide_loop_create(luv_loop(L));
  host->tasks = host->loop != NULL ? bide_tasks_push(L, host, &host->memory.budget) : NULL;
  if (host->tasks == NULL)
    bide_failure_no_memory(L);
  lua_setiuservalue(L, -2, TASKS); /* host */
  lua_pop(L, 1);
}

static void settle(BideHost *host, lua_State *L) {
  begin_turn(host, L);
  bide_loop_settle(host->loop);
  end_turn(host);
}

bool bide_host_turn(lua_State *L) {
  BideHost *host = bide_host_check(L);
  bool more;
  if (host->turning != NULL)
    luaL_error(L, "cannot wait here: this code was called by the loop itself");
  luaL_checkstack(L, 20, NULL);
  bide_interrupt_pause_until(bide_loop_rests_until(host->loop));
  begin_turn(host, L);
  more = bide_loop_turn(host->loop);
  end_turn(host);
  if (host->faulted) {
    settle(host, L); /* the error may end the script */
    raise_fault(host, L);
  }
  return more;
}

void bide_host_settle(lua_State *L) {
  BideHost *host = bide_host_of(L);
  if (host->loop == NULL || host->turning != NULL)
    return;
  luaL_checkstack(L, 20, NULL);
  settle(host, L);
  if (host->faulted)
    raise_fault(host, L);
}

void bide_host_handle_signals(BideHost *host, lua_State *L) {
  lua_State *turning = host->turning;
  int handler = host->handler;
  begin_turn(host, L);
  bide_signals_handle(bide_loop_signals(host->loop));
  end_turn(host);
  host->turning = turning;
  host->handler = handler;
}
