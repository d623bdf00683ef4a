/*
** A waker is how something that waits is told that it is over. A task makes a
** waker, hands it to whatever will end the waiting, and pauses on it; a waker
** fires once, before or after the task has paused, and later calls are ignored.
**
**   Lua:  local waker = task.waker()
**         local transfer <close> = start_something(waker)
**         task.pause(waker)               -- returns what the waker was called with
**
** Whoever keeps a pointer to a waker keeps its userdata referenced.
*/
#ifndef BIDE_HOST_WAKER_H
#define BIDE_HOST_WAKER_H

#include <lua.h>
#include <stdbool.h>

#include "base/export.h"
#include "host/task.h"

struct BideWaker {
  BideTask *task; /* who is paused on it; NULL where nobody is */
  bool fired;
  int values; /* how many it was called with; its user values hold them */
};

#define BIDE_WAKER_VALUES 4 /* the most values that a waker hands on */

/* Pushes a new waker. */
BideWaker *bide_waker_push(lua_State *L);

/* The waker at `index`: the first is NULL, the second raises, where it is none. */
BideWaker *bide_waker_test(lua_State *L, int index);
BIDE_API BideWaker *bide_waker_check(lua_State *L, int index);

/* Fires it from C, without values. Runs no Lua: the task goes on at the loop's next step. */
BIDE_API void bide_waker_fire(BideWaker *waker);

#endif
