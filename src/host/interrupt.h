/*
** What Lua runs just now, where a signal handler sees it: the chain of the states that this thread
** has entered, from the outermost to the one that runs. Nothing watches them while they run. When a
** deadline comes, or a signal, a handler on this thread sets a count hook of one instruction on every
** state of the chain, which then asks the tasks whether it is to stop.
**
** A link lives on the C stack of the function that enters the state, and only while that
** function is active: around lua_resume and lua_pcall, which no error leaps over. So no
** coroutine is collected while it is in the chain.
*/
#ifndef BIDE_HOST_INTERRUPT_H
#define BIDE_HOST_INTERRUPT_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct BideRunning {
  lua_State *state;
  struct BideRunning *outer;
  int depth; /* how many lie around it */
} BideRunning;

/*
** Begins and ends with the first and the last host of this thread. `hook` is what is set; it is the
** same for all. Returns false where the system has no timer left.
*/
bool bide_interrupt_open(lua_Hook hook);
void bide_interrupt_close(void);

/* Puts a state at the end of the chain, and takes it away again. */
void bide_interrupt_enter(BideRunning *running, lua_State *state);
void bide_interrupt_leave(const BideRunning *running);

/* The state that was entered last; NULL where Lua does not run. */
lua_State *bide_interrupt_innermost(void);

/* How many states have been entered. */
int bide_interrupt_depth(void);

/*
** Has the hook set at that time, in milliseconds of bide_clock_monotonic, or before, and again
** every few milliseconds. It is a comparison where that is so already, one system call otherwise.
*/
void bide_interrupt_at(int64_t at);

/*
** From then on what runs is overdue: where it does not come back, the watchdog ends the process with
** that exit code. INT64_MAX is never.
*/
void bide_interrupt_due(int64_t at, int exit_code);

/* From the hook: Lua has come back. */
void bide_interrupt_answer(void);

/* What the watchdog looks at, from its own thread. */
typedef struct BideOverdue {
  bool runs;         /* Lua, or C that it called; not the loop */
  unsigned asked;    /* how often something overdue was interrupted */
  unsigned answered; /* what that number was when Lua came back last */
  int exit_code;
} BideOverdue;

BideOverdue bide_interrupt_overdue(void);

/* From the hook: nothing is overdue before that time, so that nothing has to be repeated until then. */
void bide_interrupt_rest_until(int64_t at);

/*
** Has the hook set now on the thread that opened the first host. Async-signal-safe, and for any
** thread to call: what a signal's handler does.
*/
void bide_interrupt_now(void);

/* Sets the hook on the whole chain at once, so that what is stopped is stopped in all its coroutines. */
void bide_interrupt_chain(void);

#endif
