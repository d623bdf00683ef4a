/* bide.core.response: reads the answers of services. Annotated in lua/bide/meta/response.lua. */
#include <lauxlib.h>

#include "host/api/modules.h"
#include "host/values/document.h"
#include "host/values/response.h"

/* response.plain(document) -> the document without its answer */
static int plain(lua_State *L) {
  bide_document_check(L, 1);
  bide_document_push_plain(L, 1);
  return 1;
}

static void push_text(lua_State *L, const char *text, size_t length) {
  if (text == NULL)
    lua_pushnil(L);
  else
    lua_pushlstring(L, text, length);
}

/* response.answer(document) -> { status, headers, text } | nil */
static int answer(lua_State *L) {
  const BideAnswer *found;
  bide_document_check(L, 1);
  found = bide_document_answer(L, 1);
  if (found == NULL)
    return 0;
  lua_createtable(L, 0, 3);
  if (found->status != 0) {
    lua_pushinteger(L, (lua_Integer)found->status);
    lua_setfield(L, -2, "status");
  }
  push_text(L, found->headers, found->headers_length);
  lua_setfield(L, -2, "headers");
  push_text(L, found->text, found->text_length);
  lua_setfield(L, -2, "text");
  return 1;
}

const luaL_Reg bide_functions_response[] = {
  {"answered", bide_response_answered},
  {"make", bide_response_make},
  {"plain", plain},
  {"answer", answer},
  {NULL, NULL},
};

void bide_define_response(lua_State *L) {
  lua_pushnil(L);
  lua_pushcclosure(L, bide_response_read, 1);
  lua_setfield(L, -2, "read");
}
