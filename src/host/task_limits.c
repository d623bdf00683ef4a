#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "host/interrupt.h"
#include "host/task_state.h"

#define NANOSECONDS 1000000        /* in a millisecond */
#define RESERVE ((size_t)16 << 20) /* bytes beyond the limit, to report the end of a task */

void bide_tasks_limit_scripts(BideHost *host, const BideScriptLimits *limits) {
  BideTasks *tasks = bide_host_tasks(host);
  tasks->limits = *limits;
  tasks->limited = true;
  tasks->memory->reserve = RESERVE;
}

/* Writes the place of the script, for messages: the innermost line outside of bide's own Lua. */
static bool write_place(const BideTasks *tasks, lua_State *L, char *text, size_t size) {
  const char *own = tasks->own_folder;
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

BideTask *bide_task_account(BideTask *task) {
  for (BideTask *parent = task; parent != NULL; parent = parent->parent)
    if (parent->kind == BIDE_TASK_ATTEMPT)
      return parent;
  return task;
}

/* Ends the attempt too, before its other tasks find one after the other that memory is short. */
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
  bide_task_end_from_outside(bide_task_account(task), EXCEEDED);
  bide_interrupt_due(0, BIDE_EXIT_SCRIPT_ERROR);
  bide_interrupt_at(0);
}

/* ---- processor time ------------------------------------------------------------------------ */

void bide_tasks_set_own_folder(BideHost *host, const char *folder) {
  bide_host_tasks(host)->own_folder = folder;
}

bool bide_task_runs_script(const BideTasks *tasks, lua_State *L) {
  const char *own = tasks->own_folder;
  lua_Debug frame;
  return own != NULL && lua_getstack(L, 0, &frame) && lua_getinfo(L, "S", &frame) &&
         frame.what[0] != 'C' && strncmp(frame.source, own, strlen(own)) != 0;
}

static bool is_timed(const BideTask *task) {
  return task->limited && !bide_task_is_of_bide(task) && task->tasks->limits.script_time > 0;
}

/*
** The clock of a thread is read by a system call, which costs more than most resumes of an attempt.
** Those are as many as last a hundredth of the limit together, by the real clock, which has been
** read anyway; none of their time counts. Returns that hundredth, in milliseconds.
*/
static int64_t uncounted(const BideTasks *tasks) {
  return tasks->limits.script_time / 100;
}

/*
** Returns what the clock of the thread shows at most at the real time `now`: it was read before,
** and runs no faster. What was read long ago is read anew.
*/
static int64_t latest_time_of_thread(BideTasks *tasks, int64_t now) {
  if (tasks->thread_time == 0 || now - tasks->thread_read_at >= uncounted(tasks)) {
    tasks->thread_time = bide_clock_thread();
    tasks->thread_read_at = now;
  }
  return tasks->thread_time + (now - tasks->thread_read_at + 1) * NANOSECONDS;
}

/*
** A task of a script beside attempts has the whole time again after each wait. The begin of a long
** resume that might have been a short one is known within a hundredth of the limit, and never too
** early: a script may have two hundredths more than its limit, and never has less, since what
** another process took of a real time is not counted.
*/
void bide_task_begin_counting(BideTask *task) {
  BideTask *account = bide_task_account(task);
  task->tasks->own_work = 0;
  if (!is_timed(task))
    return;
  if (account->kind != BIDE_TASK_ATTEMPT && !task->gave_way)
    task->used = task->lasted = 0;
  task->began = account->lasted < uncounted(task->tasks)
                  ? latest_time_of_thread(task->tasks, task->resumed_at)
                  : bide_clock_thread();
}

static int64_t time_of_run(const BideTask *task) {
  return bide_clock_thread() - task->began - task->tasks->own_work;
}

int64_t bide_task_begin_own_work(BideHost *host) {
  const BideTask *task = bide_task_current(host);
  return task != NULL && is_timed(task) ? bide_clock_thread() : 0;
}

void bide_task_end_own_work(BideHost *host, int64_t mark) {
  if (mark != 0)
    bide_host_tasks(host)->own_work += bide_clock_thread() - mark;
}

/* Gives the task its verdict if `used` nanoseconds are too many. */
static void check_used(lua_State *L, BideTask *task, int64_t used) {
  int64_t limit = task->tasks->limits.script_time * NANOSECONDS;
  if (task->verdict == UNDECIDED && used > limit)
    bide_task_exceed(
      L, task, "limit of processor time exceeded: it took %.1f s %s, and may take %.1f s",
      (double)used / 1e9,
      bide_task_account(task)->kind == BIDE_TASK_ATTEMPT ? "in one attempt" : "without waiting",
      (double)limit / 1e9);
}

void bide_task_check_time(lua_State *L, BideTask *task) {
  if (is_timed(task))
    check_used(L, task, bide_task_account(task)->used + time_of_run(task));
}

void bide_task_end_counting(BideTask *task, int64_t now) {
  BideTask *account = bide_task_account(task);
  if (!is_timed(task))
    return;
  account->lasted += now - task->resumed_at + 1; /* both times are rounded down */
  if (account->lasted < uncounted(task->tasks))
    return;
  account->used += time_of_run(task);
  check_used(task->thread, task, account->used);
}

/* Returns the attempt that the running task belongs to; NULL if it belongs to none. */
static BideTask *current_attempt(BideHost *host) {
  BideTask *task = bide_task_current(host), *account = task ? bide_task_account(task) : NULL;
  return account != NULL && account->kind == BIDE_TASK_ATTEMPT ? account : NULL;
}

void bide_task_push_attempt(lua_State *L, BideHost *host) {
  bide_task_show(L, current_attempt(host));
}

void bide_task_push_argument_of_attempt(lua_State *L, BideHost *host) {
  const BideTask *attempt = current_attempt(host);
  if (attempt == NULL)
    lua_pushnil(L);
  else
    bide_task_push_own_argument(L, attempt);
}

/* ---- all limits ---------------------------------------------------------------------------- */

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
  if (!task->gave_way)
    task->left = task->tasks->limits.instructions;
  memory->reserve = holds ? 0 : RESERVE;
  memory->refused = false;
}
