/*
** bide.core.pattern: find, match, gmatch and gsub for scripts that are not trusted, which are
** charged for the work. Annotated in lua/bide/meta/pattern.lua.
*/
#include <ctype.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#include "host/api/modules.h"
#include "host/task.h"
#include "host/values/pattern.h"

#define BYTES_PER_INSTRUCTION 8 /* that C reads in the time of one instruction of Lua */

/* Pushes a capture, or the whole match if the pattern has no captures. */
static void push_capture(BidePattern *pattern, int number, const char *begin, const char *end) {
  lua_State *L = pattern->L;
  const BidePatternCapture *capture = &pattern->captures[number];
  if (number >= pattern->level) {
    if (number != 0)
      luaL_error(L, "invalid capture index %%%d", number + 1);
    lua_pushlstring(L, begin, (size_t)(end - begin));
  } else if (capture->length == BIDE_CAPTURE_POSITION)
    lua_pushinteger(L, capture->begin - pattern->text + 1);
  else if (capture->length == BIDE_CAPTURE_OPEN)
    luaL_error(L, "unfinished capture");
  else
    lua_pushlstring(L, capture->begin, (size_t)capture->length);
}

static int push_captures(BidePattern *pattern, int count, const char *begin, const char *end) {
  luaL_checkstack(pattern->L, count, "too many captures");
  for (int i = 0; i < count; i++)
    push_capture(pattern, i, begin, end);
  return count;
}

static int push_match(BidePattern *pattern, const char *begin, const char *end) {
  return push_captures(pattern, pattern->level == 0 ? 1 : pattern->level, begin, end);
}

/* Returns the position at which a search begins, from 0; length + 1 if it is beyond the text. */
static size_t check_start(lua_State *L, int index, size_t length) {
  lua_Integer start = luaL_optinteger(L, index, 1);
  if (start > 0)
    return (size_t)start - 1 > length ? length + 1 : (size_t)start - 1;
  if (start == 0 || start < -(lua_Integer)length)
    return 0;
  return length - (size_t)-start;
}

/* ---- find and match ----------------------------------------------------------------- */

static bool is_plain(const char *pattern, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (pattern[i] != '\0' && strchr("^$*+?.([%-", pattern[i]) != NULL)
      return false;
  return true;
}

static int find_plain(lua_State *L, size_t start) {
  size_t length, wanted;
  const char *text = lua_tolstring(L, 1, &length), *sought = lua_tolstring(L, 2, &wanted);
  const char *found = memmem(text + start, length - start, sought, wanted);
  size_t read = found != NULL ? (size_t)(found - text) - start + wanted : length - start;
  bide_task_charge(L, (int64_t)(read / BYTES_PER_INSTRUCTION));
  if (found == NULL) {
    luaL_pushfail(L);
    return 1;
  }
  lua_pushinteger(L, found - text + 1);
  lua_pushinteger(L, found - text + (lua_Integer)wanted);
  return 2;
}

static int push_found(BidePattern *pattern, const char *begin, const char *end, bool finds) {
  if (!finds)
    return push_match(pattern, begin, end);
  lua_pushinteger(pattern->L, begin - pattern->text + 1);
  lua_pushinteger(pattern->L, end - pattern->text); /* … first last */
  return 2 + push_captures(pattern, pattern->level, begin, end);
}

static int search(lua_State *L, bool finds) {
  size_t length, pattern_length;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *p = luaL_checklstring(L, 2, &pattern_length), *s, *end = NULL;
  size_t start = check_start(L, 3, length);
  bool is_anchored = *p == '^';
  BidePattern pattern;
  if (start > length) {
    luaL_pushfail(L);
    return 1;
  }
  if (finds && (lua_toboolean(L, 4) || is_plain(p, pattern_length)))
    return find_plain(L, start);
  bide_pattern_init(&pattern, L, text, length, p + pattern_length);
  for (s = text + start; s <= pattern.text_end; s++) {
    end = bide_pattern_match(&pattern, s, p + is_anchored);
    if (end != NULL || is_anchored)
      break;
  }
  bide_pattern_settle(&pattern);
  if (s <= pattern.text_end && end != NULL)
    return push_found(&pattern, s, end, finds);
  luaL_pushfail(L);
  return 1;
}

/* pattern.find(text, pattern, start, plain) -> first, last, captures | nil */
static int find(lua_State *L) {
  return search(L, true);
}

/* pattern.match(text, pattern, start) -> captures, or the whole | nil */
static int match(lua_State *L) {
  return search(L, false);
}

/* ---- gmatch --------------------------------------------------------------------------- */

enum { TEXT = 1, PATTERN, NEXT, LAST_END, VALUES = LAST_END };

static int next_match(lua_State *L) {
  size_t length, pattern_length;
  const char *text = lua_tolstring(L, lua_upvalueindex(TEXT), &length);
  const char *p = lua_tolstring(L, lua_upvalueindex(PATTERN), &pattern_length);
  lua_Integer last_end = lua_tointeger(L, lua_upvalueindex(LAST_END));
  BidePattern pattern;
  bide_pattern_init(&pattern, L, text, length, p + pattern_length);
  for (const char *s = text + lua_tointeger(L, lua_upvalueindex(NEXT)); s <= pattern.text_end;
       s++) {
    const char *end = bide_pattern_match(&pattern, s, p);
    if (end == NULL || end - text == last_end)
      continue;
    bide_pattern_settle(&pattern);
    lua_pushinteger(L, end - text);
    lua_copy(L, -1, lua_upvalueindex(NEXT));
    lua_replace(L, lua_upvalueindex(LAST_END));
    return push_match(&pattern, s, end);
  }
  bide_pattern_settle(&pattern);
  lua_pushinteger(L, (lua_Integer)length + 1);
  lua_replace(L, lua_upvalueindex(NEXT));
  return 0;
}

/* pattern.gmatch(text, pattern, start) -> a function that returns the next match each time */
static int gmatch(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  luaL_checkstring(L, 2);
  lua_settop(L, 3);
  lua_pushinteger(L, (lua_Integer)check_start(L, 3, length));
  lua_replace(L, 3);
  lua_pushinteger(L, -1); /* text pattern next last_end */
  lua_pushcclosure(L, next_match, VALUES);
  return 1;
}

/* ---- gsub ----------------------------------------------------------------------------- */

typedef struct Substitution {
  BidePattern pattern;
  luaL_Buffer buffer;
  int type; /* of the replacement, at 3 */
} Substitution;

/* Adds a replacement that is a text, in which %1 is a capture. */
static void add_text(Substitution *substitution, const char *begin, const char *end) {
  lua_State *L = substitution->pattern.L;
  luaL_Buffer *buffer = &substitution->buffer;
  size_t left;
  const char *text = lua_tolstring(L, 3, &left), *escape;
  while ((escape = memchr(text, '%', left)) != NULL) {
    char name = escape[1];
    luaL_addlstring(buffer, text, (size_t)(escape - text));
    if (name == '%')
      luaL_addchar(buffer, '%');
    else if (name == '0')
      luaL_addlstring(buffer, begin, (size_t)(end - begin));
    else if (isdigit((unsigned char)name)) {
      push_capture(&substitution->pattern, name - '1', begin, end);
      luaL_addvalue(buffer);
    } else
      luaL_error(L, "invalid use of '%%' in replacement string");
    left -= (size_t)(escape + 2 - text);
    text = escape + 2;
  }
  luaL_addlstring(buffer, text, left);
}

/* Adds the replacement of a match; returns false if that is the match itself. */
static bool add_replacement(Substitution *substitution, const char *begin, const char *end) {
  BidePattern *pattern = &substitution->pattern;
  lua_State *L = pattern->L;
  if (substitution->type == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, push_match(pattern, begin, end), 1);
  } else if (substitution->type == LUA_TTABLE) {
    push_capture(pattern, 0, begin, end);
    lua_gettable(L, 3);
  } else {
    add_text(substitution, begin, end);
    return true;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(&substitution->buffer, begin, (size_t)(end - begin));
    return false;
  }
  if (!lua_isstring(L, -1))
    luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  luaL_addvalue(&substitution->buffer);
  return true;
}

static int check_replacement(lua_State *L) {
  int type = lua_type(L, 3);
  luaL_argexpected(
    L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
    "string/function/table");
  return type;
}

/* Replaces up to `most` matches of the pattern at `p`; returns their number. */
static lua_Integer substitute(Substitution *substitution, const char *p, lua_Integer most,
                              bool *is_changed) {
  BidePattern *pattern = &substitution->pattern;
  const char *s = pattern->text, *last_end = NULL;
  bool is_anchored = *p == '^';
  lua_Integer count = 0;
  while (count < most) {
    const char *end = bide_pattern_match(pattern, s, p + is_anchored);
    if (end != NULL && end != last_end) {
      count++;
      *is_changed |= add_replacement(substitution, s, end);
      s = last_end = end;
    } else if (s < pattern->text_end)
      luaL_addchar(&substitution->buffer, *s++);
    else
      break;
    if (is_anchored)
      break;
  }
  luaL_addlstring(&substitution->buffer, s, (size_t)(pattern->text_end - s));
  return count;
}

/* pattern.gsub(text, pattern, replacement, most) -> text, number of replacements */
static int gsub(lua_State *L) {
  size_t length, pattern_length, made;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *p = luaL_checklstring(L, 2, &pattern_length);
  Substitution substitution = {.type = check_replacement(L)};
  lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1), count;
  bool is_changed = false;
  lua_settop(L, 3);
  bide_pattern_init(&substitution.pattern, L, text, length, p + pattern_length);
  luaL_buffinit(L, &substitution.buffer);
  count = substitute(&substitution, p, most, &is_changed);
  luaL_pushresult(&substitution.buffer);
  lua_tolstring(L, -1, &made);
  substitution.pattern.steps += (int64_t)(made / BYTES_PER_INSTRUCTION);
  bide_pattern_settle(&substitution.pattern);
  if (!is_changed)
    lua_pushvalue(L, 1);
  lua_pushinteger(L, count);
  return 2;
}

const luaL_Reg bide_functions_pattern[] = {
  {"find", find}, {"match", match}, {"gmatch", gmatch}, {"gsub", gsub}, {NULL, NULL},
};
