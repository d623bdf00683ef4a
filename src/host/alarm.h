/*
** An alarm: a timer that calls Lua, or fires a waker. It stands first in a
** userdata whose user values TARGET and ARGUMENT say what it calls, and with
** what. A running alarm keeps its userdata; a stopped one is kept by whoever holds it.
*/
#ifndef BIDE_HOST_ALARM_H
#define BIDE_HOST_ALARM_H

#include <lua.h>

#include "host/host.h"
#include "host/waker.h"

/* The user values of a userdata with an alarm; its own follow. */
enum { BIDE_ALARM_TARGET = 1, BIDE_ALARM_ARGUMENT, BIDE_ALARM_VALUES = BIDE_ALARM_ARGUMENT };

typedef struct BideAlarm {
  BideTimer timer; /* first, so that a timer is its alarm */
  BideHost *host;
  BideWaker *waker; /* the target, where that is a waker: it is fired without Lua */
} BideAlarm;

/*
** Makes the alarm at the beginning of the userdata on top of the stack, stopped.
** `target`, a function or a waker, and `argument` are stack positions.
*/
void bide_alarm_init(lua_State *L, int target, int argument);

/* Starts the alarm of the userdata at `index`, or moves one that runs. Raises without memory. */
void bide_alarm_start(lua_State *L, int index, int64_t at);

/* Stops it; harmless where it does not run. */
void bide_alarm_stop(lua_State *L, int index);

#endif
