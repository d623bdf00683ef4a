/* bide.core.response: reads the answers of services. Annotated in lua/bide/meta/response.lua. */
#include <lauxlib.h>

#include "host/api/modules.h"
#include "host/values/response.h"

static const luaL_Reg functions[] = {{"read", bide_response_read}, {NULL, NULL}};

int bide_open_response(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
