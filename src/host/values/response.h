/*
** A response in Lua: what a service answered, as a userdata that keeps the
** body as bytes until somebody asks for it as text, as Lua values or as a
** document. Annotated in lua/bide/http.lua.
*/
#ifndef BIDE_HOST_VALUES_RESPONSE_H
#define BIDE_HOST_VALUES_RESPONSE_H

#include <lua.h>
#include <stdbool.h>

#include "base/export.h"
#include "net/http.h"

typedef struct BideResponse BideResponse;

/* Pushes a response and moves the result's headers and body into it. May raise (memory). */
BIDE_API void bide_response_push(lua_State *L, BideHttpResult *result);

/* The response at `index`; NULL when it is none. */
BideResponse *bide_response_test(lua_State *L, int index);

/* Pushes the table of a response's methods, to which Lua code may add. */
BIDE_API void bide_response_push_methods(lua_State *L);

#endif
