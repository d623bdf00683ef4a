/*
** What the three files of tasks share, and no other file includes: task.c starts, resumes and ends
** tasks, task_deadline.c checks them while they run, task_limits.c bounds what they use.
*/
#ifndef BIDE_HOST_TASK_STATE_H
#define BIDE_HOST_TASK_STATE_H

#include "host/task.h"

/* Exit codes of the process, if it must end because a task does not. */
enum { BIDE_EXIT_SCRIPT_ERROR = 5, BIDE_EXIT_MAX_WAIT = 124, BIDE_EXIT_SIGNAL = 128 };

typedef enum Verdict {
  UNDECIDED, /* nobody has ended it */
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
  BideScriptLimits limits;
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
void bide_task_enforce_limits(BideTask *task, bool holds);

/* Checks now whether what runs on L for the task must end, and then does not return if it can be ended. */
void bide_task_check(lua_State *L, BideTask *task);

/*
** Gives the task the verdict EXCEEDED, and says what it did (as printf). L is the coroutine that
** runs for it, or that has just stopped.
*/
void bide_task_exceed(lua_State *L, BideTask *task, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

/*
** Gives the task its verdict if it is beyond a limit. L as above. Memory that was refused stays
** refused, even if the script has caught the error.
*/
void bide_task_check_limits(lua_State *L, BideTask *task);

#endif
