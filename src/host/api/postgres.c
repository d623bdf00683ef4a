/* bide.core.postgres: reads rows of PostgreSQL. See lua/bide/meta/postgres.lua. */
#include <lauxlib.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "host/api/modules.h"

enum { BYTES = 1, FIRST, LAST, NAMES, KINDS, DECODERS, REFUSE, ROW };

/* The letters of `kinds`; any other column is read by its decoder. */
static size_t size_of_number(char kind) {
  switch (kind) {
    case 'h': return 2;
    case 'i':
    case 'u': return 4;
    case 'l':
    case 'd': return 8;
    default: return 0;
  }
}

static uint64_t big_endian(const unsigned char *at, size_t size) {
  uint64_t value = 0;
  while (size-- > 0)
    value = value << 8 | *at++;
  return value;
}

static void push_number(lua_State *L, char kind, const unsigned char *at, size_t size) {
  uint64_t bits = big_endian(at, size);
  double real;
  if (kind == 'd') {
    memcpy(&real, &bits, sizeof real);
    lua_pushnumber(L, real);
  } else if (kind == 'h') {
    lua_pushinteger(L, (int16_t)bits);
  } else if (kind == 'i') {
    lua_pushinteger(L, (int32_t)bits);
  } else {
    lua_pushinteger(L, (lua_Integer)bits);
  }
}

/* Calls the decoder of the column at `position`, which raises what is wrong with the value. */
static void push_decoded(lua_State *L, int position, lua_Integer first, lua_Integer last) {
  lua_rawgeti(L, DECODERS, position);
  lua_pushvalue(L, BYTES);
  lua_pushinteger(L, first);
  lua_pushinteger(L, last);
  lua_pushvalue(L, REFUSE);
  lua_call(L, 4, 1);
}

/* Adds a value to the row. `bytes` is the argument, which stays on the stack. */
static void add_value(lua_State *L, int position, char kind, const unsigned char *bytes,
                      size_t offset, size_t size) {
  lua_rawgeti(L, NAMES, position);
  if (kind == 's')
    lua_pushlstring(L, (const char *)bytes + offset, size);
  else if (size > 0 && size == size_of_number(kind))
    push_number(L, kind, bytes + offset, size);
  else
    push_decoded(L, position, (lua_Integer)offset + 1, (lua_Integer)(offset + size));
  lua_rawset(L, ROW);
}

static int refuse(lua_State *L, const char *text) {
  lua_pushnil(L);
  lua_pushstring(L, text);
  return 2;
}

/* postgres.row(bytes, first, last, names, kinds, decoders, refuse) -> row | nil, mistake */
static int row(lua_State *L) {
  size_t length, columns, at, end;
  const unsigned char *bytes = (const unsigned char *)luaL_checklstring(L, BYTES, &length);
  lua_Integer first = luaL_checkinteger(L, FIRST), last = luaL_checkinteger(L, LAST);
  const char *kinds = luaL_checklstring(L, KINDS, &columns);
  luaL_argcheck(L, first >= 1 && first - 1 <= last, FIRST, "is behind the last byte");
  luaL_argcheck(L, (size_t)last <= length, LAST, "is outside of the bytes");
  luaL_checktype(L, NAMES, LUA_TTABLE);
  luaL_argcheck(L, columns <= UINT16_MAX, KINDS, "are too many");
  luaL_checktype(L, DECODERS, LUA_TTABLE);
  luaL_checktype(L, REFUSE, LUA_TFUNCTION);
  lua_settop(L, REFUSE);
  at = (size_t)first - 1;
  end = (size_t)last;
  if (end - at < 2)
    return refuse(L, "a row that is cut off");
  if (big_endian(bytes + at, 2) != columns)
    return refuse(L, lua_pushfstring(L, "a row of %d values for %d columns",
                                     (int)big_endian(bytes + at, 2), (int)columns));
  at += 2;
  lua_createtable(L, 0, (int)columns);
  for (size_t i = 0; i < columns; i++) {
    int32_t size;
    if (end - at < 4)
      return refuse(L, "a row that is cut off");
    size = (int32_t)big_endian(bytes + at, 4);
    at += 4;
    if (size < -1)
      return refuse(L, lua_pushfstring(L, "a value of %d bytes", (int)size));
    if (size == -1)
      continue;
    if ((size_t)size > end - at)
      return refuse(L, lua_pushfstring(L, "a value of %d bytes in a row of %d", (int)size,
                                       (int)(last - first + 1)));
    add_value(L, (int)i + 1, kinds[i], bytes, at, (size_t)size);
    at += (size_t)size;
  }
  if (at != end)
    return refuse(L, "a row that is longer than its values");
  return 1;
}

static const luaL_Reg functions[] = {{"row", row}, {NULL, NULL}};

int bide_open_postgres(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
