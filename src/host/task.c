#include "host/task.h"

#include <lauxlib.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "host/failure.h"
#include "host/interrupt.h"
#include "host/service.h"
#include "host/task_state.h"

#define LONG_HOLD 100 /* milliseconds without a turn of the loop that are worth a word */

/* The place in the registry of the argument of the task that last held the loop. */
static const char holder_key = 0;

_Static_assert(offsetof(BideTask, deadline) == 0, "the timer is at the address of its task");

static void forget_task(lua_State *L, BideTask *task) {
  luaL_unref(L, LUA_REGISTRYINDEX, task->reference);
  task->reference = LUA_NOREF;
}

static BideTask *take_first(TaskQueue *queue) {
  BideTask *task = queue->first;
  queue->first = task->next;
  if (queue->first == NULL)
    queue->last = NULL;
  task->queued = false;
  return task;
}

/* Tasks that are started while their parent is being closed have no parent: it has ended. */
static void adopt(BideTask *parent, BideTask *task) {
  if (parent == NULL || parent->over)
    return;
  task->parent = parent;
  task->older = parent->child;
  if (task->older != NULL)
    task->older->younger = task;
  parent->child = task;
}

static void leave_family(BideTask *task) {
  if (task->younger != NULL)
    task->younger->older = task->older;
  else if (task->parent != NULL)
    task->parent->child = task->older;
  if (task->older != NULL)
    task->older->younger = task->younger;
  task->parent = task->older = task->younger = NULL;
}

/* Counts a task that begins, as a child of the running one. */
static void enrol(BideTask *task) {
  task->tasks->count++;
  adopt(task->tasks->running, task);
}

static void end_children(BideTask *task) {
  while (task->child != NULL) {
    BideTask *child = task->child;
    leave_family(child);
    bide_task_cancel(child);
  }
}

/*
** Releases all that the task at stack index `index` holds, and pushes `results` values from the top
** of its coroutine's stack; the text of the limit that it exceeded in place of them. Returns their
** number.
*/
static int release_task(lua_State *L, BideTask *task, int index, int results) {
  bool exceeded = task->verdict == EXCEEDED; /* the closing of the coroutine is a verdict too */
  BideTasks *tasks = task->tasks;
  task->over = true;
  bide_loop_stop_timer(bide_host_loop(tasks->host), &task->deadline);
  bide_task_leave_waker(task);
  leave_family(task);
  end_children(task);
  tasks->count--;
  luaL_checkstack(L, results + 8, NULL);
  if (exceeded)
    lua_pushstring(L, tasks->excess);
  else if (results > 0)
    lua_xmove(task->thread, L, results);
  if (!bide_task_rest(L, index, task)) {
    bide_task_return_thread(L, task);
    forget_task(L, task);
  }
  if (exceeded)
    lua_gc(L, LUA_GCCOLLECT); /* the other tasks need the memory */
  return exceeded ? 1 : results;
}

/*
** Ends the task and calls `ended` with the word for it and `results` values from the top of the
** coroutine's stack. The coroutine is closed first, so `ended` finds everything released that the
** task held.
*/
static void end_task(lua_State *L, BideTask *task, const char *how, int results) {
  int index;
  luaL_checkstack(L, 8, NULL);
  bide_task_push(L, task);
  index = lua_gettop(L);
  lua_getiuservalue(L, index, TASK_ENDED);
  lua_getiuservalue(L, index, TASK_ARGUMENT);
  lua_pushstring(L, how); /* task ended argument how */
  results = release_task(L, task, index, results);
  lua_call(L, 2 + results, 0);
  lua_pop(L, 1);
}

/* A task that exceeded a limit has a script error like any other, with the text tasks->excess. */
static const char *verdict_word(Verdict verdict) {
  if (verdict == EXCEEDED)
    return "raised";
  return verdict == CUT ? "cut" : "cancelled";
}

/*
** Notes a task that kept the loop from turning for long, or that ran when it was cut. The entry in
** the registry exists already, so nothing is allocated.
*/
static void note_hold(lua_State *L, const BideTask *task, int64_t now) {
  BideTasks *tasks = task->tasks;
  tasks->held_from = task->resumed_at;
  tasks->held_until = now;
  if (task->kind == BIDE_TASK_ATTEMPT)
    bide_task_push_own_argument(L, task);
  else
    lua_pushboolean(L, false);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &holder_key);
}

int64_t bide_task_push_hold(lua_State *L, int64_t since) {
  BideHost *host = bide_host_of(L);
  const BideTasks *tasks = bide_host_tasks(host);
  int64_t from = tasks->held_from > since ? tasks->held_from : since;
  if (tasks->held_until <= from || bide_loop_is_virtual(bide_host_loop(host)))
    return 0;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &holder_key);
  return tasks->held_until - from;
}

/* The one resume of tasks: runs the task until it waits or ends. Returns the status of Lua. */
static int resume(lua_State *L, BideTask *task, int arguments, int *results) {
  BideTasks *tasks = task->tasks;
  BideRunning link;
  int64_t now;
  int status;
  bide_task_leave_waker(task);
  task->urged_at = 0;
  task->skipped_pause = false;
  tasks->running = task;
  tasks->vocabulary = task->vocabulary;
  task->resumed_at = bide_clock_monotonic();
  bide_task_enforce_limits(task, true);
  bide_task_begin_instructions(task);
  bide_task_begin_counting(task);
  bide_interrupt_enter(&link, task->thread);
  bide_task_arm(task, task->resumed_at);
  bide_service_run_for(task->wait);
  status = lua_resume(task->thread, L, arguments, results);
  bide_service_run_for(0);
  bide_interrupt_leave(&link);
  now = bide_clock_monotonic();
  if (now - task->resumed_at >= LONG_HOLD || task->verdict == CUT)
    note_hold(L, task, now);
  bide_task_check_limits(task->thread, task);
  bide_task_end_counting(task, now);
  bide_task_enforce_limits(task, false);
  tasks->running = NULL;
  task->vocabulary = tasks->vocabulary;
  tasks->vocabulary = 0;
  return status;
}

/* A task that yields without a waker only lets the other tasks run. */
static void resume_task(lua_State *L, BideTask *task) {
  TaskQueue *tired = &task->tasks->tired;
  int arguments = task->thread == NULL ? bide_task_begin(L, task) : 0, results = 0;
  int status = resume(L, task, arguments, &results);
  task->gave_way = status == LUA_YIELD && task->waker == NULL;
  if (status == LUA_YIELD)
    lua_pop(task->thread, results);
  if (task->verdict != UNDECIDED)
    end_task(L, task, verdict_word(task->verdict), 0);
  else if (status == LUA_OK)
    end_task(L, task, "returned", results);
  else if (status != LUA_YIELD)
    end_task(L, task, "raised", 1);
  else if (task->waker == NULL)
    bide_task_enqueue(task, tired, tired->last);
}

/*
** Runs the task within the running one, which then runs on. What that had of memory or instructions
** is judged before, since both have their limits anew.
*/
static int resume_within(lua_State *L, BideTask *task, int arguments, int *results) {
  BideTasks *tasks = task->tasks;
  int64_t vocabulary = tasks->vocabulary, own_work = tasks->own_work;
  int64_t mark = bide_task_begin_own_work(tasks->host);
  int status;
  task->outer = tasks->running;
  if (task->outer != NULL)
    bide_task_check_limits(L, task->outer);
  status = resume(L, task, arguments, results);
  tasks->running = task->outer;
  tasks->vocabulary = vocabulary;
  tasks->own_work = own_work;
  bide_task_end_own_work(tasks->host, mark);
  return status;
}

/* Lets a task run on after another one has run within it, and has ended. */
static void run_on(BideTask *task) {
  bide_service_run_for(task->wait);
  bide_task_enforce_limits(task, true);
  bide_task_arm(task, bide_clock_monotonic());
}

/* Calls the function at 1 with the values above it; C calls it, so it may not yield. */
static int call_unyielding(lua_State *L) {
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

int bide_task_run_within(lua_State *L, BideTask *task) {
  BideTask *outer = task->tasks->running;
  int count = lua_gettop(L) - 1, results = 0, status;
  bide_task_give_thread(L, task);
  luaL_checkstack(task->thread, count + 1, NULL);
  lua_pushcfunction(task->thread, call_unyielding);
  lua_xmove(L, task->thread, count);
  enrol(task);
  status = resume_within(L, task, count, &results);
  if (task->verdict != UNDECIDED)
    results = 0;
  else if (status != LUA_OK)
    results = 1;
  lua_pushstring(L, task->verdict != UNDECIDED ? verdict_word(task->verdict)
                    : status == LUA_OK         ? "returned"
                                               : "raised");
  results = release_task(L, task, 1, results);
  if (outer != NULL)
    run_on(outer);
  return 1 + results;
}

static void step(lua_State *L, BideTask *task) {
  if (task->verdict == UNDECIDED && bide_task_account(task)->verdict != UNDECIDED)
    task->verdict = CANCELLED; /* its attempt is ended in its turn, with all that it started */
  if (task->verdict == CUT && task->gave_way)
    note_hold(L, task, bide_clock_monotonic());
  if (task->verdict != UNDECIDED)
    end_task(L, task, verdict_word(task->verdict), 0);
  else
    resume_task(L, task);
}

static int step_task(lua_State *L) {
  step(L, lua_touserdata(L, 1));
  return 0;
}

/* Signals come first: tasks that they cancel are put before the others. */
static BideTask *take_next(BideTasks *tasks, TaskQueue *queue) {
  bide_signals_handle(bide_loop_signals(bide_host_loop(tasks->host)));
  return take_first(queue);
}

static void stop_idle_step(BideTasks *tasks) {
  if (tasks->ready.first == NULL && tasks->tired.first == NULL)
    bide_loop_stop_timer(bide_host_loop(tasks->host), &tasks->step);
}

/* Tasks that come meanwhile run at the next step. The loop looks at deadlines before and after. */
static void run_queue(BideTasks *tasks, TaskQueue *queue) {
  lua_State *L = bide_host_state(tasks->host);
  BideTask *last = queue->last, *task = NULL;
  while (task != last) {
    if (task != NULL)
      bide_loop_look(bide_host_loop(tasks->host));
    task = take_next(tasks, queue);
    lua_pushcfunction(L, step_task);
    lua_pushlightuserdata(L, task);
    bide_host_call(tasks->host, 1);
  }
  stop_idle_step(tasks);
}

void bide_tasks_run_first(lua_State *L, BideTasks *tasks) {
  if (tasks->ready.first == NULL)
    return;
  step(L, take_next(tasks, &tasks->ready));
  stop_idle_step(tasks);
}

void bide_tasks_run_ready(BideTasks *tasks) {
  run_queue(tasks, &tasks->ready);
}

static void on_step(BideTimer *step) {
  BideTasks *tasks = (BideTasks *)(void *)((char *)step - offsetof(BideTasks, step));
  run_queue(tasks, &tasks->ready);
  run_queue(tasks, &tasks->tired);
}

BideTasks *bide_tasks_push(lua_State *L, BideHost *host, BideBudget *memory) {
  BideTasks *tasks = lua_newuserdatauv(L, sizeof *tasks, 0);
  memset(tasks, 0, sizeof *tasks);
  tasks->host = host;
  tasks->memory = memory;
  tasks->on_step = on_step;
  lua_newtable(L);
  tasks->idle_table = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushboolean(L, false);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &holder_key);
  if (bide_loop_reserve(bide_host_loop(host), 1) && bide_tasks_open_hook())
    return tasks;
  return NULL;
}

void bide_tasks_close(BideTasks *tasks) {
  bide_loop_unreserve(bide_host_loop(tasks->host), 1);
  bide_interrupt_close();
}

static void on_deadline(BideTimer *timer) {
  bide_task_end_from_outside((BideTask *)timer, CUT);
}

/* Pushes a task that is to be started, and that the registry keeps from now on. */
static BideTask *push_new(lua_State *L, BideTaskKind kind, int64_t deadline) {
  BideTasks *tasks = bide_host_tasks(bide_host_check(L));
  BideTask *task = bide_task_push_blank(L, tasks, kind);
  task->cut_at = deadline;
  task->limited = tasks->limited && kind != BIDE_TASK_UNLIMITED;
  task->wait = tasks->running != NULL ? tasks->running->wait : 0;
  if (task->reference == LUA_NOREF) {
    lua_pushvalue(L, -1); /* task task */
    task->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  return task;
}

BideTask *bide_task_start(lua_State *L, int run, int ended, int argument, int64_t deadline,
                          BideTaskKind kind) {
  BideTask *task = push_new(L, kind, deadline);
  lua_pushvalue(L, run); /* task run */
  lua_setiuservalue(L, -2, TASK_RUN);
  lua_pushvalue(L, ended);
  lua_setiuservalue(L, -2, TASK_ENDED);
  lua_pushvalue(L, argument);
  lua_setiuservalue(L, -2, TASK_ARGUMENT);
  if (deadline != BIDE_NEVER && !bide_loop_start_timer_last(bide_host_loop(task->tasks->host),
                                                            &task->deadline, deadline, on_deadline))
    bide_failure_no_memory(L);
  enrol(task);
  bide_task_ready(task);
  return task;
}

BideTask *bide_task_push_within(lua_State *L) {
  BideTask *task = push_new(L, BIDE_TASK_WITHIN, BIDE_NEVER);
  task->vocabulary = task->tasks->vocabulary;
  return task;
}

void bide_task_run_for(BideTask *task, int64_t wait) {
  task->wait = wait;
  if (task == task->tasks->running)
    bide_service_run_for(wait);
}
