/* Arguments that C functions check in one way. */
#ifndef BIDE_HOST_ARGUMENT_H
#define BIDE_HOST_ARGUMENT_H

#include <lauxlib.h>
#include <limits.h>
#include <lua.h>
#include <string.h>

/* Returns the text at `index` for C, which would read it up to its first NUL byte. */
static inline const char *bide_argument_text(lua_State *L, int index) {
  size_t length;
  const char *text = luaL_checklstring(L, index, &length);
  luaL_argcheck(L, strlen(text) == length, index, "holds a NUL byte");
  return text;
}

/* Returns the integer at `index` from `least` on, as an int. */
static inline int bide_argument_int(lua_State *L, int index, int least) {
  lua_Integer number = luaL_checkinteger(L, index);
  luaL_argcheck(L, number >= least && number <= INT_MAX, index, "is out of range");
  return (int)number;
}

#endif
