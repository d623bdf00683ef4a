/*
** What task.c, which lets tasks live and end, and task_look.c, which looks at them
** while they run, share. Nobody else includes it.
*/
#ifndef BIDE_HOST_TASK_STATE_H
#define BIDE_HOST_TASK_STATE_H

#include "host/task.h"

typedef enum Verdict {
  GOES_ON,   /* nobody has ended it */
  CUT,       /* its deadline came */
  CANCELLED, /* somebody cancelled it */
  EXCEEDED,  /* it went beyond a limit; tasks->excess says which */
  CLOSING    /* its coroutine is being closed */
} Verdict;

struct BideTask {
  BideTimer deadline; /* first, so that a timer is its task */
  BideTasks *tasks;
  lua_State *thread; /* NULL before its first step and after its end */
  BideTask *next;    /* in the queue of those that are ready */
  BideTask *parent;  /* the task that started it and has not ended; its children end with it */
  BideTask *child;   /* the newest of its own children */
  BideTask *older;   /* its siblings */
  BideTask *younger;
  BideWaker *waker; /* what it is paused on */
  int64_t cut_at;
  int64_t resumed_at; /* in real time, and only under the virtual clock */
  int64_t
    urged_at;   /* when it was first to be stopped by an error, in real time; 0 where it was not */
  int64_t left; /* instructions until it must wait, where it is limited */
  Verdict verdict;
  int reference; /* its place in the registry, which finds no light key as fast */
  int exit_code; /* while it is closed: of the process, where that does not end */
  bool limited;  /* it was started after the limits were set */
  bool queued;
  bool over;
};

struct BideTasks {
  BideHost *host;
  BideBudget *memory;
  BideTask *running;
  BideTask *first; /* the queue of tasks that are ready */
  BideTask *last;
  BideTimer step; /* due as soon as the queue holds something */
  size_t count;
  size_t idle;
  const lua_State *preempted;
  const char *forbidden_by; /* who forbids waiting just now */
  BideTaskLimits limits;
  bool limited;
  bool stopped_callback;  /* the callback of luv that runs was ended by the hook */
  int64_t callback_began; /* 0 where none runs */
  char excess[200];       /* what the task did that has just gone beyond a limit */
};

/* Has the hook count the instructions of the task's coroutine, where it is held to a number of them. */
void bide_task_watch(const BideTask *task);

/* What the process ends with where the task does not end by its verdict. */
int bide_task_exit_code(const BideTask *task);

/* Sees to it that what the task runs from here on is interrupted when its time is over. */
void bide_task_arm(const BideTask *task);

/* Its deadline has come: it is ended as soon as that can be done. */
void bide_task_cut(BideTask *task);

/* Makes the hook known to the signals of this thread; false where the system has no timer left. */
bool bide_tasks_open_hook(void);

/* Around a resume: only scripts are held to the limit of memory, not what is told of them. */
void bide_task_hold_to_limits(BideTask *task, bool holds);

/*
** Gives the task its verdict where it is beyond a limit. L is the coroutine that runs
** for it, or that has just stopped. What was refused stays so, even where the script
** has caught the error.
*/
void bide_task_heed_limits(lua_State *L, BideTask *task);

#endif
