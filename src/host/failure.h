/*
** An expected failure in Lua: `nil` and a table { kind, message, line, column,
** offset } whose tostring is the message with its place. `offset` counts bytes
** from 0, line and column from 1; they are absent where there is no place. The text of
** an expression's failure is its `pretty`, or begins with the kind where it has none.
*/
#ifndef BIDE_HOST_FAILURE_H
#define BIDE_HOST_FAILURE_H

#include <lua.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/export.h"

/*
** Raises that memory ran out, as Lua itself does: no mistake of anybody, and no answer,
** so it is no failure that a caller in Lua could take for one.
*/
BIDE_API int bide_failure_no_memory(lua_State *L);

/* Whether the value at `index`, which was raised, says so. */
bool bide_failure_is_no_memory(lua_State *L, int index);

/* Pushes the table; raises where the error is BIDE_ERROR_MEMORY. */
void bide_failure_push_table(lua_State *L, const BideError *error);

/*
** Adds `expression`, and `pretty` where the error has a place: kind and message,
** the line of the text that it stands in, cut where it is long, and a caret below the
** place. The table is on the top of the stack; `kind` may be NULL for none.
*/
void bide_failure_add_text(lua_State *L, const BideError *error, const char *kind, const char *text,
                           size_t length);

/* Pushes nil and the table, or raises as above; returns 2, for `return bide_failure_push(…)`. */
int bide_failure_push(lua_State *L, const BideError *error);

/* The same for a failure without a place. */
BIDE_API int bide_failure_push_text(lua_State *L, const char *kind, const char *message);

#endif
