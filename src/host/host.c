#include "host/host.h"

#include <lauxlib.h>
#include <luv/luv.h>

#include "host/task.h"

struct BideHost {
  BideLoop *loop;
  BideTasks *tasks;
  lua_State *turning; /* who turns the loop; NULL between turns */
  bool faulted;       /* a callback raised; the error is in the registry under &fault_key */
};

static const char host_key = 0;
static const char fault_key = 0;

BideHost *bide_host_of(lua_State *L) {
  BideHost *host;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &host_key);
  host = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return host;
}

BideLoop *bide_host_loop(BideHost *host) {
  return host->loop;
}

BideTasks *bide_host_tasks(BideHost *host) {
  return host->tasks;
}

lua_State *bide_host_state(BideHost *host) {
  return host->turning;
}

static int close_host(lua_State *L) {
  BideHost *host = lua_touserdata(L, 1);
  if (host->tasks != NULL)
    bide_tasks_destroy(host->tasks);
  if (host->loop != NULL)
    bide_loop_destroy(host->loop);
  host->tasks = NULL;
  host->loop = NULL;
  return 0;
}

/*
** The loop is luv's own, so that scripts which use luv wait on the same loop as
** bide does, whichever of the two was loaded first.
*/
void bide_host_open(lua_State *L) {
  BideHost *host;
  if (bide_host_of(L) != NULL)
    return;
  lua_getglobal(L, "require"); /* before the host, since it must outlive it */
  lua_pushliteral(L, "luv");
  lua_call(L, 1, 0);
  host = lua_newuserdatauv(L, sizeof *host, 0);
  host->loop = NULL;
  host->tasks = NULL;
  host->turning = NULL;
  host->faulted = false;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_host);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  host->loop = bide_loop_create(luv_loop(L));
  host->tasks = host->loop != NULL ? bide_tasks_create(host) : NULL;
  if (host->tasks == NULL)
    luaL_error(L, "bide: no memory for the loop");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &host_key);
}

bool bide_host_turn(lua_State *L) {
  BideHost *host = bide_host_of(L);
  bool more;
  if (host->turning != NULL)
    luaL_error(L, "cannot wait here: this code was called by the loop itself");
  luaL_checkstack(L, 20, NULL);
  host->turning = L;
  more = bide_loop_turn(host->loop);
  host->turning = NULL;
  if (host->faulted) {
    host->faulted = false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &fault_key);
    lua_error(L);
  }
  return more;
}

static int add_traceback(lua_State *L) {
  const char *message = lua_tostring(L, 1);
  if (message != NULL)
    luaL_traceback(L, L, message, 1);
  return 1;
}

void bide_host_call(BideHost *host, int arguments) {
  lua_State *L = host->turning;
  int function = lua_gettop(L) - arguments;
  lua_pushcfunction(L, add_traceback);
  lua_insert(L, function);
  if (lua_pcall(L, arguments, 0, function) != LUA_OK) {
    if (!host->faulted)
      lua_rawsetp(L, LUA_REGISTRYINDEX, &fault_key);
    else
      lua_pop(L, 1);
    host->faulted = true;
  }
  lua_remove(L, function);
}
