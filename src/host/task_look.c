#include "host/task_state.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define HOOK_COUNT 1000        /* instructions between two looks at the clock */
#define LIMITED_HOOK_COUNT 100 /* the same where one instruction may do much on purpose */
#define RESUME_COST 100        /* instructions that the resume of a coroutine counts for */
#define RESERVE ((size_t)16 << 20) /* bytes beyond the limit, to tell what became of a task */

/* ---- limits ------------------------------------------------------------- */

void bide_tasks_limit(BideHost *host, const BideTaskLimits *limits) {
  BideTasks *tasks = bide_host_tasks(host);
  tasks->limits = *limits;
  tasks->limited = true;
  tasks->memory->reserve = RESERVE;
}

/* Where the script stands, for messages: the innermost line that is not one of bide's own. */
static bool write_place(const BideTasks *tasks, lua_State *L, char *text, size_t size) {
  const char *own = tasks->limits.own_folder;
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame); level++)
    if (lua_getinfo(L, "Sl", &frame) && frame.currentline > 0 &&
        strncmp(frame.source, own, strlen(own)) != 0) {
      snprintf(text, size, "%s:%d: ", frame.short_src, frame.currentline);
      return true;
    }
  text[0] = '\0';
  return false;
}

/* Says what the task did (as printf). L is the coroutine that runs for it, or that has just stopped. */
static void exceed(lua_State *L, BideTask *task, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

static void exceed(lua_State *L, BideTask *task, const char *format, ...) {
  BideTasks *tasks = task->tasks;
  size_t length;
  va_list arguments;
  if (!write_place(tasks, L, tasks->excess, sizeof tasks->excess) && L != task->thread)
    write_place(tasks, task->thread, tasks->excess, sizeof tasks->excess);
  length = strlen(tasks->excess);
  va_start(arguments, format);
  vsnprintf(tasks->excess + length, sizeof tasks->excess - length, format, arguments);
  va_end(arguments);
  task->verdict = EXCEEDED;
}

void bide_task_heed_limits(lua_State *L, BideTask *task) {
  const BideTaskLimits *limits = &task->tasks->limits;
  if (!task->limited || task->verdict != GOES_ON)
    return;
  if (task->tasks->memory->refused)
    exceed(L, task, "memory limit exceeded: scripts, and what they hold, may take %s",
           limits->memory_text);
  else if (limits->instructions > 0 && task->left < 0)
    exceed(L, task, "instruction limit exceeded: it ran more than %lld instructions without waiting",
           (long long)limits->instructions);
}

void bide_task_hold_to_limits(BideTask *task, bool holds) {
  BideBudget *memory = task->tasks->memory;
  if (!task->limited)
    return;
  task->left = task->tasks->limits.instructions;
  memory->reserve = holds ? 0 : RESERVE;
  memory->refused = false;
}

/* ---- the hook: looks at the clock while Lua runs ------------------------ */

static void look(lua_State *L, lua_Debug *activation);

static void stop_here(lua_State *L, const BideTask *task) {
  if (L == task->thread && task->verdict != CLOSING && lua_isyieldable(L)) {
    lua_yield(L, 0); /* the coroutine is closed from outside, where pcall cannot see it */
    return;
  }
  lua_sethook(L, look, LUA_MASKCOUNT, 1); /* so that a pcall around it is stopped as well */
  luaL_error(L, "stopped: %s", task->verdict == CANCELLED  ? "cancelled"
                               : task->verdict == EXCEEDED ? task->tasks->excess
                                                           : "past its deadline");
}

/*
** A signal is heeded by the loop, which turns only when the task lets it. Where a
** C function stands between the two (a matcher's call, table.sort) it is heeded
** here, and what runs is over as well: nothing else could stop it.
*/
static void let_signals_through(lua_State *L, BideTasks *tasks) {
  if (!lua_isyieldable(L)) {
    bide_host_heed_signals(tasks->host, L);
    bide_task_cancel(tasks->running);
    stop_here(L, tasks->running);
    return;
  }
  if (L != tasks->running->thread)
    tasks->preempted = L;
  lua_yield(L, 0);
}

static void look_after(lua_State *L, int64_t instructions) {
  BideHost *host = bide_host_of(L);
  BideTasks *tasks = bide_host_tasks(host);
  BideTask *task = tasks->running;
  if (task == NULL)
    return;
  task->left -= instructions;
  bide_task_heed_limits(L, task);
  if (task->verdict == GOES_ON && bide_loop_clock(bide_host_loop(host)) > task->cut_at)
    task->verdict = CUT;
  if (task->verdict == CLOSING && bide_loop_clock(bide_host_loop(host)) < task->cut_at)
    return;
  if (task->verdict != GOES_ON)
    stop_here(L, task);
  else if (bide_loop_signal_pending(bide_host_loop(host)))
    let_signals_through(L, tasks);
}

static int hook_count(const BideTasks *tasks) {
  return tasks->limited ? LIMITED_HOOK_COUNT : HOOK_COUNT;
}

static void look(lua_State *L, lua_Debug *activation) {
  (void)activation;
  look_after(L, hook_count(bide_host_tasks(bide_host_of(L))));
}

void bide_task_watch(const BideTasks *tasks, lua_State *thread) {
  lua_sethook(thread, look, LUA_MASKCOUNT, hook_count(tasks));
}

void bide_task_look(lua_State *L) {
  look_after(L, RESUME_COST);
}
