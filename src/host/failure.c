#include "host/failure.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#include "base/crypto_memory.h"
#include "base/utf8.h"
#include "host/class.h"

static const BideClass failure_class = {"bide.failure"};

/* Pushes the text of a failed expression; returns false if the table at 1 is another failure. */
static bool push_expression_text(lua_State *L) {
  if (lua_getfield(L, 1, "pretty") == LUA_TSTRING)
    return true;
  if (lua_getfield(L, 1, "expression") == LUA_TNIL)
    return false;
  lua_getfield(L, 1, "kind");
  luaL_tolstring(L, -1, NULL); /* pretty expression kind "kind" */
  lua_pushliteral(L, ": ");
  lua_getfield(L, 1, "message");
  luaL_tolstring(L, -1, NULL);
  lua_remove(L, -2); /* pretty expression kind "kind" ": " "message" */
  lua_concat(L, 3);
  return true;
}

static int failure_tostring(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  if (push_expression_text(L))
    return 1;
  lua_settop(L, 1);
  lua_getfield(L, 1, "line");
  lua_getfield(L, 1, "column");
  lua_getfield(L, 1, "message");
  luaL_tolstring(L, -1, NULL); /* failure line column message "message" */
  if (lua_isinteger(L, 2) && lua_isinteger(L, 3))
    lua_pushfstring(L, "%s, at line %I, column %I", lua_tostring(L, -1),
                    (LUAI_UACINT)lua_tointeger(L, 2), (LUAI_UACINT)lua_tointeger(L, 3));
  return 1;
}

static void set_integer(lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

/* Every Lua state holds this text from its beginning, so pushing it allocates nothing. */
#define NO_MEMORY "not enough memory"

int bide_failure_no_memory(lua_State *L) {
  lua_pushliteral(L, NO_MEMORY);
  return lua_error(L);
}

void bide_failure_check_crypto(lua_State *L, size_t *shortages) {
  size_t before = *shortages;
  *shortages = bide_crypto_memory_shortages();
  if (*shortages != before)
    bide_failure_no_memory(L);
}

bool bide_failure_is_no_memory(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TSTRING && strcmp(lua_tostring(L, index), NO_MEMORY) == 0;
}

/* The message is copied first: a finalizer, which any allocation may run, could free it. */
static void push_failure(lua_State *L, const char *kind, const char *message) {
  lua_pushstring(L, message);
  lua_createtable(L, 0, 7); /* message failure */
  lua_insert(L, -2);        /* failure message */
  lua_setfield(L, -2, "message");
  lua_pushstring(L, kind);
  lua_setfield(L, -2, "kind");
  if (bide_class_push_mark(L, &failure_class)) { /* failure metatable */
    lua_pushcfunction(L, failure_tostring);
    lua_setfield(L, -2, "__tostring");
  }
  lua_setmetatable(L, -2);
}

void bide_failure_push_table(lua_State *L, const BideError *error) {
  if (error->code == BIDE_ERROR_MEMORY)
    bide_failure_no_memory(L);
  push_failure(L, bide_error_name(error->code), error->message);
  if (error->line > 0) {
    set_integer(L, "line", error->line);
    set_integer(L, "column", error->column);
    set_integer(L, "offset", (lua_Integer)error->offset);
  }
}

/* The most bytes of a line that are shown before the place, and from it on. */
#define BEFORE 100
#define BEHIND 60

/* The part of a line around the place. */
typedef struct Excerpt {
  size_t begin, end;
  bool is_cut_before, is_cut_behind;
} Excerpt;

static bool is_within_character(const char *text, size_t at) {
  return ((unsigned char)text[at] & 0xC0) == 0x80;
}

static Excerpt excerpt_of(const char *text, size_t length, size_t place) {
  Excerpt excerpt = {.begin = place, .end = place};
  while (excerpt.begin > 0 && text[excerpt.begin - 1] != '\n' && place - excerpt.begin < BEFORE)
    excerpt.begin--;
  while (excerpt.end < length && text[excerpt.end] != '\n' && excerpt.end - place < BEHIND)
    excerpt.end++;
  excerpt.is_cut_before = excerpt.begin > 0 && text[excerpt.begin - 1] != '\n';
  excerpt.is_cut_behind = excerpt.end < length && text[excerpt.end] != '\n';
  while (excerpt.is_cut_before && excerpt.begin < place && is_within_character(text, excerpt.begin))
    excerpt.begin++;
  while (excerpt.is_cut_behind && excerpt.end > place && is_within_character(text, excerpt.end))
    excerpt.end--;
  return excerpt;
}

/* Replaces each control character by a space: a tab would move the caret, others the terminal. */
static void add_plain(luaL_Buffer *buffer, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    luaL_addchar(buffer, (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? ' ' : text[i]);
}

static void push_pretty(lua_State *L, const BideError *error, const char *kind, const char *text,
                        size_t length) {
  size_t place = error->offset < length ? error->offset : length;
  Excerpt excerpt = excerpt_of(text, length, place);
  size_t column = bide_utf8_count(text + excerpt.begin, place - excerpt.begin);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addstring(&buffer, kind == NULL ? "" : kind);
  luaL_addstring(&buffer, kind == NULL ? "" : ": ");
  luaL_addstring(&buffer, error->message);
  luaL_addstring(&buffer, excerpt.is_cut_before ? "\n  …" : "\n  ");
  add_plain(&buffer, text + excerpt.begin, excerpt.end - excerpt.begin);
  luaL_addstring(&buffer, excerpt.is_cut_behind ? "…\n  " : "\n  ");
  for (column += excerpt.is_cut_before; column > 0; column--)
    luaL_addchar(&buffer, ' ');
  luaL_addchar(&buffer, '^');
  luaL_pushresult(&buffer);
}

void bide_failure_add_text(lua_State *L, const BideError *error, const char *kind, const char *text,
                           size_t length) {
  lua_pushlstring(L, text, length);
  lua_setfield(L, -2, "expression");
  if (error->line == 0)
    return;
  push_pretty(L, error, kind, text, length);
  lua_setfield(L, -2, "pretty");
}

int bide_failure_push(lua_State *L, const BideError *error) {
  lua_pushnil(L);
  bide_failure_push_table(L, error);
  return 2;
}

int bide_failure_push_text(lua_State *L, const char *kind, const char *message) {
  lua_pushnil(L);
  push_failure(L, kind, message);
  return 2;
}

void bide_failure_push_operation_error(lua_State *L, const char *type, const char *message) {
  lua_createtable(L, 0, 3);
  lua_pushstring(L, type);
  lua_setfield(L, -2, "type");
  lua_pushstring(L, message);
  lua_setfield(L, -2, "message");
}
