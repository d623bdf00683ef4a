/*
** JMESPath functions that scripts register. Each belongs to the vocabulary that was in use when it
** was registered: only expressions that are compiled while that one is in use can name it. A search
** calls them in a protected call, on the state that was passed to bide_script_functions_begin; an
** error is raised again when the search is over.
*/
#ifndef BIDE_HOST_VALUES_SCRIPT_FUNCTIONS_H
#define BIDE_HOST_VALUES_SCRIPT_FUNCTIONS_H

#include <lua.h>

#include "jmespath/jmespath.h"

/*
** Returns those of the vocabulary in use, for bide_jmespath_compile; NULL if none are
** registered. Valid as long as the state.
*/
const BideFunction *bide_script_functions_of(lua_State *L);

/*
** Called around every search on behalf of Lua code:
**
**   BideScriptFunctionsUse use;
**   bide_script_functions_begin(L, depth, &use);
**   found = bide_jmespath_search(…);
**   … release what the search used, except its result …
**   bide_script_functions_end(L, &use);
**
** The end raises the error of a function, if one has raised. Searches may nest: `depth` is the
** depth of the expression, and begin raises if all searches together are nested too deeply. Each
** begin that returns must have its end. Begin pushes one value, which must be on top of the stack
** again at the end; the end replaces it by a table of the documents that functions returned in
** this search, or by nil. Code that keeps the result keeps this table too.
*/
typedef struct BideScriptFunctionsUse {
  lua_State *before; /* the state that searched before */
  uint32_t depth;    /* of the searches before */
} BideScriptFunctionsUse;

void bide_script_functions_begin(lua_State *L, uint32_t depth, BideScriptFunctionsUse *use);
void bide_script_functions_end(lua_State *L, const BideScriptFunctionsUse *use);

/* jmespath.register(name, types, f) */
int bide_script_functions_register(lua_State *L);

/* jmespath.new_vocabulary(parent) -> number; it has all functions that the parent has by now */
int bide_script_functions_add_vocabulary(lua_State *L);

/* jmespath.restore_vocabulary(number, from): it has the functions of the other one, and no more */
int bide_script_functions_restore_vocabulary(lua_State *L);

/* jmespath.vocabulary() -> the number of the one in use: each task has its own */
int bide_script_functions_vocabulary(lua_State *L);

/* jmespath.use_vocabulary(number) -> the number of the one that was in use; 0 is the common one */
int bide_script_functions_use_vocabulary(lua_State *L);

#endif
