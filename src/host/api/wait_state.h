/*
** The state of a wait in Lua: one userdata for all that a sleeping wait needs from C, since a
** hundred thousand of them may sleep at the same time. wait.c creates and checks it, and has the
** table of its methods; decision.c has those that decide with it, history.c those of its history.
** Each of the two needs the checks, and wait.c their methods: the three need each other.
*/
#ifndef BIDE_HOST_API_WAIT_STATE_H
#define BIDE_HOST_API_WAIT_STATE_H

#include <lua.h>

#include "host/alarm.h"
#include "wait/history.h"
#include "wait/waiter.h"

/* The user values of a kind: what the alarms of its waits call, and its definition. */
enum {
  BIDE_WAIT_RING = BIDE_ALARM_SHARED,
  BIDE_WAIT_DEFINITION,
  BIDE_WAIT_KIND_VALUES = BIDE_WAIT_DEFINITION
};

/* What many waits have in common. It is the target of their alarms. */
typedef struct BideWaitKind {
  const BideDefinition *definition;
  BideWaitLimits limits;
} BideWaitKind;

/* The user values of a state, after those of the alarm. */
enum {
  BIDE_WAIT_DETAILS = BIDE_ALARM_VALUES + 1, /* what BideAttempt does not have: errors and notes, by
                                                place */
  BIDE_WAIT_CALL, /* makes the attempts of this wait; nil if those of its kind share one */
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
} BideWaitState;

/* Returns the state at stack position 1; raises if it is not a state. */
BideWaitState *bide_wait_state_check(lua_State *L);

/* Returns the definition of the state at 1, which has been checked. */
const BideDefinition *bide_wait_state_definition(lua_State *L);

/* Reads the loop's clock again, and returns the time. Raises if the host is closed. */
int64_t bide_wait_state_clock(lua_State *L, const BideWaitState *state);

/*
** What an attempt saw is a table, bide.Observation (lua/bide/probe/asking/operation.lua), of which
** each member may be absent: input and output (documents), error_type, retry_after (milliseconds),
** transient, status, unread. Adds the methods that decide on one, observe, decide and accept, to
** those of a state, the table on top of the stack.
*/
void bide_wait_state_add_decisions(lua_State *L);

/*
** Lets the conditions of the definition look at an output of an earlier process, the document at
** `output`; state:recall(output)
*/
void bide_wait_state_look(lua_State *L, BideWaitState *state, const BideDefinition *of, int output);
int bide_wait_state_recall(lua_State *L);

/*
** state:members() -> asked, had: the members that conditions asked for, and those that outputs had,
** as bits; state:recall_members(asked, had) adds those of an earlier process
*/
int bide_wait_state_members(lua_State *L);
int bide_wait_state_recall_members(lua_State *L);

/*
** state:missing(acceptor) -> { { condition = position, name = text }, … }: the members that the
** conditions of an acceptor asked for, and that no output had
*/
int bide_wait_state_missing(lua_State *L);

/* state:is_blind() -> whether conditions could not look into the output of the last attempt */
int bide_wait_state_is_blind(lua_State *L);

/* state:remember(entry): adds an attempt of an earlier process, as state:history gives it */
int bide_wait_state_remember(lua_State *L);

/*
** state:conclude(now, state | nil, acceptor | nil, error | nil, note | nil): adds the attempt that
** was begun last to the history; the error is a document
**
** state:retry(now, delay, acceptor | nil, error | nil, note | nil): does so with the state "retry",
** and rings after the delay
*/
int bide_wait_state_conclude(lua_State *L);
int bide_wait_state_retry(lua_State *L);

/* state:history() -> entries, omitted */
int bide_wait_state_history(lua_State *L);

#endif
