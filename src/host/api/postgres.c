/* bide.core.postgres: reads rows of PostgreSQL, and writes its arrays.
 * See lua/bide/meta/postgres.lua. */
#include <lauxlib.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "host/api/modules.h"

/* ---- rows ------------------------------------------------------------------------------- */

enum { BYTES = 1, FIRST, LAST, LIMIT, ROWS, NAMES, KINDS, DECODERS, REFUSE, ROW };

/* The rows that one call reads, and the bytes before each: a letter, and a length that counts
 * itself. */
enum { MOST_ROWS = 32, HEADER = 5 };

/* The letters of `kinds`, of arrays in upper case; any other column is read by its decoder. */
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

/* The bytes before the elements of an array: the number of dimensions, whether there may be NULLs,
 * and the type; of each dimension the number of elements, and the position of the first. And those
 * before each element, its length. */
enum { ARRAY = 20, COUNT_AT = 12, LENGTH = 4 };

/* The most elements of a list. */
#define MOST_ELEMENTS 10000

/* Pushes the list of an array of numbers. Returns false, without a list, if it has no elements, or
 * is of another form: its decoder reads it. */
static bool push_list(lua_State *L, char kind, const unsigned char *at, size_t size) {
  size_t width = size_of_number(kind), count;
  if (size < ARRAY || big_endian(at, 4) != 1)
    return false;
  count = big_endian(at + COUNT_AT, 4);
  at += ARRAY;
  if (count > MOST_ELEMENTS || size != ARRAY + count * (LENGTH + width))
    return false;
  for (size_t i = 0; i < count; i++) {
    if (big_endian(at + i * (LENGTH + width), LENGTH) != width)
      return false;
  }
  lua_createtable(L, (int)count, 1);
  for (size_t i = 0; i < count; i++, at += LENGTH + width) {
    push_number(L, kind, at + LENGTH, width);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, (lua_Integer)count);
  lua_setfield(L, -2, "n");
  return true;
}

/* The letter of the elements of an array; 0 of anything else. */
static char kind_of_elements(char kind) {
  switch (kind) {
    case 'H': return 'h';
    case 'I': return 'i';
    case 'L': return 'l';
    default: return 0;
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
  else if (kind_of_elements(kind) == 0 ||
           !push_list(L, kind_of_elements(kind), bytes + offset, size))
    push_decoded(L, position, (lua_Integer)offset + 1, (lua_Integer)(offset + size));
  lua_rawset(L, ROW);
}

static bool refuse(lua_State *L, const char *text) {
  lua_pushstring(L, text);
  return false;
}

/* Pushes the row whose message is from `at` to `end`; or what is wrong, and returns false. */
static bool push_row(lua_State *L, const unsigned char *bytes, size_t at, size_t end,
                     const char *kinds, size_t columns) {
  size_t whole = end - at;
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
      return refuse(
        L, lua_pushfstring(L, "a value of %d bytes in a row of %d", (int)size, (int)whole));
    add_value(L, (int)i + 1, kinds[i], bytes, at, (size_t)size);
    at += (size_t)size;
  }
  if (at != end)
    return refuse(L, "a row that is longer than its values");
  return true;
}

/* Returns the size of the row at `at`; 0 if another message is there, or one that is not whole or
 * is longer than the limit. */
static size_t size_of_row(const unsigned char *bytes, size_t at, size_t length, size_t limit) {
  size_t size;
  if (length - at < HEADER || bytes[at] != 'D')
    return 0;
  size = big_endian(bytes + at + 1, 4);
  return size >= 4 && size <= limit && size <= length - at - 1 ? size + 1 : 0;
}

/* postgres.rows(bytes, first, last, limit, rows, names, kinds, decoders, refuse)
 *   -> next | nil, mistake */
static int rows(lua_State *L) {
  size_t length, columns, at, end, next, size;
  const unsigned char *bytes = (const unsigned char *)luaL_checklstring(L, BYTES, &length);
  lua_Integer first = luaL_checkinteger(L, FIRST), last = luaL_checkinteger(L, LAST);
  lua_Integer limit = luaL_checkinteger(L, LIMIT), count;
  const char *kinds = luaL_checklstring(L, KINDS, &columns);
  luaL_argcheck(L, first >= 1 && first - 1 <= last, FIRST, "is behind the last byte");
  luaL_argcheck(L, (size_t)last <= length, LAST, "is outside of the bytes");
  luaL_argcheck(L, limit >= 0, LIMIT, "is below 0");
  luaL_checktype(L, ROWS, LUA_TTABLE);
  luaL_checktype(L, NAMES, LUA_TTABLE);
  luaL_argcheck(L, columns <= UINT16_MAX, KINDS, "are too many");
  luaL_checktype(L, DECODERS, LUA_TTABLE);
  luaL_checktype(L, REFUSE, LUA_TFUNCTION);
  lua_settop(L, REFUSE);
  count = (lua_Integer)lua_rawlen(L, ROWS);
  at = (size_t)first - 1;
  end = (size_t)last;
  for (int n = 1;; n++) {
    if (!push_row(L, bytes, at, end, kinds, columns)) {
      lua_pushnil(L);
      lua_insert(L, -2);
      return 2;
    }
    lua_rawseti(L, ROWS, ++count);
    next = end;
    size = n < MOST_ROWS ? size_of_row(bytes, next, length, (size_t)limit) : 0;
    if (size == 0)
      break;
    at = next + HEADER;
    end = next + size;
  }
  lua_pushinteger(L, (lua_Integer)next + 1);
  return 1;
}

/* ---- arrays ----------------------------------------------------------------------------- */

enum { KIND = 1, LISTED, FROM, TO, MEMBER, HEAD };

/* Adds an integer as PostgreSQL has it, the most significant byte first. */
static void add_big_endian(luaL_Buffer *buffer, uint64_t value, size_t size) {
  char *at = luaL_prepbuffsize(buffer, size);
  for (size_t i = size; i-- > 0; value >>= 8)
    at[i] = (char)(value & 0xff);
  luaL_addsize(buffer, size);
}

/* Pushes the element at `position`, or its member. Returns false if it has none. */
static bool push_element(lua_State *L, lua_Integer position) {
  lua_rawgeti(L, LISTED, position);
  if (lua_isnil(L, MEMBER))
    return true;
  if (!lua_istable(L, -1))
    return false;
  lua_pushvalue(L, MEMBER);
  lua_rawget(L, -2);
  lua_remove(L, -2);
  return true;
}

/* Adds the value on top of the stack to the buffer below it, and pops it first, since a buffer
 * that grows is on top; the list keeps a string. Returns false if it is of another type. */
static bool add_element(lua_State *L, luaL_Buffer *buffer, char kind) {
  int type = lua_type(L, -1), is_whole = 0;
  if (type == LUA_TNIL) {
    lua_pop(L, 1);
    add_big_endian(buffer, UINT32_MAX, LENGTH);
  } else if (type == LUA_TSTRING && kind == 's') {
    size_t size;
    const char *bytes = lua_tolstring(L, -1, &size);
    if (size > INT32_MAX)
      return false;
    lua_pop(L, 1);
    add_big_endian(buffer, size, LENGTH);
    luaL_addlstring(buffer, bytes, size);
  } else if (type == LUA_TNUMBER && kind != 's') {
    lua_Integer value = lua_tointegerx(L, -1, &is_whole);
    if (!is_whole || (kind == 'i' && (value < INT32_MIN || value > INT32_MAX)))
      return false;
    lua_pop(L, 1);
    add_big_endian(buffer, size_of_number(kind), LENGTH);
    add_big_endian(buffer, (uint64_t)value, size_of_number(kind));
  } else {
    return false;
  }
  return true;
}

/* postgres.elements(kind, list, first, last[, member[, head]]) -> bytes | nil, position */
static int elements(lua_State *L) {
  static const char *const kinds[] = {"i", "l", "s", NULL};
  char kind = kinds[luaL_checkoption(L, KIND, NULL, kinds)][0];
  lua_Integer first = luaL_checkinteger(L, FROM), last = luaL_checkinteger(L, TO);
  size_t length;
  const char *head = luaL_optlstring(L, HEAD, "", &length);
  luaL_Buffer buffer;
  luaL_checktype(L, LISTED, LUA_TTABLE);
  if (!lua_isnoneornil(L, MEMBER))
    luaL_checktype(L, MEMBER, LUA_TSTRING);
  lua_settop(L, HEAD);
  luaL_buffinit(L, &buffer);
  luaL_addlstring(&buffer, head, length);
  for (lua_Integer position = first; position <= last; position++) {
    if (!push_element(L, position) || !add_element(L, &buffer, kind)) {
      lua_pushnil(L);
      lua_pushinteger(L, position);
      return 2;
    }
  }
  luaL_pushresult(&buffer);
  return 1;
}

const luaL_Reg bide_functions_postgres[] = {{"rows", rows}, {"elements", elements}, {NULL, NULL}};
