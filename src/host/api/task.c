/* bide.core.task: tasks, wakers and pausing. Annotated in lua/bide/meta/task.lua. */
#include <lauxlib.h>

#include "host/api/modules.h"
#include "host/class.h"
#include "host/task.h"
#include "host/waker.h"

static const char own_folder_key = 0;

static const BideClass task_class = {"bide.task"};

/* Sets the class of the task on top of the stack, unless that has rested. */
static void set_class(lua_State *L) {
  if (lua_getmetatable(L, -1))
    lua_pop(L, 1);
  else
    bide_class_set(L, &task_class);
}

/*
** task.start(run, ended, deadline | nil, argument, kind | nil) -> task
** The kind is "attempt", "own", "script" or "unlimited".
*/
static int start(lua_State *L) {
  static const char *const kinds[] = {"attempt", "own", "script", "unlimited", NULL};
  BideTaskKind kind = (BideTaskKind)luaL_checkoption(L, 5, "own", kinds);
  int64_t deadline = BIDE_NEVER;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  if (!lua_isnoneornil(L, 3))
    deadline = luaL_checkinteger(L, 3);
  lua_settop(L, 4);
  bide_task_start(L, 1, 2, 4, deadline, kind);
  set_class(L);
  return 1;
}

/*
** task.run(f, ...) -> "returned", what f returns | "raised", failure | "cancelled"; f may not wait
*/
static int run(lua_State *L) {
  BideTask *task;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  task = bide_task_push_within(L);
  set_class(L);
  lua_insert(L, 1); /* task f … */
  return bide_task_run_within(L, task);
}

/* task:cancel() */
static int cancel(lua_State *L) {
  bide_task_cancel(bide_class_check(L, 1, &task_class));
  return 0;
}

/* task:argument() -> that with which it was started */
static int argument(lua_State *L) {
  bide_class_check(L, 1, &task_class);
  bide_task_push_argument(L, 1);
  return 1;
}

/* task.hold(since) -> milliseconds, the argument of the attempt | false; nothing if none held */
static int hold(lua_State *L) {
  int64_t took = bide_task_push_hold(L, luaL_checkinteger(L, 1));
  if (took == 0)
    return 0;
  lua_pushinteger(L, took);
  lua_insert(L, -2);
  return 2;
}

/* task.has_deadline() -> whether a deadline cuts the running task or one of its parents */
static int has_deadline(lua_State *L) {
  lua_pushboolean(L, bide_task_has_deadline(bide_task_current(bide_host_check(L))));
  return 1;
}

/* task.waker() -> waker */
static int waker(lua_State *L) {
  bide_host_check(L); /* an operation that calls the waker would start on a closed loop */
  bide_waker_push(L);
  return 1;
}

/* task.pause(waker) -> what the waker was called with */
static int pause_on(lua_State *L) {
  bide_waker_check(L, 1);
  lua_settop(L, 1);
  return bide_task_pause(L, 1);
}

/* task.without_waiting(subject, f, ...) -> what f returns; f may not wait */
static int without_waiting(lua_State *L) {
  BideHost *host = bide_host_check(L);
  const char *subject = luaL_checkstring(L, 1), *before;
  luaL_checkany(L, 2);
  before = bide_task_forbid(host, subject);
  int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
  bide_task_forbid(host, before);
  if (status != LUA_OK)
    return lua_error(L);
  return lua_gettop(L) - 1;
}

/*
** task.protect(subject, handler, f, ...) -> true, what f returns | false, what the handler returns
** of what it raised; f may not wait
*/
static int protect(lua_State *L) {
  BideHost *host = bide_host_check(L);
  const char *subject = luaL_checkstring(L, 1), *before;
  luaL_checktype(L, 2, LUA_TFUNCTION);
  luaL_checkany(L, 3);
  before = bide_task_forbid(host, subject);
  int status = lua_pcall(L, lua_gettop(L) - 3, LUA_MULTRET, 2);
  bide_task_forbid(host, before);
  lua_pushboolean(L, status == LUA_OK);
  lua_replace(L, 2);
  return lua_gettop(L) - 1;
}

/* Calls the function of its upvalue. */
static int call_whole(lua_State *L) {
  BideHost *host = bide_host_of(L);
  int arguments = lua_gettop(L), status;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  bide_task_begin_whole(host);
  status = lua_pcall(L, arguments, LUA_MULTRET, 0);
  bide_task_end_whole(host);
  if (status != LUA_OK)
    return lua_error(L);
  return lua_gettop(L);
}

/* task.whole(f) -> a function that calls f, which nothing stops in between; f may not wait */
static int whole(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, call_whole, 1);
  return 1;
}

/* task.forbidden_by() -> the subject that forbids waiting now | nil */
static int forbidden_by(lua_State *L) {
  lua_pushstring(L, bide_task_forbidden_by(bide_host_check(L)));
  return 1;
}

/* task.stopping() -> whether the running task is being ended */
static int stopping(lua_State *L) {
  lua_pushboolean(L, bide_task_is_stopping(bide_host_check(L)));
  return 1;
}

/* task.current() -> the running task | nil outside of tasks */
static int current(lua_State *L) {
  bide_task_show(L, bide_task_current(bide_host_check(L)));
  return 1;
}

/* task.set_own_folder(text) */
static int set_own_folder(lua_State *L) {
  BideHost *host = bide_host_check(L);
  luaL_checkstring(L, 1);
  lua_settop(L, 1);
  bide_tasks_set_own_folder(host, lua_tostring(L, 1));
  lua_rawsetp(L, LUA_REGISTRYINDEX, &own_folder_key); /* keeps the text */
  return 0;
}

/* task.attempt() -> the task of the attempt that the running one belongs to | nil */
static int attempt(lua_State *L) {
  bide_task_push_attempt(L, bide_host_check(L));
  return 1;
}

/* task.argument_of_attempt() -> the argument of that attempt | nil */
static int argument_of_attempt(lua_State *L) {
  bide_task_push_argument_of_attempt(L, bide_host_check(L));
  return 1;
}

/* task.run_for(wait | nil, task | nil): the running task runs for that wait, or another one does */
static int run_for(lua_State *L) {
  BideHost *host = bide_host_check(L);
  lua_Integer wait = luaL_optinteger(L, 1, 0);
  BideTask *task = lua_isnoneornil(L, 2) ? bide_task_current(host)
                                         : bide_class_check(L, 2, &task_class);
  if (task != NULL)
    bide_task_run_for(task, wait);
  return 0;
}

/* task.count() -> the number of tasks that have not ended */
static int count(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)bide_tasks_count(bide_host_tasks(bide_host_check(L))));
  return 1;
}

/* Continues a bound call that has yielded: returns all that the function has returned. */
static int end_bound_call(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  return lua_gettop(L);
}

/* The function that task.bound returns; its upvalues are f and the argument. */
static int call_bound(lua_State *L) {
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_callk(L, 1, LUA_MULTRET, 0, end_bound_call);
  return end_bound_call(L, LUA_OK, 0);
}

/* task.bound(f, argument) -> a function that calls f(argument) */
static int bound(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  lua_pushcclosure(L, call_bound, 2);
  return 1;
}

static const luaL_Reg methods[] = {{"cancel", cancel}, {NULL, NULL}};

const luaL_Reg bide_functions_task[] = {
  {"start", start},
  {"run", run},
  {"cancel", cancel},
  {"hold", hold},
  {"has_deadline", has_deadline},
  {"waker", waker},
  {"pause", pause_on},
  {"without_waiting", without_waiting},
  {"protect", protect},
  {"whole", whole},
  {"bound", bound},
  {"current", current},
  {"forbidden_by", forbidden_by},
  {"stopping", stopping},
  {"count", count},
  {"argument", argument},
  {"set_own_folder", set_own_folder},
  {"attempt", attempt},
  {"argument_of_attempt", argument_of_attempt},
  {"run_for", run_for},
  {NULL, NULL},
};

void bide_define_task(lua_State *L) {
  bide_class_define(L, &task_class, methods);
}
