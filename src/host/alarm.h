/*
** An alarm: a timer that calls Lua, or fires a waker. It is the first member of a userdata whose
** user values TARGET and ARGUMENT are the function, or the waker, and its argument. Many alarms may
** share a target: a userdata whose first user value is the function. The registry keeps the
** userdata of a running alarm; a stopped one lives as long as something refers to it.
*/
#ifndef BIDE_HOST_ALARM_H
#define BIDE_HOST_ALARM_H

#include <lua.h>

#include "host/host.h"
#include "host/waker.h"

/* The user values of a userdata with an alarm. Those of its own follow. */
enum { BIDE_ALARM_TARGET = 1, BIDE_ALARM_ARGUMENT, BIDE_ALARM_VALUES = BIDE_ALARM_ARGUMENT };

/* The user value of a shared target. */
enum { BIDE_ALARM_SHARED = 1 };

typedef struct BideAlarm {
  BideTimer timer; /* first: a pointer to it is one to the alarm */
  BideHost *host;
  int slot;         /* its place in the registry; 0 before its first start */
  bool fires_waker; /* the target is one */
} BideAlarm;

/*
** Initializes the alarm at the beginning of the userdata on top of the stack; it does not run.
** `target`, a function, a waker or a shared target, and `argument` are absolute stack positions.
*/
void bide_alarm_init(lua_State *L, int target, int argument);

/*
** Starts the alarm of the userdata at `index`, or moves a running one. Raises if memory runs out.
*/
void bide_alarm_start(lua_State *L, int index, int64_t at);

/* Stops the alarm. Does nothing if it does not run. */
void bide_alarm_stop(lua_State *L, int index);

/* Gives up its place in the registry: for the finalizer of the userdata. */
void bide_alarm_free(lua_State *L, BideAlarm *alarm);

#endif
