/*
** Tasks: Lua functions that run as coroutines on the loop. A task's coroutine is
** borrowed from a pool for as long as it runs, so what merely sleeps holds none.
**
** A task ends in one of four ways, and its `ended` function hears of it once:
**   returned   the function returned; its results follow
**   raised     it raised, or went beyond a limit; the error value follows
**   cut        its deadline came, even in the middle of a loop that never yields
**   cancelled  somebody cancelled it
** In the last two, and beyond a limit, the coroutine is closed where it stands: its <close> variables
** run, pcall does not see it. The tasks that it started are cancelled when it ends.
*/
#ifndef BIDE_HOST_TASK_H
#define BIDE_HOST_TASK_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "host/host.h"

typedef struct BideTask BideTask;
typedef struct BideWaker BideWaker;
typedef struct BideTasks BideTasks;

/* No deadline. */
#define BIDE_NEVER INT64_MAX

/*
** The tasks of a host: a userdata that is pushed, and that the host keeps to the end of
** the state, since hooks and finalizers look at it after it was closed. NULL where memory
** is out.
*/
BideTasks *bide_host_tasks(BideHost *host);
BideTasks *bide_tasks_push(lua_State *L, BideHost *host, BideBudget *memory);
void bide_tasks_close(BideTasks *tasks);
size_t bide_tasks_count(const BideTasks *tasks);

/*
** Makes a task that will run function(argument) at the loop's next step; pushes
** its userdata. The stack positions are absolute: `run`, `ended` and `argument`.
*/
BideTask *bide_task_start(lua_State *L, int run, int ended, int argument, int64_t deadline);

/* Ends it: at once, or where it is the running one as soon as it waits or is looked at. */
void bide_task_cancel(BideTask *task);

/* The task that runs now; NULL outside of tasks. */
BideTask *bide_task_current(BideHost *host);

/* Whether a task, or one of those that it belongs to, is cut at some time. */
bool bide_task_has_deadline(const BideTask *task);

/* Pushes the userdata of a task; nil for NULL, and for a task that has ended. */
void bide_task_push(lua_State *L, const BideTask *task);

/* Whether the running task has its verdict: it is ended as soon as that can be done. */
bool bide_task_is_stopping(BideHost *host);

/*
** Runs the tasks that are ready now, without waiting for the loop's next step; only
** the loop may call it. Of many that start at a time each then ends, where it does
** not wait, before the next is made.
*/
void bide_tasks_run_ready(BideTasks *tasks);

/* Puts a paused task in the queue of those that go on at the loop's next step. */
void bide_task_ready(BideTask *task);

/*
** Pauses the running coroutine until `waker`, at `index`, has fired, and returns
** what it was called with (a lua_CFunction's return). Outside of tasks it turns the loop
** until then. Raises where it may not wait.
*/
int bide_task_pause(lua_State *L, int index);

/*
** Forbids or allows waiting, with the words of who forbids it; for matchers. NULL
** allows. Returns who forbade it before.
*/
const char *bide_task_forbid(BideHost *host, const char *who);
const char *bide_task_forbidden_by(BideHost *host);

/*
** What tasks that are started from here on are held to. `instructions` of Lua,
** counted roughly, between two waits; 0 is any number. The limit of memory is that
** of bide_memory_of, which these tasks may use up, while what is told of them may
** go a little beyond. The texts live as long as the host.
*/
typedef struct BideScriptLimits {
  int64_t instructions;
  const char *memory_text; /* the limit of memory, for messages */
  const char *own_folder;  /* "@" and the folder of bide's own Lua, where no script stands */
} BideScriptLimits;

void bide_tasks_limit_scripts(BideHost *host, const BideScriptLimits *limits);

/*
** Counts `instructions` that C has done on behalf of a script, where its task is held to a
** number of them. Where they are used up it does not return, so that L must hold nothing that
** only C knows of.
*/
void bide_task_charge(lua_State *L, int64_t instructions);

/*
** Around a callback of luv, which runs outside of tasks. The second returns whether it was
** stopped, because something overdue waited for its end.
*/
void bide_tasks_begin_callback(BideTasks *tasks);
bool bide_tasks_end_callback(BideTasks *tasks);

/* Whether `coroutine` was just stopped by the host so that a signal can be heeded; forgets it. */
bool bide_task_was_preempted(BideHost *host, const lua_State *coroutine);

/* What a coroutine within a task yields when it waits, and only then. */
void *bide_task_waiting_mark(void);

#endif
