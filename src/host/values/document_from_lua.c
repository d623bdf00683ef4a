/*
** Reads Lua values into JSON values. Every function leaves the Lua stack as it was, and none
** calls a metamethod: only the contents of tables count.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/text.h"
#include "base/utf8.h"
#include "host/values/document.h"
#include "json/members.h"

/* Keeping a document allocates memory of Lua, which may run the finalizer of a script. */
#define CHANGED "was changed by a finalizer while it was read"

/* The place of a value, for messages: a list from the innermost place outwards. */
typedef struct Place {
  const struct Place *parent;
  const char *name; /* NULL for an element */
  lua_Integer position;
} Place;

typedef struct Conversion {
  lua_State *L;
  BideArena *arena;
  BideError *error;
  int keep; /* the stack index of the table of borrowed documents; nil before the first one */
  int depth;
} Conversion;

static bool read_value(Conversion *conversion, int index, const Place *place, BideValue *value);

/* ---- failures ---- */

/* Calls itself to the depth of the place. */
static size_t format_place(const Place *place, char *text, size_t room) {
  size_t length;
  if (place == NULL)
    return 0;
  length = format_place(place->parent, text, room);
  if (length >= room)
    return length;
  if (place->name == NULL)
    return length +
           (size_t)snprintf(text + length, room - length, "[%lld]", (long long)place->position);
  return length +
         (size_t)snprintf(text + length, room - length, "%s%s", length > 0 ? "." : "", place->name);
}

static bool fail(Conversion *conversion, const Place *place, BideErrorCode code,
                 const char *problem) {
  char where[128] = "";
  format_place(place, where, sizeof where);
  if (*where == '\0')
    bide_error_set(conversion->error, code, "the value %s", problem);
  else
    bide_error_set(conversion->error, code, "%s %s", where, problem);
  return false;
}

static bool fail_depth(Conversion *conversion) {
  return fail(
    conversion, NULL, BIDE_ERROR_LIMIT,
    "is nested too deeply, beyond " BIDE_IN_TEXT(BIDE_DEPTH) " levels; does a table hold itself?");
}

static bool fail_memory(Conversion *conversion) {
  bide_error_set(conversion->error, BIDE_ERROR_MEMORY, "not enough memory for the document");
  return false;
}

/* ---- strings and numbers ---- */

/* Copies the string, repaired, and puts a NUL behind it. */
static char *repair(Conversion *conversion, const char *bytes, size_t *length) {
  char *copy = bide_arena_alloc(conversion->arena, *length * 3 + 1);
  if (copy != NULL) {
    *length = bide_utf8_repair(bytes, *length, copy);
    copy[*length] = '\0';
  }
  return copy;
}

static bool copy_string(Conversion *conversion, int index, const char **copy, size_t *length) {
  const char *bytes = lua_tolstring(conversion->L, index, length);
  if (*length > UINT32_MAX / 4)
    return fail(conversion, NULL, BIDE_ERROR_LIMIT, "holds a string beyond 1 GiB");
  if (bide_utf8_check(bytes, *length) == *length)
    *copy = bide_arena_copy(conversion->arena, bytes, *length);
  else
    *copy = repair(conversion, bytes, length);
  return *copy != NULL || fail_memory(conversion);
}

static bool read_string(Conversion *conversion, int index, BideValue *value) {
  const char *copy;
  size_t length;
  if (!copy_string(conversion, index, &copy, &length))
    return false;
  *value = bide_value_string(copy, length);
  return true;
}

static bool read_number(Conversion *conversion, int index, const Place *place, BideValue *value) {
  lua_Number number;
  if (lua_isinteger(conversion->L, index)) {
    *value = bide_value_integer(lua_tointeger(conversion->L, index));
    return true;
  }
  number = lua_tonumber(conversion->L, index);
  if (!isfinite(number))
    return fail(conversion, place, BIDE_ERROR_JSON, "is not a finite number");
  *value = bide_value_double(number);
  return true;
}

/* ---- tables ---- */

static bool read_elements(Conversion *conversion, int index, size_t count, const Place *place,
                          BideValue *value) {
  BideValue *elements = bide_arena_alloc(conversion->arena, count * sizeof *elements);
  if (elements == NULL)
    return fail_memory(conversion);
  for (size_t i = 0; i < count; i++) {
    Place here = {.parent = place, .position = (lua_Integer)i + 1};
    bool ok;
    lua_rawgeti(conversion->L, index, here.position);
    ok = read_value(conversion, lua_gettop(conversion->L), &here, &elements[i]);
    lua_pop(conversion->L, 1);
    if (!ok)
      return false;
  }
  *value = bide_value_array(elements, count);
  return true;
}

static int order_of_members(const void *left, const void *right) {
  const BideMember *a = left, *b = right;
  return bide_order_of_texts(a->name, a->name_length, b->name, b->name_length);
}

/* Reads the member whose key and value are on top of the stack; leaves both there. */
static bool read_member(Conversion *conversion, const Place *place, BideMember *member) {
  int top = lua_gettop(conversion->L);
  const char *name;
  size_t length;
  BideValue value;
  Place here = {.parent = place};
  if (!copy_string(conversion, top - 1, &name, &length))
    return false;
  here.name = name;
  if (!read_value(conversion, top, &here, &value))
    return false;
  *member = bide_member(name, length, value);
  return true;
}

/* Sorts the members by name, since a table has no order: equal tables give equal texts. */
static bool read_members(Conversion *conversion, int index, size_t count, const Place *place,
                         BideValue *value) {
  lua_State *L = conversion->L;
  BideMember *members = bide_arena_alloc(conversion->arena, count * sizeof *members);
  size_t read = 0;
  if (members == NULL)
    return fail_memory(conversion);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    bool is_read = read < count ? read_member(conversion, place, &members[read])
                                : fail(conversion, place, BIDE_ERROR_JSON, CHANGED);
    if (!is_read) {
      lua_pop(L, 2);
      return false;
    }
    read++;
  }
  qsort(members, read, sizeof *members, order_of_members);
  if (!bide_members_unique(members, &read)) /* repaired names may have become equal */
    return fail_memory(conversion);
  *value = bide_value_object(members, read);
  return true;
}

typedef struct Keys {
  size_t strings;
  size_t positions;
  size_t others;
  lua_Integer largest;
} Keys;

static void count_key(lua_State *L, Keys *keys) {
  if (lua_type(L, -2) == LUA_TSTRING)
    keys->strings++;
  else if (lua_isinteger(L, -2) && lua_tointeger(L, -2) > 0) {
    keys->positions++;
    if (lua_tointeger(L, -2) > keys->largest)
      keys->largest = lua_tointeger(L, -2);
  } else {
    keys->others++;
  }
}

static Keys count_keys(lua_State *L, int index) {
  Keys keys = {0};
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1))
    count_key(L, &keys);
  return keys;
}

static bool read_empty(Conversion *conversion, int index, BideValue *value) {
  bool is_object = !bide_document_is_marked_array(conversion->L, index) &&
                   (conversion->depth == 1 || bide_document_is_marked_object(conversion->L, index));
  *value = is_object ? bide_value_object(NULL, 0) : bide_value_array(NULL, 0);
  return true;
}

static bool read_table(Conversion *conversion, int index, const Place *place, BideValue *value) {
  Keys keys = count_keys(conversion->L, index);
  size_t count = keys.strings + keys.positions + keys.others;
  if (count == 0)
    return read_empty(conversion, index, value);
  if (keys.others > 0)
    return fail(conversion, place, BIDE_ERROR_JSON,
                "has a key that is neither a string nor a position");
  if (keys.strings > 0 && keys.positions > 0)
    return fail(conversion, place, BIDE_ERROR_JSON, "mixes names and positions");
  if (keys.strings > 0 && bide_document_is_marked_array(conversion->L, index))
    return fail(conversion, place, BIDE_ERROR_JSON, "is marked as an array and has names");
  if (keys.strings > 0)
    return read_members(conversion, index, count, place, value);
  if ((size_t)keys.largest != count)
    return fail(conversion, place, BIDE_ERROR_JSON, "is an array with holes");
  return read_elements(conversion, index, count, place, value);
}

/* A table that contains itself reaches the limit of depth. */
static bool read_nested(Conversion *conversion, int index, const Place *place, BideValue *value) {
  bool ok;
  if (conversion->depth == BIDE_DEPTH || !lua_checkstack(conversion->L, 8))
    return fail_depth(conversion);
  conversion->depth++;
  ok = read_table(conversion, index, place, value);
  conversion->depth--;
  return ok;
}

/* ---- values ---- */

static void keep(Conversion *conversion, int index) {
  lua_State *L = conversion->L;
  if (lua_isnil(L, conversion->keep)) {
    lua_createtable(L, 1, 0);
    lua_replace(L, conversion->keep);
  }
  lua_pushvalue(L, index);
  lua_rawseti(L, conversion->keep, (lua_Integer)lua_rawlen(L, conversion->keep) + 1);
}

static bool read_userdata(Conversion *conversion, int index, const Place *place, BideValue *value) {
  lua_State *L = conversion->L;
  const BideDocument *document = bide_document_test(L, index);
  if (document == NULL)
    return fail(conversion, place, BIDE_ERROR_JSON, "is a userdata, which JSON cannot represent");
  if (conversion->depth + document->root.depth > BIDE_DEPTH)
    return fail_depth(conversion);
  *value = document->root;
  keep(conversion, index);
  return true;
}

static bool fail_type(Conversion *conversion, int index, const Place *place) {
  char problem[64];
  snprintf(problem, sizeof problem, "is a %s, which JSON cannot represent",
           luaL_typename(conversion->L, index));
  return fail(conversion, place, BIDE_ERROR_JSON, problem);
}

static bool read_value(Conversion *conversion, int index, const Place *place, BideValue *value) {
  lua_State *L = conversion->L;
  *value = bide_value_null();
  switch (lua_type(L, index)) {
    case LUA_TNIL: return true;
    case LUA_TBOOLEAN: *value = bide_value_boolean(lua_toboolean(L, index)); return true;
    case LUA_TNUMBER: return read_number(conversion, index, place, value);
    case LUA_TSTRING: return read_string(conversion, index, value);
    case LUA_TTABLE: return read_nested(conversion, index, place, value);
    case LUA_TUSERDATA: return read_userdata(conversion, index, place, value);
    case LUA_TLIGHTUSERDATA:
      return lua_touserdata(L, index) == NULL || fail_type(conversion, index, place);
    default: return fail_type(conversion, index, place);
  }
}

bool bide_document_from_lua(lua_State *L, int index, int keep, BideArena *arena, BideValue *value,
                            BideError *error) {
  Conversion conversion = {.L = L, .arena = arena, .error = error, .keep = lua_absindex(L, keep)};
  luaL_checkstack(L, 8, NULL);
  return read_value(&conversion, lua_absindex(L, index), NULL, value);
}
