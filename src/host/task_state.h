/*
** What the files of tasks share, and no other file includes. Each calls those below it: task.c
** starts, resumes and ends tasks, task_coroutine.c gives them their coroutines, task_deadline.c
** checks them while they run, task_limits.c bounds what they use; task_state.c, and above it
** task_pause.c, which lets them wait. Only host.c and they need each other: it owns them.
*/
#ifndef BIDE_HOST_TASK_STATE_H
#define BIDE_HOST_TASK_STATE_H

#include "host/task.h"

/* Exit codes of the process, if the watchdog must end it because a task does not end. */
enum { BIDE_EXIT_SCRIPT_ERROR = 5, BIDE_EXIT_MAX_WAIT = 124, BIDE_EXIT_SIGNAL = 128 };

typedef enum Verdict {
  UNDECIDED, /* it continues */
  CUT,       /* its deadline came */
  CANCELLED, /* it was cancelled */
  EXCEEDED,  /* it exceeded a limit, which tasks->excess names */
  CLOSING    /* its coroutine is being closed */
} Verdict;

/* Milliseconds of the processor for the __close functions of a task that was cut. */
#define CLOSING_GRACE 40

struct BideTask {
  BideTimer deadline; /* first: a pointer to it is one to the task */
  BideTasks *tasks;
  lua_State *thread; /* NULL before its first step and after its end */
  lua_State *rested; /* the coroutine that it has before its first step; NULL if it borrows one */
  BideTask *next;    /* in its queue */
  BideTask *outer;   /* the task within which it runs; NULL if the loop resumes it */
  BideTask *parent;  /* the task that started it, until that ends; children end with their parent */
  BideTask *child;   /* its newest child */
  BideTask *older;   /* its siblings */
  BideTask *younger;
  BideWaker *waker; /* the waker that it is paused on */
  int64_t cut_at;
  int64_t resumed_at;    /* in real time */
  int64_t used;          /* nanoseconds of the processor, while it did not run */
  int64_t lasted;        /* milliseconds that its resumes lasted at most, in real time */
  int64_t began;         /* the time of its thread when it was resumed, if it is timed */
  int64_t closing_began; /* the time of its thread when the closing of its coroutine began */
  int64_t urged_at; /* the real time when an error should first have stopped it; 0 if none should */
  int64_t left;     /* the instructions left until it must wait, if it is limited */
  int64_t vocabulary; /* that it has entered, while it does not run */
  int64_t wait;       /* of a store, for which it and the tasks that it starts run; 0 for none */
  Verdict verdict;
  BideTaskKind kind;
  int reference; /* its place in the registry, which is slower with light keys */
  int exit_code; /* of the process, if the closing of its coroutine does not end */
  bool limited;  /* it was started after the script limits were set */
  bool counted;  /* a hook counts its instructions */
  bool gave_way; /* it did not wait, but let other tasks run */
  bool queued;
  bool over;
  bool skipped_pause; /* since it was resumed; it may not skip another one */
  bool keeps_waker;   /* that of a coroutine which is not its own */
  bool is_shown;      /* other code than its starter's may keep something by it: it does not rest */
};

/* The user values of a task: what it keeps alive. */
enum { TASK_THREAD = 1, TASK_RUN, TASK_ENDED, TASK_ARGUMENT, TASK_WAKER };

typedef struct TaskQueue {
  BideTask *first;
  BideTask *last;
} TaskQueue;

struct BideTasks {
  BideHost *host;
  BideBudget *memory;
  BideTask *running;
  TaskQueue ready;
  TaskQueue tired; /* tasks that had their share and gave way: they run after the ready ones */
  BideTimer step;  /* due as soon as there is one of either */
  void (*on_step)(BideTimer *step); /* runs both queues */
  size_t count;
  BideTask *resting; /* tasks that have ended, for those that begin */
  size_t rests;      /* the number of them */
  size_t idle;       /* the number of idle coroutines */
  int idle_table;    /* the place of their table in the registry, which is slower with light keys */
  const lua_State *preempted;
  const char *forbidden_by; /* the subject that forbids waiting now, or NULL */
  int64_t vocabulary;       /* that the running code has entered */
  int64_t own_work;         /* nanoseconds of bide's own, since the running task was resumed */
  int64_t thread_time;      /* of the thread, when it was last read; 0 before */
  int64_t thread_read_at;   /* when that was, in real time */
  const char *own_folder;   /* "@" and that of bide's own Lua; NULL until it is known */
  BideScriptLimits limits;
  bool limited;
  int whole;              /* the number of functions under way that nothing may stop */
  bool was_due;           /* something should have stopped one of them */
  int64_t whole_since;    /* when that was, in real time; 0 before */
  int64_t whole_began;    /* when the first of them began, if the running task is being closed */
  int64_t whole_thread;   /* the time of the thread then */
  int64_t held_from;      /* when a task last kept the loop from turning for long, in real time */
  int64_t held_until;     /* 0 if none has */
  bool stopped_callback;  /* the hook has stopped the running callback of luv */
  int64_t callback_began; /* 0 if none runs */
  char excess[200];       /* how the task that ends has exceeded a limit */
};

/* The registry keeps a task from its start to its end, and while it rests. */
static inline void bide_task_push(lua_State *L, const BideTask *task) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, task->reference);
}

static inline bool bide_task_is_of_bide(const BideTask *task) {
  return task->kind != BIDE_TASK_SCRIPT && task->kind != BIDE_TASK_ATTEMPT;
}

/* Pushes a task that has not started: one that rested, or a new one. */
BideTask *bide_task_push_blank(lua_State *L, BideTasks *tasks, BideTaskKind kind);

/*
** Gives a task its coroutine; bide_task_begin puts its function and its argument on it as well, and
** returns the number of arguments.
*/
void bide_task_give_thread(lua_State *L, BideTask *task);
int bide_task_begin(lua_State *L, BideTask *task);

/*
** An attempt that has returned rests, as does a task that ran within another one: it keeps its
** coroutine and its place in the registry for one that begins later, which would have to create the
** same again. It keeps no value of what it did. The task is at `index`. Returns false if it may not
** rest.
*/
bool bide_task_rest(lua_State *L, int index, BideTask *task);

/* Takes its coroutine from a task that has ended. One that has not returned is closed. */
void bide_task_return_thread(lua_State *L, BideTask *task);

/* Lets the task be paused no longer on its waker, if it is. */
void bide_task_leave_waker(BideTask *task);

/* Called before each resume: the counting of its instructions begins, or will if it lasts. */
void bide_task_begin_instructions(BideTask *task);

/* Returns the exit code of the process if the task does not end by its verdict. */
int bide_task_exit_code(const BideTask *task);

/*
** Sets the interrupt for the time when the task, or one that it runs for, is over or has had its
** share. `now` is bide_clock_monotonic.
*/
void bide_task_arm(const BideTask *task, int64_t now);

/*
** Gives the task a verdict, unless it has one: it ends at the loop's next step, the running one
** when it waits next, or is checked next.
*/
void bide_task_end_from_outside(BideTask *task, Verdict verdict);

/*
** Puts a task into a queue, after another one that is in it; after NULL it is the first. Does
** nothing if it is in one, or is over.
*/
void bide_task_enqueue(BideTask *task, TaskQueue *queue, BideTask *before);

/* Passes the hook to host/interrupt.h. Returns false if the system has no timer left. */
bool bide_tasks_open_hook(void);

/*
** Called around a resume: scripts must keep within the limit of memory; reporting their end need
** not.
*/
void bide_task_enforce_limits(BideTask *task, bool holds);

/*
** Returns the task whose limits count: that of the attempt which has started this one, if any; else
** the task itself.
*/
BideTask *bide_task_account(BideTask *task);

/* Pushes the argument of a task that has not ended. */
void bide_task_push_own_argument(lua_State *L, const BideTask *task);

/*
** Called around a resume too, which began at task->resumed_at and ended at `now`: they count the
** processor time of the task. The latter gives it its verdict if it has used more than it may.
*/
void bide_task_begin_counting(BideTask *task);
void bide_task_end_counting(BideTask *task, int64_t now);

/* Gives the task its verdict if it has used more than its processor time. L as below. */
void bide_task_check_time(lua_State *L, BideTask *task);

/* Reports whether the innermost function of L is a script's, and not one of bide's own Lua. */
bool bide_task_runs_script(const BideTasks *tasks, lua_State *L);

/*
** Gives the task the verdict EXCEEDED, with a text for what it did (as printf). L is the
** coroutine that runs for it, or that has just stopped.
*/
void bide_task_exceed(lua_State *L, BideTask *task, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

/*
** Gives the task its verdict if it is beyond a limit. L as above. Memory that was refused stays
** refused, even if the script has caught the error.
*/
void bide_task_check_limits(lua_State *L, BideTask *task);

#endif
