/*
** The state of a wait in Lua: one userdata for all that a sleeping wait needs from C, since a
** hundred thousand of them may sleep at the same time. wait_state.c makes and checks it. decision.c
** has the methods that decide with it, history.c those of its history, wait_record.c those by which
** other processes continue it, wait.c the others.
*/
#ifndef BIDE_HOST_API_WAIT_STATE_H
#define BIDE_HOST_API_WAIT_STATE_H

#include <lua.h>

#include "host/alarm.h"
#include "wait/history.h"
#include "wait/waiter.h"

/*
** The user values of a kind: what the alarms of its waits call, its definition, and the first of
** the states that were given back.
*/
enum {
  BIDE_WAIT_RING = BIDE_ALARM_SHARED,
  BIDE_WAIT_DEFINITION,
  BIDE_WAIT_SPARE,
  BIDE_WAIT_KIND_VALUES = BIDE_WAIT_SPARE
};

/* What many waits have in common. It is the target of their alarms. */
typedef struct BideWaitKind {
  const BideDefinition *definition;
  BideWaitLimits limits;
  int spares; /* how many states were given back */
} BideWaitKind;

/* The user values of a state, after those of the alarm. */
enum {
  BIDE_WAIT_DETAILS = BIDE_ALARM_VALUES + 1, /* what BideAttempt does not have: errors and notes, by
                                                place */
  BIDE_WAIT_CALL, /* makes the attempts of this wait; nil if those of its kind share one. Of a state
                     that was given back, the next one of these */
  BIDE_WAIT_VALUES = BIDE_WAIT_CALL
};

typedef struct BideWaitState {
  BideAlarm alarm;
  BideWaiter waiter;
  BideHistory history;
  int64_t began;      /* when the last attempt began */
  int64_t not_before; /* the time of the next attempt that a Retry-After asks for; 0 without one */
  int64_t status;     /* the HTTP status that the last attempt observed; 0 if it had none */
  BideTimer watch;    /* of its deadline */
  int64_t decided_at; /* when the loop noticed that its deadline was over; 0 before that */
  BideAsked seen;     /* what the conditions of the definition saw in the outputs */
  bool is_spare;      /* whether it was given back, and waits for another wait */
} BideWaitState;

/* Calculate with times, and wrap as integers of Lua do: those of a script or a store are input. */
static inline int64_t bide_wait_state_difference(int64_t later, int64_t earlier) {
  return (int64_t)((uint64_t)later - (uint64_t)earlier);
}

static inline int64_t bide_wait_state_sum(int64_t time, int64_t duration) {
  return (int64_t)((uint64_t)time + (uint64_t)duration);
}

/* Returns the kind, or the state, at stack position 1; raises if it is not one. */
BideWaitKind *bide_wait_kind_check(lua_State *L);
BideWaitState *bide_wait_state_check(lua_State *L);

/* Returns the definition of the state at 1, which has been checked. */
const BideDefinition *bide_wait_state_definition(lua_State *L);

/*
** Pushes a kind for the definition at `definition`. The alarms of its waits call the function at
** `ring`.
*/
BideWaitKind *bide_wait_kind_push(lua_State *L, int definition, int ring);

/*
** Pushes a state of the kind at `kind`, whose alarm calls with the value at `argument`. The value
** after it makes the attempts.
*/
BideWaitState *bide_wait_state_push(lua_State *L, int kind, int argument);

/*
** Gives the state at 1, whose wait is over and rings no more, to the next wait of its kind: a
** worker makes one for each attempt, and a finalizer keeps all that the state has for another
** collection.
*/
void bide_wait_state_give_back(lua_State *L, BideWaitState *state);

/* Reads the loop's clock again, and returns the time. Raises if the host is closed. */
int64_t bide_wait_state_clock(lua_State *L, const BideWaitState *state);

/*
** Decides the wait once its deadline is over, whatever else is due then. A wait that was never
** asked is decided only after its alarm had a turn to ring, if `is_patient`: the first attempt
** always runs, unless very many are due.
*/
void bide_wait_state_watch(lua_State *L, BideWaitState *state, bool is_patient);
void bide_wait_state_unwatch(BideWaitState *state);

/* Makes the classes known to a Lua state, and pushes the methods of kinds, and those of states. */
void bide_wait_state_push_methods(lua_State *L);

/* ---- what the other files have for bide.core.wait, and for each other ---- */

/*
** What an attempt saw is a table, bide.Observation (lua/bide/probe/asking/operation.lua), of which
** each member may be absent: input and output (documents), error_type, retry_after (milliseconds),
** transient, status, unread. Adds the methods that decide on one, and those that show what
** conditions saw, to the table on top of the stack.
*/
void bide_wait_decision_add_to_state(lua_State *L);

/*
** Lets the conditions of the definition look at an output of an earlier process, the document at
** `output`.
*/
void bide_wait_state_look(lua_State *L, BideWaitState *state, const BideDefinition *of, int output);

/* Adds the methods of the history. */
void bide_wait_history_add_to_state(lua_State *L);

/*
** state:retry(now, delay, acceptor | nil, error | nil, note | nil): adds the attempt that was begun
** last to the history, with the state "retry", and rings after the delay; the error is a document
*/
int bide_wait_state_retry(lua_State *L);

/* Add what other processes continue: to methods of states, to those of kinds, to the module. */
void bide_wait_record_add_to_state(lua_State *L);
void bide_wait_record_add_to_kind(lua_State *L);
void bide_wait_record_add_to_module(lua_State *L);

#endif
