/*
** Interrupts running Lua code. The states that this thread has entered, from the outermost to the
** one that runs, are a chain which a signal handler can read. They run without a hook. When a
** deadline or a signal comes, a handler on this thread sets a count hook of one instruction on
** every state of the chain; the hook then checks whether the code must stop.
**
** A link is on the C stack of the function that enters the state, only while that function is
** active: around lua_resume and lua_pcall, which catch every error. So no coroutine in the chain
** is collected.
*/
#ifndef BIDE_HOST_INTERRUPT_H
#define BIDE_HOST_INTERRUPT_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct BideRunning {
  lua_State *state;
  struct BideRunning *outer;
  int depth; /* the number of links of the chain, up to this one */
} BideRunning;

/*
** Called for each host of this thread; the first call sets the timer up, the last close ends it.
** `hook` is the hook to set, the same for all. Returns false if the system has no timer left.
*/
bool bide_interrupt_open(lua_Hook hook);
void bide_interrupt_close(void);

/*
** Appends a state to the chain, and removes it. It is entered before the interrupt for it is set:
** an interrupt of before that finds no state unsets all.
*/
void bide_interrupt_enter(BideRunning *running, lua_State *state);
void bide_interrupt_leave(const BideRunning *running);

/* Returns the state that was entered last; NULL if Lua does not run. */
lua_State *bide_interrupt_innermost(void);

/* Returns the number of states in the chain. */
int bide_interrupt_depth(void);

/*
** Interrupts what runs at that time, in milliseconds of bide_clock_monotonic, and then every few
** milliseconds. It costs a comparison if an interrupt is due before, else one system call.
*/
void bide_interrupt_at(int64_t at);

/*
** Sets the time from which on running code is overdue: if C code does not return then, the watchdog
** ends the process with `exit_code`. INT64_MAX is never.
*/
void bide_interrupt_due(int64_t at, int exit_code);

/* Called by the hook: C code has returned to Lua. */
void bide_interrupt_answer(void);

/* What the watchdog reads, from its own thread. */
typedef struct BideOverdue {
  bool runs;         /* Lua runs, or C that it called; not the loop */
  unsigned asked;    /* the number of interrupts of overdue code */
  unsigned answered; /* that number when the hook ran last */
  int exit_code;
} BideOverdue;

BideOverdue bide_interrupt_overdue(void);

/*
** Called by the hook: nothing is overdue before that time, and no interrupt is repeated until
** then.
*/
void bide_interrupt_rest_until(int64_t at);

/*
** Called before the loop waits until that time. An interrupt that is due before is unset, unless
** Lua runs: its signal would only wake the thread.
*/
void bide_interrupt_pause_until(int64_t at);

/*
** Interrupts now what runs on the thread that opened the first host. Async-signal-safe, and
** callable from any thread: the handlers of signals call it.
*/
void bide_interrupt_now(void);

/* Sets the hook on the whole chain now: an error must stop all coroutines of it. */
void bide_interrupt_chain(void);

#endif
