/*
** Kinds of userdata, and of tables that are marked. A kind is known by its address,
** in the registry and in C, which takes a fraction of what luaL_checkudata does to
** look for its name; an attempt asks dozens of times.
**
** The metatable of a userdata shows as the name of its kind: a script that had its
** __gc could end what C is just reading.
*/
#ifndef BIDE_HOST_KIND_H
#define BIDE_HOST_KIND_H

#include <lua.h>
#include <stdbool.h>

#include "base/export.h"

typedef struct BideKind {
  const char *name; /* for messages, as __name */
} BideKind;

/* Pushes the kind's metatable; true where it was made just now, and so is empty but for its name. */
BIDE_API bool bide_kind_push(lua_State *L, const BideKind *kind);

/* The same for a kind of tables, whose metatable is no secret. */
bool bide_kind_push_mark(lua_State *L, const BideKind *kind);

/* Makes the userdata on top of the stack one of the kind. */
BIDE_API void bide_kind_set(lua_State *L, const BideKind *kind);

/* Whether the value at `index` has the metatable of the kind. */
bool bide_kind_is(lua_State *L, int index, const BideKind *kind);

/* The userdata at `index`: NULL where it is none of the kind; the second raises instead. */
void *bide_kind_test(lua_State *L, int index, const BideKind *kind);
BIDE_API void *bide_kind_check(lua_State *L, int index, const BideKind *kind);

#endif
