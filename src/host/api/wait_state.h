/*
** The state of a wait in Lua: one userdata for all that a sleeping wait needs
** from C, since a hundred thousand of them may sleep at a time. api_wait.c makes
** it and decides with it; api_history.c has the methods about its past.
*/
#ifndef BIDE_HOST_API_WAIT_STATE_H
#define BIDE_HOST_API_WAIT_STATE_H

#include <lua.h>

#include "host/alarm.h"
#include "wait/history.h"
#include "wait/waiter.h"

/* Its user values, behind those of the alarm. */
enum {
  BIDE_WAIT_DEFINITION = BIDE_ALARM_VALUES + 1,
  BIDE_WAIT_DETAILS, /* what the entries of the history have beside a BideAttempt, by place */
  BIDE_WAIT_VALUES = BIDE_WAIT_DETAILS
};

typedef struct BideWaitState {
  BideAlarm alarm;
  BideWaiter waiter;
  BideHistory history;
  int64_t status; /* which the last attempt observed; 0 for none */
} BideWaitState;

/* The state at stack position 1; raises where it is none. */
BideWaitState *bide_wait_state_check(lua_State *L);

/* state:remember(entry) */
int bide_history_remember(lua_State *L);

/* state:history() -> entries, omitted */
int bide_history_list(lua_State *L);

#endif
