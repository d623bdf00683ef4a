#include "host/values/operation_error.h"

void bide_operation_error_push(lua_State *L, const char *type, const char *message) {
  lua_createtable(L, 0, 3);
  lua_pushstring(L, type);
  lua_setfield(L, -2, "type");
  lua_pushstring(L, message);
  lua_setfield(L, -2, "message");
}
