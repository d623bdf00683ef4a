#include <lauxlib.h>

#include "host/interrupt.h"
#include "host/task_state.h"
#include "host/waker.h"

static const char waiting_mark = 0;

void *bide_task_waiting_mark(void) {
  return (void *)(uintptr_t)&waiting_mark;
}

void bide_task_leave_waker(BideTask *task) {
  if (task->waker != NULL)
    task->waker->task = NULL;
  task->waker = NULL;
}

/*
** Sets the waker, at `index`, which the coroutine of the task keeps. That of another coroutine,
** which a script may drop, is kept by the task.
*/
static void enter_waker(lua_State *L, BideTask *task, BideWaker *waker, int index) {
  if (L != task->thread) {
    bide_task_push(L, task);
    lua_pushvalue(L, index); /* task waker */
    lua_setiuservalue(L, -2, TASK_WAKER);
    lua_pop(L, 1);
    task->keeps_waker = true;
  }
  bide_task_leave_waker(task);
  task->waker = waker;
  waker->task = task;
}

static int push_values(lua_State *L, int index, const BideWaker *waker) {
  luaL_checkstack(L, waker->values, NULL);
  for (int i = 1; i <= waker->values; i++)
    lua_getiuservalue(L, index, i);
  return waker->values;
}

static void turn_until_fired(lua_State *L, const BideWaker *waker) {
  while (!waker->fired)
    if (!bide_host_turn(L) && !waker->fired)
      luaL_error(L, "this would wait for ever: nothing is left that could end it");
  bide_host_settle(L);
}

static void check_pause(lua_State *L) {
  if (!lua_isyieldable(L))
    luaL_error(L, "cannot wait here: a C function (such as table.sort or string.gsub) "
                  "has called this code");
  if (bide_interrupt_innermost() != L)
    luaL_error(L, "cannot wait here: this coroutine was resumed by a function that bide does not "
                  "know; call bide.install() before it is taken from the library");
}

int bide_task_pause_on(lua_State *L, int index, BideWaker *waker, lua_KFunction continued) {
  BideTasks *tasks = bide_host_tasks(bide_host_check(L));
  if (tasks->forbidden_by != NULL)
    return luaL_error(L, "%s may not wait", tasks->forbidden_by);
  if (!waker->fired && tasks->running == NULL)
    turn_until_fired(L, waker);
  if (waker->fired)
    return continued(L, LUA_OK, index);
  check_pause(L);
  enter_waker(L, tasks->running, waker, index);
  lua_settop(L, index);
  lua_pushlightuserdata(L, bide_task_waiting_mark());
  return lua_yieldk(L, 1, index, continued);
}

/* A signal that is pending comes first: the task may end by it, and not by what it waits for. */
bool bide_task_may_skip_pause(lua_State *L) {
  BideHost *host = bide_host_check(L);
  const BideTasks *tasks = bide_host_tasks(host);
  BideTask *running = tasks->running;
  if (running == NULL || running->skipped_pause || running->verdict != UNDECIDED ||
      tasks->forbidden_by != NULL ||
      bide_signals_is_pending(bide_loop_signals(bide_host_loop(host))))
    return false;
  running->skipped_pause = true;
  return true;
}

static int continue_pause(lua_State *L, int status, lua_KContext index) {
  BideWaker *waker = lua_touserdata(L, (int)index);
  (void)status;
  lua_settop(L, (int)index);
  if (!waker->fired)
    return bide_task_pause_on(L, (int)index, waker, continue_pause);
  return push_values(L, (int)index, waker);
}

int bide_task_pause(lua_State *L, int index) {
  return bide_task_pause_on(L, index, bide_waker_check(L, index), continue_pause);
}
