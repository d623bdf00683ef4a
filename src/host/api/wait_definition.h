/*
** What tables of Lua say of a wait: the definition of its waiter, which is compiled here, and its
** limits.
*/
#ifndef BIDE_HOST_API_WAIT_DEFINITION_H
#define BIDE_HOST_API_WAIT_DEFINITION_H

#include <lua.h>

#include "wait/definition.h"
#include "wait/limits.h"

/* Makes the class known to a Lua state. Call it once, before the others. */
void bide_wait_definition_define(lua_State *L);

/* Returns the definition at `index`; raises if it is not one. */
BideDefinition *bide_wait_definition_check(lua_State *L, int index);

/* Returns the state of an acceptor whose name is at `index`; raises if it is not a name of one. */
BideState bide_wait_definition_check_state(lua_State *L, int index);

/* Returns the wait limits that the table at `index` has, or raises. */
BideWaitLimits bide_wait_definition_check_limits(lua_State *L, int index);

/* wait.definition(minDelay, maxDelay, acceptors, beyond | nil) -> definition; milliseconds */
int bide_wait_definition_new(lua_State *L);

#endif
