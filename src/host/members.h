/*
** Members of tables, whose names are the upvalues of the functions that read them: a name is not
** made from its text each time. A member is the place of its name, from 1.
*/
#ifndef BIDE_HOST_MEMBERS_H
#define BIDE_HOST_MEMBERS_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/* Adds functions that have these names to the table on top of the stack. */
static inline void bide_members_set_functions(lua_State *L, const luaL_Reg *functions,
                                              const char *const *names, int count) {
  luaL_checkstack(L, count, NULL);
  for (int i = 0; i < count; i++)
    lua_pushstring(L, names[i]);
  luaL_setfuncs(L, functions, count);
}

/* Pushes a member of the table at `index`, and returns its type. No metamethod runs. */
static inline int bide_member_push(lua_State *L, int index, int member) {
  lua_pushvalue(L, lua_upvalueindex(member));
  return lua_rawget(L, index);
}

/* Returns a member that must be an integer; raises if it is not one. */
static inline lua_Integer bide_member_integer(lua_State *L, int index, int member) {
  lua_Integer value;
  bide_member_push(L, index, member);
  value = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return value;
}

static inline bool bide_member_is_set(lua_State *L, int index, int member) {
  bool is_set;
  bide_member_push(L, index, member);
  is_set = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return is_set;
}

#endif
