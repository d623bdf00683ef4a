/*
** The host: one for each Lua state. It owns the loop, and calls Lua for those
** who have no Lua of their own to return to: timers, signals, the ends of tasks.
** C functions of the api_*.c files find it with bide_host_of; loading
** "bide.core" makes it, closing the state destroys it.
*/
#ifndef BIDE_HOST_H
#define BIDE_HOST_H

#include <lua.h>
#include <stdbool.h>

#include "base/export.h"
#include "net/loop.h"

typedef struct BideHost BideHost;

/* Makes the host of this state where there is none. Raises when memory is out. */
BIDE_API void bide_host_open(lua_State *L);

/* The host of this state, seen from any coroutine of it. It exists once bide.core is loaded. */
BideHost *bide_host_of(lua_State *L);

/*
** The same for all that needs the loop. Raises once the host is closed: finalizers of
** objects that are older than the host run after that. What closes or collects is silent
** then, and does not ask.
*/
BIDE_API BideHost *bide_host_check(lua_State *L);

/* NULL once the host is closed. */
BIDE_API BideLoop *bide_host_loop(BideHost *host);

/* The state that turns the loop just now: C called from the loop works on it. NULL between turns. */
lua_State *bide_host_state(BideHost *host);

/*
** Lets the loop turn once on behalf of L. Returns false when nothing can happen
** any more. Raises what a callback raised meanwhile, and when it is called from
** within a turn, since a loop cannot wait inside itself.
*/
bool bide_host_turn(lua_State *L);

/*
** Lets what is closing close, on behalf of L; does nothing within a turn. luv 1.44
** frees a handle that is still closing when the state ends, while libuv has it yet. So
** this is called where something was closed outside of any turn, and where the outermost
** pause ends, which may be the last turn that there is.
*/
void bide_host_settle(lua_State *L);

/*
** The one protected call: calls the function below its `arguments` on the stack
** of bide_host_state, and drops what it returns. What it raises is a fault of
** bide itself; bide_host_turn raises it again once the turn is over.
*/
void bide_host_call(BideHost *host, int arguments);

/* Tells who watches signals of those that came, from within the code that L runs. */
void bide_host_handle_signals(BideHost *host, lua_State *L);

#endif
