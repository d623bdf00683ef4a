/*
** The host: one for each Lua state. It owns the loop and the tasks, and knows
** the task that runs just now. C functions of the api_*.c files find it with
** bide_host_of; whoever requires "bide.core" first makes it.
*/
#ifndef BIDE_HOST_H
#define BIDE_HOST_H

#include <lua.h>

#include "net/loop.h"

typedef struct BideHost BideHost;
typedef struct BideTask BideTask;

/* Returns the host of this state (any coroutine of it). It exists once bide.core is loaded. */
BideHost *bide_host_of(lua_State *L);

BideLoop *bide_host_loop(BideHost *host);

#endif
