/*
** Classes of userdata, and of tables that bear a mark. C identifies a class by its address, in
** the registry and in the metatable: luaL_checkudata looks its name up, which takes several times
** as long, and an attempt checks dozens of times. A class is a static constant of the file that
** owns it.
**
** getmetatable returns the name of a class of userdata in place of the metatable: with its __gc a
** script could free what C is reading.
*/
#ifndef BIDE_HOST_CLASS_H
#define BIDE_HOST_CLASS_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "base/export.h"

typedef struct BideClass {
  const char *name; /* for messages, and as __name */
} BideClass;

/*
** Gives the class its methods; those whose names begin with "__" are metamethods. Called by the
** opener of a module, before it makes the first object. Pushes nothing.
*/
BIDE_API void bide_class_define(lua_State *L, const BideClass *class, const luaL_Reg *methods);

/*
** Pushes the metatable of the class. Returns true if it was made by this call: the caller then adds
** the metamethods of a class that no module defines.
*/
bool bide_class_push(lua_State *L, const BideClass *class);

/* The same for a class of tables, whose metatable scripts may see. */
bool bide_class_push_mark(lua_State *L, const BideClass *class);

/* Makes the userdata on top of the stack an object of the class, which has been defined. */
BIDE_API void bide_class_set(lua_State *L, const BideClass *class);

/* Reports whether the value at `index` has the metatable of the class. */
bool bide_class_is(lua_State *L, int index, const BideClass *class);

/* Returns the userdata at `index`. If it is not of the class, test returns NULL, check raises. */
void *bide_class_test(lua_State *L, int index, const BideClass *class);
BIDE_API void *bide_class_check(lua_State *L, int index, const BideClass *class);

#endif
