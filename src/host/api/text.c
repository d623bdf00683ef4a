/* bide.core.text: escapes text for people. Annotated in lua/bide/meta/text.lua. */
#include <lauxlib.h>

#include "base/shown.h"
#include "host/api/modules.h"
#include "host/values/scratch.h"

static int show(lua_State *L,
                bool (*append)(BideBuffer *buffer, const char *bytes, size_t length)) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  BideScratch *scratch = bide_scratch_push(L);
  append(&scratch->buffer, text, length);
  bide_scratch_push_text(L, scratch);
  return 1;
}

/* text.line(text) -> string */
static int line(lua_State *L) {
  return show(L, bide_shown_line);
}

/* text.lines(text) -> string */
static int lines(lua_State *L) {
  return show(L, bide_shown_lines);
}

static const luaL_Reg functions[] = {{"line", line}, {"lines", lines}, {NULL, NULL}};

int bide_open_text(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
