/*
** A waker ends the pause of a task. The task creates a waker, gives it to the code that will end
** the pause, and pauses on it. A waker fires once, before or after the task has paused; later
** calls are ignored.
**
**   Lua:  local waker = task.waker()
**         local transfer <close> = start_something(waker)
**         task.pause(waker)               -- returns what the waker was called with
**
** A waker may also be a part of a zeroed userdata, for C code that pauses a task by itself.
** Code that keeps a pointer to a waker keeps its userdata in a user value.
*/
#ifndef BIDE_HOST_WAKER_H
#define BIDE_HOST_WAKER_H

#include <lua.h>
#include <stdbool.h>

#include "base/export.h"
#include "host/task.h"

struct BideWaker {
  BideTask *task; /* the task that is paused on it, or NULL */
  bool fired;
  int values; /* the number of values it was called with; its user values hold them */
};

#define BIDE_WAKER_VALUES 4 /* the most values that a waker passes on */

/* Pushes a new waker. */
BideWaker *bide_waker_push(lua_State *L);

/* Returns the waker at `index`. If it is not a waker, test returns NULL, check raises. */
BideWaker *bide_waker_test(lua_State *L, int index);
BideWaker *bide_waker_check(lua_State *L, int index);

/* Fires it from C, without values. Runs no Lua: the task continues at the loop's next step. */
BIDE_API void bide_waker_fire(BideWaker *waker);

#endif
