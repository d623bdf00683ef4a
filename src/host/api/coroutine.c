/*
** bide.core.coroutine: replacements of coroutine.resume, wrap and close. They keep the chain of
** running states, so that it can be interrupted, and let a script's own coroutines wait: a call
** that waits yields to the task, through the script's resume, which returns only what the script
** itself yields. Annotated in lua/bide/meta/coroutine.lua.
*/
#include <lauxlib.h>

#include "host/api/modules.h"
#include "host/interrupt.h"
#include "host/task.h"

#define RESUME_COST 100   /* instructions charged for a resume: each coroutine counts its own */
#define CLOSING_DEPTH 150 /* coroutines closed within each other, as deep as Lua calls C */

typedef enum Caller { RESUME, WRAP } Caller; /* the function that the script called */

static lua_State *check_coroutine(lua_State *L, int index) {
  lua_State *co = lua_tothread(L, index);
  luaL_argexpected(L, co != NULL, index, "coroutine");
  return co;
}

/*
** Reports whether the coroutine stopped so that the task can wait, or so that a signal is handled;
** then it has yielded nothing to the script.
*/
static bool waits(lua_State *L, lua_State *co, int results) {
  if (results == 0)
    return bide_task_was_preempted(bide_host_of(L), co);
  return lua_touserdata(co, -results) == bide_task_waiting_mark();
}

static int close_failed(lua_State *L, lua_State *co);

static int fail(lua_State *L, lua_State *co, Caller caller) {
  if (caller == WRAP)
    return close_failed(L, co);
  lua_pushboolean(L, false);
  lua_insert(L, -2);
  return 2;
}

static int give_results(lua_State *L, lua_State *co, int results, Caller caller) {
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return fail(L, co, caller);
  }
  if (caller == RESUME)
    lua_pushboolean(L, true);
  lua_xmove(co, L, results);
  return results + (caller == RESUME);
}

static int run(lua_State *L, lua_State *co, int arguments, Caller caller);

/* Continues the coroutine, which is at 1, after the task has waited. */
static int continue_run(lua_State *L, int status, lua_KContext caller) {
  (void)status;
  lua_settop(L, 1);
  return run(L, lua_tothread(L, 1), 0, (Caller)caller);
}

/* Runs the coroutine at 1, with the arguments above it. */
static int run(lua_State *L, lua_State *co, int arguments, Caller caller) {
  BideRunning link;
  int results = 0, status;
  if (!lua_checkstack(co, arguments)) {
    lua_pushliteral(L, "too many arguments to resume");
    return fail(L, co, caller);
  }
  lua_xmove(L, co, arguments);
  bide_task_watch(co);
  bide_interrupt_enter(&link, co);
  status = lua_resume(co, L, arguments, &results);
  bide_interrupt_leave(&link);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(co, L, 1);
    return fail(L, co, caller);
  }
  if (status == LUA_OK || !waits(L, co, results))
    return give_results(L, co, results, caller);
  lua_pop(co, results);
  lua_pushlightuserdata(L, bide_task_waiting_mark());
  return lua_yieldk(L, 1, (lua_KContext)caller, continue_run);
}

/* coroutine.resume(coroutine, ...) -> true, what it yields or returns | false, error */
static int resume_coroutine(lua_State *L) {
  lua_State *co = check_coroutine(L, 1);
  bide_task_charge(L, RESUME_COST);
  return run(L, co, lua_gettop(L) - 1, RESUME);
}

static int call_wrapped(lua_State *L) {
  bide_task_charge(L, RESUME_COST);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  return run(L, lua_tothread(L, 1), lua_gettop(L) - 1, WRAP);
}

/* coroutine.wrap(f) -> function that resumes, and raises what the coroutine raised */
static int wrap_function(lua_State *L) {
  lua_State *co;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  co = lua_newthread(L);
  lua_pushvalue(L, 1); /* f coroutine f */
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, call_wrapped, 1);
  return 1;
}

/* ---- closing ---------------------------------------------------------------- */

static bool may_be_closed(lua_State *L, lua_State *co) {
  lua_Debug frame;
  return co != L && (lua_status(co) != LUA_OK || !lua_getstack(co, 0, &frame));
}

/* Closes a coroutine. Nested closing takes C stack that Lua does not count, hence the limit. */
static int reset(lua_State *L, lua_State *co) {
  BideRunning link;
  int status;
  if (bide_interrupt_depth() > CLOSING_DEPTH)
    return luaL_error(L, "too many coroutines are closed within each other");
  bide_task_watch(co);
  bide_interrupt_enter(&link, co);
  status = lua_resetthread(co);
  bide_interrupt_leave(&link);
  return status;
}

/* Raises the error on top of the stack, or the one that closing the coroutine returns. */
static int close_failed(lua_State *L, lua_State *co) {
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD && reset(L, co) != LUA_OK)
    lua_xmove(co, L, 1);
  return lua_error(L);
}

/* coroutine.close(coroutine) -> true | false, error */
static int close_coroutine(lua_State *L) {
  lua_State *co = check_coroutine(L, 1);
  if (!may_be_closed(L, co))
    return luaL_error(L, "cannot close a %s coroutine", co == L ? "running" : "normal");
  if (reset(L, co) == LUA_OK) {
    lua_pushboolean(L, true);
    return 1;
  }
  lua_pushboolean(L, false);
  lua_xmove(co, L, 1);
  return 2;
}

const luaL_Reg bide_functions_coroutine[] = {
  {"resume", resume_coroutine},
  {"wrap", wrap_function},
  {"close", close_coroutine},
  {NULL, NULL},
};
