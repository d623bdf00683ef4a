/*
** A response in Lua: the answer of a service, as a userdata that keeps the body as bytes until it
** is read as text, as Lua values or as a document. Annotated in lua/bide/http.lua.
*/
#ifndef BIDE_HOST_VALUES_RESPONSE_H
#define BIDE_HOST_VALUES_RESPONSE_H

#include <lua.h>
#include <stdbool.h>

#include "base/export.h"
#include "net/http.h"

typedef struct BideResponse BideResponse;

/*
** Pushes a response, and copies the result into it; moves a large body. May raise (memory).
*/
BIDE_API void bide_response_push(lua_State *L, BideHttpResult *result);

/*
** Reads the response at 1 in one call, as an attempt needs it, with a known document, or nil, at 2:
** that is taken if the body is the same, to the byte. Without one, the document of the response
** that was read last is taken if that had the same body. Pushes its status; below 300 also its
** document or nil, the operation error of a body that is not JSON, the note on what the reader
** repaired, the text of Retry-After, and whether the body is empty. Pushes nothing if the value is
** not a response. Returns the number of values.
*/
int bide_response_read(lua_State *L);

/*
** core.response.answered(answer, document) -> a view of the document with that answer, of which
** header(), status() and text() ask: a response, or a table of its status, its text and the lines
** of its headers, each of which may be absent
*/
int bide_response_answered(lua_State *L);

/* What a recording needs of a response. Its texts live as long as the response. */
typedef struct BideResponseParts {
  int status;
  const char *headers; /* lines as received */
  size_t headers_length;
  const char *body;
  size_t body_length;
} BideResponseParts;

/*
** Sets the parts of the response at `index` if the document at `document` was read from its own
** body. Returns false if it was not, or the value is not a response.
*/
bool bide_response_parts(lua_State *L, int index, int document, BideResponseParts *parts);

/* core.response.make(status, url, headers, body) -> a response; `headers` are lines as received. */
int bide_response_make(lua_State *L);

/* Pushes the table of the methods of responses, to which Lua code may add. */
BIDE_API void bide_response_push_methods(lua_State *L);

#endif
