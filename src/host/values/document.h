/*
** Documents in Lua: a userdata that owns an arena and the JSON value in it (document.c), and the
** conversions from Lua values (document_from_lua.c) and to Lua values (document_to_lua.c).
**
** Both conversions are faithful: integers stay integers; an array read from JSON stays an array
** even if it is empty, since its table has the metatable of arrays; null is bide.null, the light
** userdata NULL, which is also cjson.null. A document is made of a Lua value, which may hold
** documents: document.c and document_from_lua.c need each other.
*/
#ifndef BIDE_HOST_VALUES_DOCUMENT_H
#define BIDE_HOST_VALUES_DOCUMENT_H

#include <stdbool.h>

#include <lauxlib.h>
#include <lua.h>

#include "base/arena.h"
#include "base/error.h"
#include "jmespath/answer.h"
#include "json/reader.h"
#include "json/value.h"

typedef struct BideDocument {
  BideValue root;
  BideArena arena[]; /* holds the value; only documents of bide_document_push have one */
} BideDocument;

/* Pushes a new document, whose root is null. Lua collects it. `limit` is as in bide_arena_init. */
BideDocument *bide_document_push(lua_State *L, size_t limit);

/*
** Pushes a document of a JSON text, or of a Lua value as bide_document_from_lua reads it. Returns
** false, and pushes nothing, if it cannot be read. A small document is packed (json/packed.h),
** since very many of them may be kept by sleeping waits. If a document that is the same to the byte
** is at the stack index `known`, which is 0 for none, pushes that one, so that a repeated answer is
** kept once. `options` are those of bide_json_read.
*/
bool bide_document_push_json(lua_State *L, const char *text, size_t length, size_t limit, int known,
                             const BideJsonOptions *options, BideError *error);
bool bide_document_push_lua(lua_State *L, int index, int known, BideError *error);

/*
** Pushes what the lenient reader repaired after the value on top: nil, a note and, if members were
** given twice with different values, their names, a NUL after each, or true if not all are known.
** Returns the number of values, with the one on top.
*/
int bide_document_push_repairs(lua_State *L, const BideJsonRepairs *repairs);

/*
** Pushes a compact document that is equal to the one at `index`: its text, in half the memory, for
** the inputs of very many sleeping waits. Pushes the document itself if it is not packed, or if its
** text does not give it back. All that takes a document takes a compact one, which test and check
** replace on the stack by what they read from its text.
*/
void bide_document_push_compact(lua_State *L, int index);

/* Pushes the text of the compact document at `index`; returns false for anything else. */
bool bide_document_push_text(lua_State *L, int index);

/*
** Pushes a view of the document at `document`: the same value, with the answer of HTTP that the
** value at `index` is, which must not be nil. It keeps both. A view of a view replaces its answer.
*/
void bide_document_push_answered(lua_State *L, int document, int index, const BideAnswer *answer);

/* Returns the answer of the view at `index`, and NULL for any other document. */
const BideAnswer *bide_document_answer(lua_State *L, int index);

/* Returns the document at `index` and, of a view, its answer. Raises if it is not a document. */
BideDocument *bide_document_check_answered(lua_State *L, int index, const BideAnswer **answer);

/* Pushes the document that a view is of, or the one at `index` itself. */
void bide_document_push_plain(lua_State *L, int index);

/* Gives all documents these methods and metamethods. */
void bide_document_set_methods(lua_State *L, const luaL_Reg *methods, const luaL_Reg *metamethods);

/* Returns the document at `index`. If it is not a document, test returns NULL, check raises. */
BideDocument *bide_document_test(lua_State *L, int index);
BideDocument *bide_document_check(lua_State *L, int index);

/* Makes the document keep the Lua value at `index`, from which it borrows. */
void bide_document_keep(lua_State *L, int document, int index);

/* Marks the table at `index` as an array; reports whether a table has this mark. */
void bide_document_mark_array(lua_State *L, int index);
bool bide_document_is_marked_array(lua_State *L, int index);

/* Reports whether the table at `index` was an empty object when it was read from JSON. */
bool bide_document_is_marked_object(lua_State *L, int index);

/* Pushes `value` as a Lua value. May raise (memory, the depth of the stack). */
void bide_document_to_lua(lua_State *L, const BideValue *value);

/*
** Reads the Lua value at `index` into `arena`. A document is read as its root, which is borrowed.
** Each borrowed document is appended to the table at the stack index `keep`, which is nil before
** the first one: code that keeps the result keeps this table, whatever happens to the Lua value.
**
** Returns false, with the path of the member in the message, for values that JSON cannot represent:
** functions, NaN, tables with mixed or sparse keys, nesting beyond BIDE_DEPTH (as of a table that
** contains itself). In a string that is not UTF-8 each bad byte becomes U+FFFD. An unmarked empty
** table is an empty object at the top, an empty array below it.
*/
bool bide_document_from_lua(lua_State *L, int index, int keep, BideArena *arena, BideValue *value,
                            BideError *error);

#endif
