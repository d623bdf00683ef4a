#include "host/task_state.h"

BideTask *bide_task_current(BideHost *host) {
  return bide_host_tasks(host)->running;
}

bool bide_task_has_deadline(const BideTask *task) {
  while (task != NULL && task->deadline.place == 0)
    task = task->parent;
  return task != NULL;
}

bool bide_task_is_stopping(BideHost *host) {
  const BideTask *running = bide_host_tasks(host)->running;
  return running != NULL && running->verdict != UNDECIDED;
}

size_t bide_tasks_count(const BideTasks *tasks) {
  return tasks->count;
}

const char *bide_task_forbid(BideHost *host, const char *subject) {
  BideTasks *tasks = bide_host_tasks(host);
  const char *before = tasks->forbidden_by;
  tasks->forbidden_by = subject;
  return before;
}

const char *bide_task_forbidden_by(BideHost *host) {
  return bide_host_tasks(host)->forbidden_by;
}

bool bide_task_was_preempted(BideHost *host, const lua_State *coroutine) {
  BideTasks *tasks = bide_host_tasks(host);
  bool was = coroutine != NULL && tasks->preempted == coroutine;
  if (was)
    tasks->preempted = NULL;
  return was;
}

int64_t bide_task_vocabulary(BideHost *host) {
  return bide_host_tasks(host)->vocabulary;
}

void bide_task_set_vocabulary(BideHost *host, int64_t number) {
  bide_host_tasks(host)->vocabulary = number;
}

void bide_task_show(lua_State *L, BideTask *task) {
  if (task == NULL) {
    lua_pushnil(L);
    return;
  }
  task->is_shown = true;
  bide_task_push(L, task);
}

void bide_task_push_argument(lua_State *L, int task) {
  lua_getiuservalue(L, task, TASK_ARGUMENT);
}

void bide_task_push_own_argument(lua_State *L, const BideTask *task) {
  bide_task_push(L, task);
  lua_getiuservalue(L, -1, TASK_ARGUMENT);
  lua_remove(L, -2);
}

void bide_task_enqueue(BideTask *task, TaskQueue *queue, BideTask *before) {
  BideTasks *tasks = task->tasks;
  BideLoop *loop = bide_host_loop(tasks->host);
  BideTask **link = before != NULL ? &before->next : &queue->first;
  if (task->queued || task->over || loop == NULL)
    return;
  task->queued = true;
  task->next = *link;
  *link = task;
  if (queue->last == before)
    queue->last = task;
  if (tasks->step.place == 0)
    bide_loop_start_reserved(loop, &tasks->step, bide_loop_now(loop), tasks->on_step);
}

void bide_task_ready(BideTask *task) {
  bide_task_enqueue(task, &task->tasks->ready, task->tasks->ready.last);
}

static bool is_running(const BideTask *task) {
  const BideTask *running = task->tasks->running;
  while (running != NULL && running != task)
    running = running->outer;
  return running != NULL;
}

/* It comes before all others: one of them may never yield, and only this end would stop it. */
void bide_task_end_from_outside(BideTask *task, Verdict verdict) {
  if (task->over || task->verdict != UNDECIDED)
    return;
  task->verdict = verdict;
  if (!is_running(task))
    bide_task_enqueue(task, &task->tasks->ready, NULL);
}

void bide_task_cancel(BideTask *task) {
  bide_task_end_from_outside(task, CANCELLED);
}
