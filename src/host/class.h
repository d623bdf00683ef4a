/*
** Kinds of userdata, and of tables that are marked. A class is known by its address,
** in the registry and in C, which takes a fraction of what luaL_checkudata does to
** look for its name; an attempt asks dozens of times.
**
** The metatable of a userdata shows as the name of its class: a script that had its
** __gc could end what C is just reading.
*/
#ifndef BIDE_HOST_CLASS_H
#define BIDE_HOST_CLASS_H

#include <lua.h>
#include <stdbool.h>

#include "base/export.h"

typedef struct BideClass {
  const char *name; /* for messages, as __name */
} BideClass;

/* Pushes the class's metatable; true where it was made just now, and so is empty but for its name. */
BIDE_API bool bide_class_push(lua_State *L, const BideClass *class);

/* The same for a class of tables, whose metatable is no secret. */
bool bide_class_push_mark(lua_State *L, const BideClass *class);

/* Makes the userdata on top of the stack one of the class. */
BIDE_API void bide_class_set(lua_State *L, const BideClass *class);

/* Whether the value at `index` has the metatable of the class. */
bool bide_class_is(lua_State *L, int index, const BideClass *class);

/* The userdata at `index`: NULL where it is none of the class; the second raises instead. */
void *bide_class_test(lua_State *L, int index, const BideClass *class);
BIDE_API void *bide_class_check(lua_State *L, int index, const BideClass *class);

#endif
