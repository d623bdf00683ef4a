/*
** bide.core.service: reports a worker to its supervisor, and how the one before it ended. Annotated
** in lua/bide/meta/service.lua. Without a supervisor its functions do nothing.
*/
#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

#include "host/api/modules.h"
#include "host/service.h"

/*
** service.open(): takes what the program has set as "bide.service" in package.loaded, if it has,
** out of the reach of scripts
*/
static int open_service(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "bide.service") != LUA_TLIGHTUSERDATA)
    return 0;
  bide_service_open(lua_touserdata(L, -1));
  lua_pushnil(L);
  lua_setfield(L, -3, "bide.service");
  return 0;
}

/* service.serve(worker): from now on, the end of this process is an accident of that worker */
static int serve(lua_State *L) {
  BideService *service = bide_service_shared();
  lua_Integer worker = luaL_checkinteger(L, 1);
  luaL_argcheck(L, worker > 0, 1, "must be above 0");
  if (service == NULL)
    return 0;
  service->worker = worker;
  service->phase = BIDE_SERVICE_SERVING;
  return 0;
}

/* service.leave(): from now on, the end of this process is that of the command */
static int leave(lua_State *L) {
  BideService *service = bide_service_shared();
  (void)L;
  if (service != NULL)
    service->phase = BIDE_SERVICE_LEAVING;
  return 0;
}

/* Pushes a sentence without its subject. */
static void push_end(lua_State *L, int status) {
  if (WIFSIGNALED(status))
    lua_pushfstring(L, "by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    lua_pushfstring(L, "with exit code %d", WEXITSTATUS(status));
}

/* service.accident() -> worker, wait | nil, how it ended | nothing if there was none */
static int accident(lua_State *L) {
  const BideService *service = bide_service_shared();
  if (service == NULL || service->last.worker == 0)
    return 0;
  lua_pushinteger(L, service->last.worker);
  if (service->last.wait != 0)
    lua_pushinteger(L, service->last.wait);
  else
    lua_pushnil(L);
  push_end(L, service->last.status);
  return 3;
}

/* service.settle(): the accident was written, so the next worker does not hear of it */
static int settle(lua_State *L) {
  BideService *service = bide_service_shared();
  (void)L;
  if (service != NULL)
    memset(&service->last, 0, sizeof service->last);
  return 0;
}

const luaL_Reg bide_functions_service[] = {
  {"open", open_service}, {"serve", serve},   {"leave", leave},
  {"accident", accident}, {"settle", settle}, {NULL, NULL},
};
