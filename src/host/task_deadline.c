#include "host/task_state.h"

#include <lauxlib.h>

#include "base/clock.h"
#include "host/interrupt.h"

#define COUNTED 100             /* instructions between two checks of how many are left */
#define UNCOUNTED 5             /* milliseconds that a script may run before they are counted */
#define LEAST_UNCOUNTED 5000000 /* the limit of them from which on it may */
#define SHARE 50                /* milliseconds that a script may run while other tasks are ready */
#define SHARE_STEP 5      /* milliseconds at least between two checks of one that cannot give way */
#define SHARE_PART 10     /* the part of its run after which such a script is checked again */
#define LONGEST_RUN 10000 /* milliseconds that a task may run under the virtual clock */
#define CALLBACK_GRACE 20 /* milliseconds that any callback of luv may run */
#define RAISING_GRACE 20  /* milliseconds before an error stops code that a C function has called */
#define RAISING_STEP 5    /* milliseconds between two checks of it meanwhile */
#define LONGEST_CLOSING 1000 /* milliseconds that the closing of a task may take at most */
#define LONGEST_WHOLE \
  1000 /* milliseconds that a function may stay whole which should have stopped */

static void on_hook(lua_State *L, lua_Debug *activation);

static bool is_counted(const BideTask *task) {
  return task != NULL && task->counted;
}

/*
** Without an interrupt, only tasks whose instructions are counted have a hook. Processor time is
** looked at by interrupts.
*/
static void set_usual_hook(lua_State *L, const BideTask *task) {
  if (is_counted(task))
    lua_sethook(L, on_hook, LUA_MASKCOUNT, COUNTED);
  else
    lua_sethook(L, NULL, 0, 0);
}

static bool is_to_be_counted(const BideTask *task) {
  return task->limited && !task->counted &&
         (task->tasks->limits.instructions > 0 || task->tasks->memory->limit > 0);
}

/*
** Under a hook Lua takes a longer way for each instruction, and most resumes have some hundreds of
** them. So an interrupt begins the counting when a resume has lasted; what ran before is less than
** a limit that is not small.
*/
void bide_task_begin_instructions(BideTask *task) {
  int64_t limit = task->tasks->limits.instructions;
  if (!task->gave_way)
    task->counted = false;
  if (is_to_be_counted(task) && limit > 0 && limit < LEAST_UNCOUNTED)
    task->counted = true;
  bide_task_watch(task->thread);
}

/* A hook for one instruction stays: it is an interrupt, which is still to be answered. */
void bide_task_watch(lua_State *L) {
  const BideTask *task = bide_task_current(bide_host_of(L));
  if ((lua_gethookmask(L) != 0) != is_counted(task) && lua_gethookcount(L) != 1)
    set_usual_hook(L, task);
}

bool bide_tasks_open_hook(void) {
  return bide_interrupt_open(on_hook);
}

/*
** Stops the code that runs on L: by a yield, after which the coroutine is closed, or by an error.
** A pcall may catch the error, here or in a coroutine that resumed this one, so their next
** instructions raise again.
*/
static void stop_here(lua_State *L, const BideTask *task) {
  if (L == task->thread && task->verdict != CLOSING && lua_isyieldable(L)) {
    lua_yield(L, 0); /* the coroutine is closed from outside, where no pcall catches it */
    return;
  }
  bide_interrupt_chain();
  luaL_error(L, "stopped: %s",
             task->verdict == CANCELLED  ? "cancelled"
             : task->verdict == EXCEEDED ? task->tasks->excess
                                         : "past its deadline");
}

/* Lets other tasks run. A coroutine within the task is left by the one that resumed it, too. */
static void give_way(lua_State *L, BideTasks *tasks) {
  if (L != tasks->running->thread)
    tasks->preempted = L;
  lua_yield(L, 0);
}

/*
** Lets the loop handle a signal, by a yield. A C call that runs would give no results after it, so
** the signal is handled here then. If a C function that called Lua (a matcher's call, table.sort)
** prevents the yield, the task is stopped, too: nothing else could stop it.
*/
static void let_signals_through(lua_State *L, BideTasks *tasks, bool is_in_call) {
  bool can_yield = lua_isyieldable(L);
  if (can_yield && !is_in_call) {
    give_way(L, tasks);
    return;
  }
  bide_host_handle_signals(tasks->host, L);
  if (!can_yield)
    bide_task_cancel(tasks->running);
  if (tasks->running->verdict != UNDECIDED)
    stop_here(L, tasks->running);
}

/*
** Cuts the task if its time is over. If a parent's is, cuts that and cancels the task, as the
** loop would.
*/
static void cut_what_is_overdue(BideTask *task, int64_t now) {
  BideTask *parent = task->parent;
  if (now > task->cut_at) {
    task->verdict = CUT;
    return;
  }
  while (parent != NULL && now <= parent->cut_at)
    parent = parent->parent;
  if (parent == NULL)
    return;
  bide_task_end_from_outside(parent, CUT);
  task->verdict = CANCELLED;
}

/* The virtual clock does not advance while a script runs, so the limit is in real time. */
static void end_long_run(lua_State *L, BideTask *task) {
  if (bide_loop_is_virtual(bide_host_loop(task->tasks->host)) &&
      bide_clock_monotonic() > task->resumed_at + LONGEST_RUN)
    bide_task_exceed(L, task, "it ran for more than %d s without waiting", LONGEST_RUN / 1000);
}

/*
** Code that a C function has called can only be stopped by an error, after which <close> variables
** within a pcall do not run. It gets a moment to return, as the code of require does.
*/
static bool is_about_to_return(lua_State *L, BideTask *task) {
  int64_t now = bide_clock_monotonic();
  if (lua_isyieldable(L) || task->verdict == EXCEEDED || task->verdict == CLOSING)
    return false;
  if (task->urged_at == 0)
    task->urged_at = now;
  if (now >= task->urged_at + RAISING_GRACE)
    return false;
  set_usual_hook(L, task);
  bide_interrupt_rest_until(now + RAISING_STEP);
  return true;
}

static void stop_or_wait(lua_State *L, BideTask *task, bool is_in_call) {
  if (is_about_to_return(L, task))
    return;
  if (task->verdict == UNDECIDED)
    let_signals_through(L, task->tasks, is_in_call);
  else
    stop_here(L, task);
}

/*
** Reports whether the task has had its share, and gives way. Code of bide itself keeps what it
** holds, so only that of scripts is stopped; the virtual clock has no other task that waits for it.
*/
static bool has_had_its_share(lua_State *L, const BideTask *task) {
  const BideTasks *tasks = task->tasks;
  return task->verdict == UNDECIDED && bide_clock_monotonic() >= task->resumed_at + SHARE &&
         !bide_loop_is_virtual(bide_host_loop(tasks->host)) && tasks->forbidden_by == NULL &&
         lua_isyieldable(L) && bide_task_runs_script(tasks, L);
}

/*
** Reports whether the moment of a closing task is over. While its thread had no processor, as on a
** busy machine, none of it passed; but what a __close function waits for is bounded as well.
*/
static bool has_closed_for_long(BideTask *task, int64_t now) {
  int64_t left = CLOSING_GRACE - (bide_clock_thread() - task->closing_began) / 1000000;
  if (now <= task->cut_at)
    return false;
  if (left <= 0 || now >= task->resumed_at + LONGEST_CLOSING)
    return true;
  task->cut_at = now + left;
  return false;
}

/*
** Checks whether the code that runs on L for the task, which is in a C call or between two
** instructions of Lua, must end. Does not return if it ends now.
*/
static void check_task(lua_State *L, BideTask *task, bool is_in_call) {
  BideLoop *loop = bide_host_loop(task->tasks->host);
  int64_t now = task->verdict == CLOSING ? bide_clock_monotonic() : bide_loop_clock(loop);
  bide_task_check_limits(L, task);
  if (lua_gethookcount(L) == 1) {
    bide_task_check_time(L, task);
    if (is_to_be_counted(task) && bide_clock_monotonic() >= task->resumed_at + UNCOUNTED)
      task->counted = true;
  }
  if (task->verdict == UNDECIDED)
    cut_what_is_overdue(task, now);
  if (task->verdict == UNDECIDED)
    end_long_run(L, task);
  if (task->verdict == CLOSING
        ? has_closed_for_long(task, now)
        : task->verdict != UNDECIDED || bide_signals_is_pending(bide_loop_signals(loop)))
    stop_or_wait(L, task, is_in_call);
  else if (!is_in_call && has_had_its_share(L, task)) {
    set_usual_hook(L, task);
    give_way(L, task->tasks);
  } else if (lua_gethookcount(L) == 1) {
    set_usual_hook(L, task);
    bide_interrupt_rest_until(BIDE_NEVER);
    bide_task_arm(task, bide_clock_monotonic());
  }
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
    check_task(L, task, true);
}

int bide_task_refuse(lua_State *L, const char *text) {
  BideTask *task = bide_task_current(bide_host_of(L));
  if (task == NULL || bide_task_is_of_bide(bide_task_account(task))) {
    lua_createtable(L, 0, 1);
    lua_pushstring(L, text);
    lua_setfield(L, -2, "refused");
    return lua_error(L);
  }
  if (task->verdict == UNDECIDED)
    bide_task_exceed(L, task, "%s", text);
  check_task(L, task, true);
  return luaL_error(L, "%s", text); /* it cannot be ended here, and ends soon */
}

/* Returns the next time at which something overdue may wait for the end of the running callback. */
static int64_t next_check_of_callback(const BideTasks *tasks, int64_t now) {
  const BideLoop *loop = bide_host_loop(tasks->host);
  int64_t due = bide_signals_is_pending(bide_loop_signals(loop)) ? now : bide_loop_next_timer(loop);
  return due > now + CALLBACK_GRACE ? due : now + CALLBACK_GRACE;
}

static bool callback_is_over(const BideTasks *tasks, int64_t now) {
  const BideLoop *loop = bide_host_loop(tasks->host);
  int64_t took = now - tasks->callback_began;
  if (tasks->callback_began == 0 || took < CALLBACK_GRACE)
    return false;
  return bide_signals_is_pending(bide_loop_signals(loop)) || bide_loop_has_overdue_deadline(loop) ||
         (bide_loop_is_virtual(loop) && took > LONGEST_RUN);
}

/*
** Outside of tasks only callbacks of luv are stopped: they keep the loop from turning, and so from
** handling what is overdue. A callback that has just begun will probably end by itself.
*/
static void check_callback(lua_State *L, BideTasks *tasks) {
  int64_t now = bide_clock_monotonic();
  if (callback_is_over(tasks, now)) {
    tasks->stopped_callback = true;
    bide_interrupt_chain();
    luaL_error(L, "stopped: it kept the loop from turning");
  }
  set_usual_hook(L, NULL);
  bide_interrupt_rest_until(next_check_of_callback(tasks, now));
}

void bide_tasks_begin_callback(BideTasks *tasks) {
  tasks->callback_began = bide_clock_monotonic();
  tasks->stopped_callback = false;
  if (tasks->running == NULL)
    bide_interrupt_due(bide_loop_first_deadline(bide_host_loop(tasks->host)), BIDE_EXIT_MAX_WAIT);
  bide_interrupt_at(next_check_of_callback(tasks, tasks->callback_began));
}

bool bide_tasks_end_callback(BideTasks *tasks) {
  tasks->callback_began = 0;
  return tasks->stopped_callback || bide_task_is_stopping(tasks->host);
}

static bool is_closing(const BideTask *task) {
  return task != NULL && task->verdict == CLOSING;
}

void bide_task_begin_whole(BideHost *host) {
  BideTasks *tasks = bide_host_tasks(host);
  if (tasks->whole++ > 0)
    return;
  tasks->whole_since = 0;
  if (!is_closing(tasks->running))
    return;
  tasks->whole_began = bide_clock_monotonic();
  tasks->whole_thread = bide_clock_thread();
}

/*
** What was due is stopped now, and not at the next check. The moment that a closing task has is
** for its scripts: what bide itself closes does not use it up.
*/
void bide_task_end_whole(BideHost *host) {
  BideTasks *tasks = bide_host_tasks(host);
  if (--tasks->whole > 0)
    return;
  if (is_closing(tasks->running)) {
    tasks->running->cut_at += bide_clock_monotonic() - tasks->whole_began;
    tasks->running->closing_began += bide_clock_thread() - tasks->whole_thread;
  }
  if (!tasks->was_due)
    return;
  tasks->was_due = false;
  bide_interrupt_at(bide_clock_monotonic());
}

/*
** Lets a function that must stay whole continue, unless it has run for long since it first should
** have stopped.
*/
static bool is_whole(lua_State *L, BideTasks *tasks) {
  int64_t now;
  if (tasks->whole == 0)
    return false;
  now = bide_clock_monotonic();
  if (tasks->whole_since == 0)
    tasks->whole_since = now;
  if (now >= tasks->whole_since + LONGEST_WHOLE)
    return false;
  tasks->was_due = true;
  set_usual_hook(L, tasks->running);
  bide_interrupt_rest_until(now + RAISING_STEP);
  return true;
}

static void on_hook(lua_State *L, lua_Debug *activation) {
  BideTasks *tasks = bide_host_tasks(bide_host_of(L));
  (void)activation;
  bide_interrupt_answer();
  if (tasks == NULL)
    lua_sethook(L, NULL, 0, 0); /* the host is closed */
  else if (is_whole(L, tasks))
    return;
  else if (tasks->running == NULL)
    check_callback(L, tasks);
  else {
    tasks->running->left -= lua_gethookcount(L);
    check_task(L, tasks->running, false);
  }
}

int bide_task_exit_code(const BideTask *task) {
  int number = bide_signals_handled();
  if (task->verdict == EXCEEDED)
    return BIDE_EXIT_SCRIPT_ERROR;
  return task->verdict == CANCELLED && number != 0 ? BIDE_EXIT_SIGNAL + number : BIDE_EXIT_MAX_WAIT;
}

/*
** Returns when to look whether the task has had its share; again soon, if it could not give way. To
** set a hook, Lua walks the calls of a state, and a script that recurs may have made more of them
** the longer it has run: so the checks become rarer as it continues.
*/
static int64_t next_share(const BideTask *task, int64_t now) {
  int64_t share = task->resumed_at + SHARE, part = (now - task->resumed_at) / SHARE_PART;
  if (share > now)
    return share;
  return now + (part > SHARE_STEP ? part : SHARE_STEP);
}

/* Returns when to look at the task, or when to begin to count its instructions. */
static int64_t next_look(const BideTask *task, int64_t now) {
  int64_t share = next_share(task, now), counted = task->resumed_at + UNCOUNTED;
  return is_to_be_counted(task) && counted < share ? counted : share;
}

void bide_task_arm(const BideTask *task, int64_t now) {
  int64_t at = task->cut_at;
  int exit_code = task->verdict == CLOSING ? task->exit_code : BIDE_EXIT_MAX_WAIT;
  for (const BideTask *parent = task->parent; parent != NULL; parent = parent->parent)
    if (parent->cut_at < at)
      at = parent->cut_at;
  if (task->verdict == UNDECIDED && bide_loop_is_virtual(bide_host_loop(task->tasks->host))) {
    at = task->resumed_at + LONGEST_RUN;
    exit_code = BIDE_EXIT_SCRIPT_ERROR;
  }
  bide_interrupt_due(at, exit_code);
  bide_interrupt_at(next_look(task, now));
  if (at != BIDE_NEVER)
    bide_interrupt_at(at +
                      1); /* the clock rounds down, and code that ends at its deadline is in time */
}
