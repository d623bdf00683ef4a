/*
** Header lines in Lua: the text of an answer's headers, "Name: value\r\n" each, as libcurl hands
** them over. Nothing is kept: each function reads the lines anew.
*/
#ifndef BIDE_HOST_VALUES_HEADERS_H
#define BIDE_HOST_VALUES_HEADERS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/*
** Finds the first value of a header, without the blanks around it; its bytes are those of the
** lines. Returns false if it is absent.
*/
bool bide_headers_find(BideText lines, BideText name, BideText *value);

/*
** Pushes a table of the values by their names in lower case. It finds a name in any case; the
** values of a repeated header are joined with ", ".
*/
void bide_headers_push_table(lua_State *L, const char *lines, size_t length);

/* Pushes the first value of a header; returns false, and pushes nothing, if it is absent. */
bool bide_headers_push(lua_State *L, const char *lines, size_t length, const char *name,
                       size_t name_length);

/* Pushes the media type in lower case, without its parameters; nil if there is none. */
void bide_headers_push_media_type(lua_State *L, const char *lines, size_t length);

#endif
