/*
** Tasks: Lua functions that run as coroutines on the loop. A task borrows its coroutine from a
** pool for as long as it runs, so a sleeping wait holds none (task_coroutine.c). task.c resumes
** them, task_pause.c lets them wait, task_deadline.c stops those whose time is over, task_limits.c
** bounds what they use.
**
** A task ends in one of four ways, and its `ended` function is called once with the word for it:
**   returned   the function returned; its results follow
**   raised     it raised, or exceeded a limit; the error value follows
**   cut        its deadline came, even within a loop that never yields
**   cancelled  it was cancelled
** In the last two cases, and beyond a limit, the coroutine is closed where it is: its <close>
** variables run, and pcall cannot catch it. When a task ends, the tasks that it started are
** cancelled.
*/
#ifndef BIDE_HOST_TASK_H
#define BIDE_HOST_TASK_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/export.h"
#include "host/host.h"

typedef struct BideTask BideTask;
typedef struct BideWaker BideWaker;
typedef struct BideTasks BideTasks;

/* No deadline. */
#define BIDE_NEVER INT64_MAX

/*
** Pushes the tasks of a host: a userdata that the host keeps until the state is closed, since
** hooks and finalizers read it after bide_tasks_close. Returns NULL if memory runs out.
*/
BideTasks *bide_host_tasks(BideHost *host);
BideTasks *bide_tasks_push(lua_State *L, BideHost *host, BideBudget *memory);
void bide_tasks_close(BideTasks *tasks);
size_t bide_tasks_count(const BideTasks *tasks);

/*
** Whose code a task runs: that of bide, of a script, or an attempt of a wait. An unlimited one is
** of bide too, and has no script limits: what it calls of scripts runs in tasks of their own, as in
** one within it (bide_task_push_within). An attempt, as which most begin, is the first in lists.
*/
typedef enum BideTaskKind {
  BIDE_TASK_ATTEMPT,
  BIDE_TASK_OWN,
  BIDE_TASK_SCRIPT,
  BIDE_TASK_UNLIMITED,
  BIDE_TASK_WITHIN
} BideTaskKind;

/*
** Creates a task that will run function(argument) at the loop's next step, and pushes its userdata.
** `run`, `ended` and `argument` are absolute stack positions. The userdata of an attempt may be
** that of an earlier one, which has ended: it is used no longer than until `ended` is called.
*/
BideTask *bide_task_start(lua_State *L, int run, int ended, int argument, int64_t deadline,
                          BideTaskKind kind);

/*
** Pushes a task that runs a function, which may not wait, within the running one, if there is one.
** bide_task_run_within runs it: it is at 1, the function and its arguments are above it. Returns
** the number of values that it has pushed: the word for its end, and its results.
*/
BideTask *bide_task_push_within(lua_State *L);
int bide_task_run_within(lua_State *L, BideTask *task);

/*
** Sets "@" and the folder of bide's own Lua, which has no script. A script gives way to other tasks
** after it has run for a while, but only in its own code. The text must live as long as the host.
*/
void bide_tasks_set_own_folder(BideHost *host, const char *folder);

/*
** Sets the wait of a store for which the task runs, and the tasks that it starts from now on; 0 for
** none. If their code ends a worker, that wait gets a strike.
*/
void bide_task_run_for(BideTask *task, int64_t wait);

/* Cancels the task. The running one ends when it waits next, or is checked next. */
void bide_task_cancel(BideTask *task);

/* Returns the running task; NULL outside of tasks. */
BideTask *bide_task_current(BideHost *host);

/*
** Pushes the userdata of the attempt for which the running task works, or of which it is part; nil
** for a task that belongs to no attempt, and outside of tasks.
*/
void bide_task_push_attempt(lua_State *L, BideHost *host);

/*
** Pushes the argument of that attempt, or nil. The attempt may rest afterwards, since nothing keeps
** its userdata.
*/
void bide_task_push_argument_of_attempt(lua_State *L, BideHost *host);

/* Pushes the argument with which the task at stack index `task` began; nil once it has ended. */
void bide_task_push_argument(lua_State *L, int task);

/* Reports whether a deadline cuts the task, or one of its parents. */
bool bide_task_has_deadline(const BideTask *task);

/* Pushes the userdata of a task that has not ended, which may be kept; nil for NULL. */
void bide_task_show(lua_State *L, BideTask *task);

/* Reports whether the running task has a verdict: it is ended as soon as possible. */
bool bide_task_is_stopping(BideHost *host);

/*
** Runs the tasks that are ready, without waiting for the loop's next step, and not those that had
** their share and gave way. Only the loop may call it. Of many tasks that start together, each ends
** before the next begins, unless it waits.
*/
void bide_tasks_run_ready(BideTasks *tasks);

/* Runs the first of them, for a function that the loop calls protected; it may raise. */
void bide_tasks_run_first(lua_State *L, BideTasks *tasks);

/* Puts a paused task into the queue of those that continue at the loop's next step. */
void bide_task_ready(BideTask *task);

/*
** Pauses the running coroutine until the waker at `index` has fired, and returns the values that
** it was called with, as a lua_CFunction. Outside of tasks it turns the loop until then. Raises
** if this code may not wait.
*/
int bide_task_pause(lua_State *L, int index);

/*
** The same for a waker that is part of the userdata at `index`. Returns what `continued` returns,
** whose context is `index`. A resume of a script may call it too early; it then pauses again.
*/
BIDE_API int bide_task_pause_on(lua_State *L, int index, BideWaker *waker, lua_KFunction continued);

/*
** Reports whether code in a task may take what has ended already, in place of a pause. It may once
** in each run of the task, so that the other tasks run too if it never has to wait.
*/
BIDE_API bool bide_task_may_skip_pause(lua_State *L);

/*
** Returns for how many milliseconds since then a task last kept the loop from turning, if it did
** so for 100 ms or ran when it was cut, and pushes the argument of that attempt, or false for
** another task. Returns 0 and pushes nothing if none did, or under the virtual clock.
*/
int64_t bide_task_push_hold(lua_State *L, int64_t since);

/*
** Forbids waiting, for a matcher; `subject` begins the message of the error. NULL allows waiting.
** Returns the subject of before.
*/
const char *bide_task_forbid(BideHost *host, const char *subject);
const char *bide_task_forbidden_by(BideHost *host);

/*
** The script limits: they hold for the tasks that are started after they were set. `instructions`
** is the most instructions of Lua, counted roughly, between two waits; 0 is unlimited.
** `script_time` is the processor time of an attempt with the tasks that it starts, or of any other
** task of a script between two waits, in milliseconds. The limit of memory is that of
** bide_memory_of: tasks may use all of it, and reporting their end may go a little beyond. The
** texts must live as long as the host.
*/
typedef struct BideScriptLimits {
  int64_t instructions;
  int64_t script_time;     /* milliseconds of the processor; 0 is unlimited */
  const char *memory_text; /* the limit of memory, for messages */
} BideScriptLimits;

void bide_tasks_limit_scripts(BideHost *host, const BideScriptLimits *limits);

/*
** Charges the running task with `instructions` for work that C has done, if it is limited. Does not
** return if none are left, or if the task's time is over, limited or not, so the caller may hold
** nothing that Lua does not collect.
*/
void bide_task_charge(lua_State *L, int64_t instructions);

/*
** Called before a coroutine runs: gives it the hook that counts instructions if those of the
** running task are counted, and else takes it.
*/
void bide_task_watch(lua_State *L);

/*
** Ends the running attempt, or task of a script, with a script error, as a limit does: pcall cannot
** catch it. Other tasks, and code outside of tasks, get an error: {refused = text}. Does not
** return, so the caller may hold nothing that Lua does not collect.
*/
BIDE_API int bide_task_refuse(lua_State *L, const char *text);

/*
** Called around work of bide's own within a task, such as reading an answer, whose processor time
** does not count as that of the script. Begin returns the mark for the end.
*/
int64_t bide_task_begin_own_work(BideHost *host);
void bide_task_end_own_work(BideHost *host, int64_t mark);

/*
** The number of the vocabulary that the running code has entered (host/values/script_functions.h).
** Each task has its own: one that waits, or gives way, leaves it.
*/
int64_t bide_task_vocabulary(BideHost *host);
void bide_task_set_vocabulary(BideHost *host, int64_t number);

/*
** Called around a callback of luv, which runs outside of tasks. The end returns true if the
** callback was stopped because something overdue waited for its end.
*/
void bide_tasks_begin_callback(BideTasks *tasks);
bool bide_tasks_end_callback(BideTasks *tasks);

/*
** Called around a function that opens or closes something, and that nothing may stop in between:
** what is due meanwhile stops the code after it. One that runs for a second is stopped
** nevertheless.
*/
void bide_task_begin_whole(BideHost *host);
void bide_task_end_whole(BideHost *host);

/*
** Reports once that the host has just stopped `coroutine` so that other tasks run, or a signal is
** handled.
*/
bool bide_task_was_preempted(BideHost *host, const lua_State *coroutine);

/* Returns the value that a coroutine within a task yields if and only if it waits. */
void *bide_task_waiting_mark(void);

#endif
