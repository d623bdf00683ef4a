/*
** An expected failure in Lua: `nil` and a table { kind, message, line, column, offset }, whose
** tostring is the message with its place. `offset` counts bytes from 0, line and column count
** from 1; all three are absent if it has no place. For a failed expression tostring returns the
** member `pretty`, or the kind and the message if it has none.
*/
#ifndef BIDE_HOST_FAILURE_H
#define BIDE_HOST_FAILURE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/export.h"

/*
** Raises the error that Lua itself raises when memory runs out. It is not a failure, which a caller
** in Lua could mistake for an answer.
*/
BIDE_API int bide_failure_no_memory(lua_State *L);

/*
** Raises that error if libssl and libcrypto have lacked memory since there were `*shortages`, which
** it updates. After that, nothing that they say counts.
*/
BIDE_API void bide_failure_check_crypto(lua_State *L, size_t *shortages);

/* Reports whether the value at `index`, which was raised, is that error. */
bool bide_failure_is_no_memory(lua_State *L, int index);

/* Pushes the table. Raises if the error is BIDE_ERROR_MEMORY. */
void bide_failure_push_table(lua_State *L, const BideError *error);

/*
** Adds the member `expression`, the text, to the table on top of the stack. If the error has a
** place, adds `pretty` too: kind and message, the line with the place, shortened if it is long,
** and a caret below the place. Without a kind (NULL), `pretty` begins with the message.
*/
void bide_failure_add_text(lua_State *L, const BideError *error, const char *kind, const char *text,
                           size_t length);

/* Pushes nil and the table, or raises as above. Returns 2, for `return bide_failure_push(…)`. */
int bide_failure_push(lua_State *L, const BideError *error);

/* The same for a kind and a message, without a place. */
BIDE_API int bide_failure_push_text(lua_State *L, const char *kind, const char *message);

/*
** Pushes an operation error, the table { type, message } that acceptors match, for what C knows of
** a service. The caller may add members.
*/
BIDE_API void bide_failure_push_operation_error(lua_State *L, const char *type,
                                                const char *message);

#endif
