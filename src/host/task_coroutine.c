#include <lauxlib.h>

#include "base/clock.h"
#include "host/interrupt.h"
#include "host/service.h"
#include "host/task_state.h"

#define POOL_SIZE 256 /* idle coroutines that are kept, and tasks that rest */

/* Pushes a coroutine with an empty stack. */
static lua_State *borrow_thread(lua_State *L, BideTasks *tasks) {
  if (tasks->idle == 0)
    return lua_newthread(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, tasks->idle_table);
  lua_rawgeti(L, -1, (lua_Integer)tasks->idle); /* idle thread */
  lua_pushnil(L);
  lua_rawseti(L, -3, (lua_Integer)tasks->idle);
  tasks->idle--;
  lua_remove(L, -2); /* thread */
  return lua_tothread(L, -1);
}

/* Pops the thread on top of the stack, which does not run, into the pool. */
static void return_to_pool(lua_State *L, BideTasks *tasks) {
  lua_State *thread = lua_tothread(L, -1);
  lua_settop(thread, 0);
  if (tasks->idle < POOL_SIZE) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, tasks->idle_table);
    lua_insert(L, -2); /* idle thread */
    lua_rawseti(L, -2, (lua_Integer)++tasks->idle);
  }
  lua_pop(L, 1);
}

/* Pops the error of a __close function, which no code can catch, as Lua does with those of __gc. */
static void warn_of_close(lua_State *L) {
  const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  lua_warning(L, "error in __close of a task that was ended: ", 1);
  lua_warning(L, message != NULL ? message : "its value is not a string", 0);
  lua_pop(L, 1);
}

/*
** Closes the variables that the coroutine left open. Their __close functions get a moment; the hook
** stops one that does not return, like any other code. A coroutine that an error has ended keeps
** that error; one that waited has none but theirs.
*/
static void close_thread(BideTask *task) {
  bool waited = lua_status(task->thread) == LUA_YIELD;
  BideTasks *tasks = task->tasks;
  BideTask *running = tasks->running;
  BideRunning link;
  task->exit_code = bide_task_exit_code(task);
  task->verdict = CLOSING;
  task->resumed_at = bide_clock_monotonic();
  task->cut_at = task->resumed_at + CLOSING_GRACE;
  task->closing_began = bide_clock_thread();
  tasks->running = task;
  bide_interrupt_enter(&link, task->thread);
  bide_task_arm(task, task->resumed_at);
  bide_service_run_for(task->wait);
  if (lua_resetthread(task->thread) != LUA_OK && waited)
    warn_of_close(task->thread);
  bide_service_run_for(running != NULL ? running->wait : 0);
  bide_interrupt_leave(&link);
  tasks->running = running;
}

/*
** Only a coroutine whose function has returned goes to the pool. Others are not used again: after
** an error of the hook, Lua leaves that coroutine's hooks off, and one that was closed within an
** xpcall keeps its handler in Lua 5.4.4.
*/
void bide_task_return_thread(lua_State *L, BideTask *task) {
  int status;
  if (task->thread == NULL)
    return;
  status = lua_status(task->thread);
  if (status != LUA_OK)
    close_thread(task);
  task->thread = NULL;
  bide_task_push(L, task);
  lua_getiuservalue(L, -1, TASK_THREAD); /* task thread */
  if (status == LUA_OK)
    return_to_pool(L, task->tasks);
  else
    lua_pop(L, 1);
  lua_pushnil(L); /* task nil */
  lua_setiuservalue(L, -2, TASK_THREAD);
  lua_pop(L, 1);
}

/* Such a task has a userdata that nothing else keeps, unless it was shown. */
static bool is_of_a_kind_that_rests(BideTaskKind kind) {
  return kind == BIDE_TASK_ATTEMPT || kind == BIDE_TASK_WITHIN;
}

static bool may_rest(const BideTask *task) {
  return is_of_a_kind_that_rests(task->kind) && !task->is_shown && task->verdict == UNDECIDED &&
         task->thread != NULL && lua_status(task->thread) == LUA_OK &&
         task->tasks->rests < POOL_SIZE;
}

bool bide_task_rest(lua_State *L, int index, BideTask *task) {
  BideTasks *tasks = task->tasks;
  if (!may_rest(task))
    return false;
  lua_settop(task->thread, 0);
  lua_pushnil(L);
  lua_setiuservalue(L, index, TASK_ARGUMENT);
  if (task->keeps_waker) {
    lua_pushnil(L);
    lua_setiuservalue(L, index, TASK_WAKER);
  }
  task->next = tasks->resting;
  tasks->resting = task;
  tasks->rests++;
  return true;
}

BideTask *bide_task_push_blank(lua_State *L, BideTasks *tasks, BideTaskKind kind) {
  BideTask *task = is_of_a_kind_that_rests(kind) ? tasks->resting : NULL;
  if (task == NULL) {
    task = lua_newuserdatauv(L, sizeof *task, TASK_WAKER);
    *task = (BideTask){.tasks = tasks, .kind = kind, .reference = LUA_NOREF};
    return task;
  }
  bide_task_push(L, task);
  tasks->resting = task->next;
  tasks->rests--;
  *task = (BideTask){
    .tasks = tasks, .kind = kind, .reference = task->reference, .rested = task->thread};
  return task;
}

void bide_task_give_thread(lua_State *L, BideTask *task) {
  task->thread = task->rested;
  if (task->thread == NULL) {
    bide_task_push(L, task);
    task->thread = borrow_thread(L, task->tasks); /* task thread */
    lua_setiuservalue(L, -2, TASK_THREAD);
    lua_pop(L, 1);
  }
}

int bide_task_begin(lua_State *L, BideTask *task) {
  bide_task_give_thread(L, task);
  bide_task_push(L, task);
  lua_getiuservalue(L, -1, TASK_RUN);
  lua_getiuservalue(L, -2, TASK_ARGUMENT); /* task run argument */
  lua_xmove(L, task->thread, 2);
  lua_pop(L, 1);
  return 1;
}
