/*
** Documents in Lua: a userdata that owns an arena and the value in it, and the
** ways between Lua values and JSON values.
**
** Faithful both ways: integers stay integers, an array read from JSON stays an
** array when it is empty (its table carries the metatable of arrays), null is
** bide.null, the light userdata NULL, which is also cjson.null.
*/
#ifndef BIDE_HOST_VALUES_DOCUMENT_H
#define BIDE_HOST_VALUES_DOCUMENT_H

#include <stdbool.h>

#include <lauxlib.h>
#include <lua.h>

#include "base/arena.h"
#include "base/error.h"
#include "json/repairs.h"
#include "json/value.h"

typedef struct BideDocument {
  BideValue root;
  BideArena arena[]; /* one that bide_document_push made has it: what the value is read into */
} BideDocument;

/* Pushes a new, empty document (its root is null). Lua collects it. `limit` as bide_arena_init. */
BideDocument *bide_document_push(lua_State *L, size_t limit);

/*
** Pushes a document of a JSON text, or of a Lua value as bide_value_read reads it;
** false, and nothing is pushed, where it cannot be read. A small one is packed
** (json/packed.h), since very many of them sleep. A text
** is read leniently where `repairs`, which may be NULL, is there to count what it is.
*/
bool bide_document_push_json(lua_State *L, const char *text, size_t length, size_t limit,
                             BideJsonRepairs *repairs, BideError *error);
bool bide_document_push_lua(lua_State *L, int index, BideError *error);

/* Gives all documents the functions as methods, and as metamethods. */
void bide_document_set_methods(lua_State *L, const luaL_Reg *methods, const luaL_Reg *metamethods);

/* The document at `index`: NULL where it is none; the second raises instead. */
BideDocument *bide_document_test(lua_State *L, int index);
BideDocument *bide_document_check(lua_State *L, int index);

/* The document lives at least as long as the Lua value at `index`, which it borrows from. */
void bide_document_keep(lua_State *L, int document, int index);

/* Marks the table at `index` as an array; whether a table is so marked. */
void bide_array_mark(lua_State *L, int index);
bool bide_array_is_marked(lua_State *L, int index);

/* Whether the table at `index` is an object that was empty when it was read from JSON. */
bool bide_object_is_marked(lua_State *L, int index);

/* Pushes `value` as Lua values. May raise (memory, the stack's depth). */
void bide_value_push(lua_State *L, const BideValue *value);

/*
** Reads the Lua value at `index` into `arena`. A document stands for its root,
** which is borrowed, and so is appended to a table at the stack index `keep`, which is nil
** before the first: what holds that table holds what was borrowed, whatever becomes of
** the value that was read. Returns false, with the path of the member in the message,
** for a value that JSON cannot represent: functions, NaN, tables with mixed or sparse
** keys, nesting beyond BIDE_DEPTH (a table that holds itself). A string that is not
** UTF-8 is taken with U+FFFD for each bad byte. An unmarked empty table is an
** empty object at the top, an empty array below it.
*/
bool bide_value_read(lua_State *L, int index, int keep, BideArena *arena, BideValue *value,
                     BideError *error);

#endif
