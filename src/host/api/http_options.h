/*
** The options of a request in Lua, as lua/bide/meta/transfer.lua lists them. Times are
** milliseconds.
*/
#ifndef BIDE_HOST_API_HTTP_OPTIONS_H
#define BIDE_HOST_API_HTTP_OPTIONS_H

#include <lua.h>

#include "net/http.h"

/*
** Reads the table at `options` into a request. It takes the options that are there, instead of
** looking each one up: most requests have few. What they hold stays on the stack until the
** transfer has copied its texts, since a finalizer may empty the table. Raises what is wrong with
** one; a text with a NUL is an operation error, InvalidUrl or InvalidRequest.
*/
void bide_http_options_read(lua_State *L, int options, BideHttpRequest *request);

/*
** Returns the text at `index`, the option of that name. Refuses NUL bytes, at which a text of
** libcurl ends: the rest would be lost without notice.
*/
const char *bide_http_options_text(lua_State *L, int index, const char *name);

#endif
