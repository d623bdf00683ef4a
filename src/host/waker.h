/*
** A waker is how something that waits is told that it is over. A task makes a
** waker, hands it to whatever will end the waiting, and pauses on it; a waker
** fires once, before or after the task has paused, and later calls are ignored.
**
**   Lua:  local waker = task.waker()
**         local transfer <close> = start_something(waker)
**         task.pause(waker)               -- returns what the waker was called with
**
** A waker outlives nobody: whoever keeps a pointer keeps the userdata referenced.
*/
#ifndef BIDE_HOST_WAKER_H
#define BIDE_HOST_WAKER_H

#include <lua.h>

typedef struct BideWaker BideWaker;

/* The waker at `index`; raises a Lua error when it is none. */
BideWaker *bide_waker_check(lua_State *L, int index);

/* Fires it from C, without values. Runs no Lua: the task goes on at the loop's next step. */
void bide_waker_fire(BideWaker *waker);

#endif
