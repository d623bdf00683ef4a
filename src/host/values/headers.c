#include "host/values/headers.h"
#include "base/text.h"

#include <ctype.h>
#include <lauxlib.h>
#include <string.h>

static void push_lower(lua_State *L, const char *text, size_t length) {
  luaL_Buffer buffer;
  char *lower = luaL_buffinitsize(L, &buffer, length);
  for (size_t i = 0; i < length; i++)
    lower[i] = (char)tolower((unsigned char)text[i]);
  luaL_pushresultsize(&buffer, length);
}

/* headers[name] for a name that is not in lower case, as the keys are. */
static int find_header(lua_State *L) {
  size_t length;
  const char *name = luaL_checklstring(L, 2, &length);
  luaL_checktype(L, 1, LUA_TTABLE);
  push_lower(L, name, length);
  lua_rawget(L, 1);
  return 1;
}

static void push_trimmed(lua_State *L, const char *begin, const char *end) {
  BideText text = bide_trimmed(begin, end);
  lua_pushlstring(L, text.bytes, text.length);
}

/* Adds the value on top to the header whose name is below it; pops both. */
static void add_header(lua_State *L, int headers, const char *separator) {
  lua_pushvalue(L, -2);
  if (lua_rawget(L, headers) == LUA_TNIL) {
    lua_pop(L, 1);
  } else {             /* name value earlier */
    lua_insert(L, -2); /* name earlier value */
    lua_pushstring(L, separator);
    lua_insert(L, -2); /* name earlier separator value */
    lua_concat(L, 3);
  }
  lua_rawset(L, headers);
}

/*
** Reads one line: a header, or the continuation of the header before, whose name is at `last`.
** libcurl lets other lines through, which are ignored.
*/
static void read_header(lua_State *L, int headers, int last, const char *begin, const char *end) {
  const char *colon = memchr(begin, ':', (size_t)(end - begin));
  bool continues = bide_is_blank(*begin);
  if (continues ? lua_isnil(L, last) : colon == NULL)
    return;
  if (!continues) {
    push_lower(L, begin, (size_t)(colon - begin));
    lua_replace(L, last);
    begin = colon + 1;
  }
  lua_pushvalue(L, last);
  push_trimmed(L, begin, end); /* name value */
  add_header(L, headers, continues ? " " : ", ");
}

static void read_headers(lua_State *L, const char *line, size_t length) {
  const char *end = line + length;
  int headers = lua_gettop(L);
  lua_pushnil(L); /* the name of the last header */
  while (line < end) {
    const char *feed = memchr(line, '\n', (size_t)(end - line));
    const char *next = feed != NULL ? feed + 1 : end;
    read_header(L, headers, headers + 1, line, next);
    line = next;
  }
  lua_pop(L, 1);
}

void bide_headers_push_table(lua_State *L, const char *lines, size_t length) {
  lua_newtable(L);
  read_headers(L, lines, length);
  lua_createtable(L, 0, 1); /* headers metatable */
  lua_pushcfunction(L, find_header);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

bool bide_headers_find(BideText lines, BideText name, BideText *value) {
  const char *line = lines.bytes, *end = line + lines.length;
  while (line < end) {
    const char *feed = memchr(line, '\n', (size_t)(end - line));
    const char *next = feed != NULL ? feed + 1 : end;
    if (bide_is_header_line(line, next, name)) {
      *value = bide_trimmed(line + name.length + 1, next);
      return true;
    }
    line = next;
  }
  return false;
}

bool bide_headers_push(lua_State *L, const char *lines, size_t length, const char *name,
                       size_t name_length) {
  BideText value;
  if (!bide_headers_find((BideText){lines, length}, (BideText){name, name_length}, &value))
    return false;
  lua_pushlstring(L, value.bytes, value.length);
  return true;
}

/* RFC 6838 allows 127 characters on either side of the slash. */
#define LONGEST_MEDIA_TYPE ((size_t)255)

/* Returns the length of "type/subtype" at the beginning of a Content-Type; 0 if it is malformed. */
static size_t media_type_length(const char *text) {
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789!#$&-^_.+";
  size_t type = strspn(text, allowed);
  size_t subtype = text[type] == '/' ? strspn(text + type + 1, allowed) : 0;
  size_t length = type + 1 + subtype;
  return type > 0 && subtype > 0 && length <= LONGEST_MEDIA_TYPE ? length : 0;
}

void bide_headers_push_media_type(lua_State *L, const char *lines, size_t length) {
  static const char name[] = "content-type";
  const char *value = "";
  bool found = bide_headers_push(L, lines, length, name, sizeof name - 1);
  size_t type_length;
  if (found)
    value = lua_tostring(L, -1);
  type_length = media_type_length(value);
  if (type_length > 0)
    push_lower(L, value, type_length);
  else
    lua_pushnil(L);
  if (found) /* … value type */
    lua_remove(L, -2);
}
