#include "host/interrupt.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/clock.h"
#include "net/loop.h"
#include "process/interrupter.h"

#define UNSET INT64_MAX
#define PAST 1

/*
** The handler reads static thread-local memory, whose first access allocates nothing. It runs on
** the thread that writes this memory, so the atomics only have to keep the order.
*/
#define OF_THREAD static _Thread_local __attribute__((tls_model("initial-exec")))

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2 &&
                 ATOMIC_INT_LOCK_FREE == 2,
               "a signal handler may not take a lock");

OF_THREAD _Atomic(BideRunning *) innermost;
OF_THREAD _Atomic(int64_t) set_at; /* 0 before the thread has a host */
OF_THREAD int hosts;
OF_THREAD BideInterrupter interrupter;

static lua_Hook hook_of_all;

/* The timer of the thread that handles the signals of the process: it opened the first host. */
static _Atomic(const BideInterrupter *) first_interrupter;

/* The chain of that thread, for the watchdog. */
static _Atomic(_Atomic(BideRunning *) *) first_innermost;
static _Atomic(int64_t) due_at = UNSET;
static atomic_int due_code;
static atomic_uint asked, answered;

void bide_interrupt_enter(BideRunning *running, lua_State *state) {
  running->state = state;
  running->outer = atomic_load_explicit(&innermost, memory_order_relaxed);
  running->depth = running->outer != NULL ? running->outer->depth + 1 : 1;
  atomic_store_explicit(&innermost, running, memory_order_release);
}

void bide_interrupt_leave(const BideRunning *running) {
  atomic_store_explicit(&innermost, running->outer, memory_order_release);
}

lua_State *bide_interrupt_innermost(void) {
  const BideRunning *running = atomic_load_explicit(&innermost, memory_order_relaxed);
  return running != NULL ? running->state : NULL;
}

int bide_interrupt_depth(void) {
  const BideRunning *running = atomic_load_explicit(&innermost, memory_order_relaxed);
  return running != NULL ? running->depth : 0;
}

static void set(int64_t at) {
  atomic_store_explicit(&set_at, at, memory_order_relaxed);
  bide_interrupter_set(&interrupter, at);
}

static void unset(void) {
  bide_interrupt_answer();
  set(UNSET);
}

/* A handler on the thread that runs a state may call lua_sethook. */
void bide_interrupt_chain(void) {
  const BideRunning *running = atomic_load_explicit(&innermost, memory_order_acquire);
  for (; running != NULL; running = running->outer)
    lua_sethook(running->state, hook_of_all, LUA_MASKCOUNT, 1);
}

/* The least time between two signals, as a multiple of what the handler took. */
#define REST 10

/* A stack of a million calls takes the handler milliseconds, and the script needs some as well. */
static void rest_from(int64_t began) {
  int64_t rest = (bide_clock_thread() - began) * REST / 1000000;
  if (rest > BIDE_INTERRUPTER_AGAIN)
    bide_interrupter_set(&interrupter, bide_clock_monotonic() + rest);
}

/*
** The timer fires repeatedly until the hook reports that nothing is overdue: a state may have
** been entered meanwhile, and Lua may lose a hook that is set between two of its instructions. If
** Lua does not run, nothing has to be interrupted: the next task that continues sets the timer
** again.
*/
static void on_timer(void) {
  int64_t began = bide_clock_thread();
  if (atomic_load_explicit(&innermost, memory_order_relaxed) == NULL) {
    unset();
    return;
  }
  atomic_store_explicit(&set_at, PAST, memory_order_relaxed);
  bide_interrupt_chain();
  if (bide_signals_pending() != 0 || bide_clock_monotonic() >= atomic_load(&due_at))
    atomic_fetch_add(&asked, 1);
  else
    bide_interrupt_answer();
  rest_from(began);
}

void bide_interrupt_due(int64_t at, int exit_code) {
  atomic_store_explicit(&due_at, at, memory_order_relaxed);
  atomic_store_explicit(&due_code, exit_code, memory_order_relaxed);
}

void bide_interrupt_answer(void) {
  atomic_store_explicit(&answered, atomic_load_explicit(&asked, memory_order_relaxed),
                        memory_order_relaxed);
}

BideOverdue bide_interrupt_overdue(void) {
  _Atomic(BideRunning *) *running = atomic_load(&first_innermost);
  int number = bide_signals_pending();
  return (BideOverdue){
    .runs = running != NULL && atomic_load(running) != NULL,
    .asked = atomic_load(&asked),
    .answered = atomic_load(&answered),
    .exit_code = number != 0 ? 128 + number : atomic_load(&due_code),
  };
}

bool bide_interrupt_open(lua_Hook hook) {
  const BideInterrupter *none = NULL;
  hook_of_all = hook;
  if (hosts == 0 && !bide_interrupter_open(&interrupter, on_timer))
    return false;
  if (hosts++ == 0)
    atomic_store_explicit(&set_at, UNSET, memory_order_relaxed);
  if (atomic_compare_exchange_strong(&first_interrupter, &none, &interrupter))
    atomic_store(&first_innermost, &innermost);
  return true;
}

void bide_interrupt_close(void) {
  const BideInterrupter *own = &interrupter;
  if (--hosts > 0)
    return;
  if (atomic_compare_exchange_strong(&first_interrupter, &own, NULL))
    atomic_store(&first_innermost, NULL);
  atomic_store_explicit(&set_at, 0, memory_order_relaxed);
  bide_interrupter_close(&interrupter);
}

void bide_interrupt_at(int64_t at) {
  if (at < atomic_load_explicit(&set_at, memory_order_relaxed))
    set(at);
}

void bide_interrupt_rest_until(int64_t at) {
  if (hosts > 0)
    set(at);
}

void bide_interrupt_pause_until(int64_t at) {
  if (hosts > 0 && bide_interrupt_innermost() == NULL &&
      atomic_load_explicit(&set_at, memory_order_relaxed) < at)
    unset();
}

void bide_interrupt_now(void) {
  const BideInterrupter *first = atomic_load(&first_interrupter);
  if (first != NULL)
    bide_interrupter_set(first, PAST);
}
