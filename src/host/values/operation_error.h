/*
** Operation errors: the tables { type, message } that acceptors match, for what C knows of a
** service.
*/
#ifndef BIDE_HOST_VALUES_OPERATION_ERROR_H
#define BIDE_HOST_VALUES_OPERATION_ERROR_H

#include <lua.h>

#include "base/export.h"

/* Pushes the table { type = type, message = message }, to which the caller may add members. */
BIDE_API void bide_operation_error_push(lua_State *L, const char *type, const char *message);

#endif
