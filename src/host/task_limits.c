#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/interrupt.h"
#include "host/task_state.h"

#define RESERVE ((size_t)16 << 20) /* bytes beyond the limit, to report the end of a task */

void bide_tasks_limit_scripts(BideHost *host, const BideScriptLimits *limits) {
  BideTasks *tasks = bide_host_tasks(host);
  tasks->limits = *limits;
  tasks->limited = true;
  tasks->memory->reserve = RESERVE;
}

/* Writes the place of the script, for messages: the innermost line outside of bide's own Lua. */
static bool write_place(const BideTasks *tasks, lua_State *L, char *text, size_t size) {
  const char *own = tasks->limits.own_folder;
  lua_Debug frame;
  for (int level = 0; own != NULL && lua_getstack(L, level, &frame); level++)
    if (lua_getinfo(L, "Sl", &frame) && frame.currentline > 0 &&
        strncmp(frame.source, own, strlen(own)) != 0) {
      snprintf(text, size, "%s:%d: ", frame.short_src, frame.currentline);
      return true;
    }
  text[0] = '\0';
  return false;
}

void bide_task_exceed(lua_State *L, BideTask *task, const char *format, ...) {
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
  bide_interrupt_due(0, BIDE_EXIT_SCRIPT_ERROR);
  bide_interrupt_at(0);
}

void bide_task_check_limits(lua_State *L, BideTask *task) {
  const BideScriptLimits *limits = &task->tasks->limits;
  if (!task->limited || task->verdict != UNDECIDED)
    return;
  if (task->tasks->memory->refused)
    bide_task_exceed(L, task, "memory limit exceeded: scripts, and what they hold, may take %s",
                     limits->memory_text);
  else if (limits->instructions > 0 && task->left < 0)
    bide_task_exceed(
      L, task, "instruction limit exceeded: it ran more than %lld instructions without waiting",
      (long long)limits->instructions);
}

void bide_task_enforce_limits(BideTask *task, bool holds) {
  BideBudget *memory = task->tasks->memory;
  if (!task->limited)
    return;
  task->left = task->tasks->limits.instructions;
  memory->reserve = holds ? 0 : RESERVE;
  memory->refused = false;
}

void bide_task_charge(lua_State *L, int64_t instructions) {
  BideTask *task = bide_task_current(bide_host_of(L));
  if (task == NULL)
    return;
  if (task->limited) {
    task->left = instructions > task->left ? -1 : task->left - instructions;
    bide_task_check_limits(L, task);
  }
  /* A hook count of 1 is an interrupt, for which the next instruction of Lua may come late. */
  if (task->verdict == EXCEEDED || lua_gethookcount(L) == 1)
    bide_task_check(L, task);
}
