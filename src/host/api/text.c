/* bide.core.text: escapes text for people, and hexadecimal digits. See lua/bide/meta/text.lua. */
#include <lauxlib.h>
#include <stdint.h>

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

/* The values of hexadecimal digits, each with 1 added: 0 for all others. */
static const unsigned char digits[256] = {
  ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
  ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* text.unhex(text, first) -> bytes | nil */
static int unhex(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  lua_Integer first = luaL_checkinteger(L, 2);
  luaL_argcheck(L, first >= 1 && (size_t)first <= length + 1, 2, "outside of the text");
  size_t offset = (size_t)first - 1, count = (length - offset) / 2;
  luaL_Buffer buffer;
  char *bytes = luaL_buffinitsize(L, &buffer, count);
  for (size_t i = 0; i < count; i++) {
    int high = digits[(unsigned char)text[offset + 2 * i]];
    int low = digits[(unsigned char)text[offset + 2 * i + 1]];
    if (high == 0 || low == 0)
      return 0;
    bytes[i] = (char)((high - 1) << 4 | (low - 1));
  }
  if ((length - offset) % 2 != 0)
    return 0;
  luaL_pushresultsize(&buffer, count);
  return 1;
}

/* text.hex(bytes) -> digits */
static int hex(lua_State *L) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  luaL_Buffer buffer;
  char *at;
  luaL_argcheck(L, length <= SIZE_MAX / 2, 1, "is too long");
  at = luaL_buffinitsize(L, &buffer, 2 * length);
  for (size_t i = 0; i < length; i++) {
    *at++ = "0123456789abcdef"[(unsigned char)bytes[i] >> 4];
    *at++ = "0123456789abcdef"[(unsigned char)bytes[i] & 15];
  }
  luaL_pushresultsize(&buffer, 2 * length);
  return 1;
}

const luaL_Reg bide_functions_text[] = {
  {"line", line}, {"lines", lines}, {"unhex", unhex}, {"hex", hex}, {NULL, NULL}};
