/*
** JMESPath functions that scripts register: one set for a Lua state. A search
** that calls one calls Lua, on the state that said it searches, in a protected
** call; what the function raised is raised again once the search is over.
*/
#ifndef BIDE_HOST_VALUES_SCRIPT_FUNCTIONS_H
#define BIDE_HOST_VALUES_SCRIPT_FUNCTIONS_H

#include <lua.h>

#include "jmespath/jmespath.h"

/* For bide_jmespath_compile_with; NULL while none is registered. They live as long as the state. */
const BideFunction *bide_script_functions_of(lua_State *L);

/*
** Stand around every search on behalf of Lua code:
**
**   BideScriptFunctionsUse use;
**   bide_script_functions_begin(L, depth, &use);
**   found = bide_jmespath_search(…);
**   … release what the search took, other than its result …
**   bide_script_functions_end(L, &use);
**
** The end raises what a function raised, if one did. Searches may nest: `depth` is
** that of the expressions, and the begin raises where they are nested too deeply
** with those that run already. A begin that returns must have its end. It pushes one
** value, which must be on top of the stack again at the end: in its place are then the
** documents that functions returned in this search, a table, or nil. A result that is
** kept keeps them too.
*/
typedef struct BideScriptFunctionsUse {
  lua_State *before; /* who searched until now */
  uint32_t depth;    /* of the searches until now */
} BideScriptFunctionsUse;

void bide_script_functions_begin(lua_State *L, uint32_t depth, BideScriptFunctionsUse *use);
void bide_script_functions_end(lua_State *L, const BideScriptFunctionsUse *use);

/* jmespath.register(name, types, f) */
int bide_script_functions_register(lua_State *L);

#endif
