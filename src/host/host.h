/*
** The host: one for each Lua state. It owns the loop, and calls Lua for what no Lua code has
** called: timers, signals, the ends of tasks. Loading "bide.core" creates it, closing the state
** destroys it. The modules of host/api find it by bide_host_of and bide_host_check.
*/
#ifndef BIDE_HOST_H
#define BIDE_HOST_H

#include <lua.h>
#include <stdbool.h>

#include "base/export.h"
#include "net/loop.h"
#include "net/policy.h"

typedef struct BideHost BideHost;

/* Creates the host of this state, if it has none. Raises if memory runs out. */
BIDE_API void bide_host_open(lua_State *L);

/*
** Returns the host of this state, to which L may be any coroutine; NULL before bide.core is
** loaded.
*/
BideHost *bide_host_of(lua_State *L);

/*
** The same for functions that need the loop. Raises if the host is closed: finalizers of objects
** that are older than the host run after that. Functions that close or collect something use
** bide_host_of, since they must succeed even then.
*/
BIDE_API BideHost *bide_host_check(lua_State *L);

/* Returns NULL if the host is closed. */
BIDE_API BideLoop *bide_host_loop(BideHost *host);

/*
** Returns the place of the policy for connections of recipes, which holds NULL without one. It is
** the host's, which frees the policy.
*/
BIDE_API BidePolicy **bide_host_policy(BideHost *host);

/*
** Returns the state that turns the loop, on which C called by the loop works; NULL between turns.
*/
lua_State *bide_host_state(BideHost *host);

/*
** Turns the loop once on behalf of L. Returns false if nothing can happen any more. Raises what a
** callback raised, and raises if it is called within a turn: a loop cannot wait inside itself.
*/
bool bide_host_turn(lua_State *L);

/*
** Pushes the callback of luv that raised the error of the last turn that raised one; nil if it was
** no callback of luv: then the error is a fault of bide itself.
*/
void bide_host_push_culprit(lua_State *L);

/*
** Completes the closing of handles, on behalf of L. Does nothing within a turn. When the state
** ends, luv 1.44 frees a handle that is still being closed, though libuv still uses it. Therefore
** this is called after something was closed outside of a turn, and at the end of the outermost
** pause, whose turn may be the last one.
*/
void bide_host_settle(lua_State *L);

/*
** The one protected call: calls the function below its `arguments` on the stack of
** bide_host_state, and drops its results. An error is a fault of bide itself: bide_host_turn
** raises it again when the turn is over.
*/
void bide_host_call(BideHost *host, int arguments);

/* Calls the watchers of the signals that came, from within the code that L runs. */
void bide_host_handle_signals(BideHost *host, lua_State *L);

#endif
