/*
** bide.core.secret: secrets, by the names of members and by their values. Annotated in
** lua/bide/meta/secret.lua.
*/
#include "host/api/secret.h"

#include <lauxlib.h>

#include "host/api/modules.h"
#include "host/class.h"
#include "host/failure.h"
#include "host/values/document.h"
#include "host/values/scratch.h"
#include "json/secret.h"

static const BideClass mask_class = {"bide.secret.mask"};

const BideSecretMask *bide_secret_test(lua_State *L, int index) {
  return bide_class_test(L, index, &mask_class);
}

static BideSecretMask *check(lua_State *L) {
  return bide_class_check(L, 1, &mask_class);
}

static void check_room(lua_State *L, bool has_room) {
  if (!has_room)
    bide_failure_no_memory(L);
}

/* secret.kind(name) -> "text" | "any" | nil */
static int kind(lua_State *L) {
  static const char *const names[] = {NULL, "text", "any"};
  size_t length;
  const char *name = luaL_checklstring(L, 1, &length);
  lua_pushstring(L, names[bide_secret_name_kind(name, length)]);
  return 1;
}

/* secret.mask(names, open_name) -> mask */
static int new_mask(lua_State *L) {
  BideSecretMask *mask;
  size_t length;
  const char *open_name = luaL_optlstring(L, 2, NULL, &length);
  lua_Integer count = 0;
  if (!lua_isnoneornil(L, 1)) {
    luaL_checktype(L, 1, LUA_TTABLE);
    count = (lua_Integer)lua_rawlen(L, 1);
  }
  mask = lua_newuserdatauv(L, sizeof *mask, 0);
  bide_secret_mask_init(mask);
  bide_class_set(L, &mask_class);
  if (open_name != NULL)
    check_room(L, bide_secret_mask_open_name(mask, open_name, length));
  for (lua_Integer i = 1; i <= count; i++) {
    const char *name;
    lua_rawgeti(L, 1, i);
    name = luaL_checklstring(L, -1, &length);
    check_room(L, bide_secret_mask_add_name(mask, name, length));
    lua_pop(L, 1);
  }
  return 1;
}

/* mask:add(value) -> the number of values of the mask */
static int add(lua_State *L) {
  BideSecretMask *mask = check(L);
  size_t length;
  const char *value = luaL_checklstring(L, 2, &length);
  check_room(L, bide_secret_mask_add_value(mask, value, length));
  lua_pushinteger(L, (lua_Integer)mask->value_count);
  return 1;
}

/* mask:open(value) */
static int open_value(lua_State *L) {
  BideSecretMask *mask = check(L);
  size_t length;
  const char *value = luaL_checklstring(L, 2, &length);
  check_room(L, bide_secret_mask_open_value(mask, value, length));
  return 0;
}

/* mask:collect(document, of_input) -> the number of values of the mask */
static int collect(lua_State *L) {
  BideSecretMask *mask = check(L);
  const BideDocument *document = bide_document_check(L, 2);
  check_room(L, bide_json_secret_collect(mask, &document->root, lua_toboolean(L, 3)));
  lua_pushinteger(L, (lua_Integer)mask->value_count);
  return 1;
}

/* mask:values() -> string[] */
static int values(lua_State *L) {
  const BideSecretMask *mask = check(L);
  const char *value;
  size_t length;
  lua_newtable(L);
  for (size_t i = 0; (value = bide_secret_mask_value(mask, i, &length)) != NULL; i++) {
    lua_pushlstring(L, value, length);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* mask:text(text) -> the text without its secrets, or the mark for one that is too long */
static int text(lua_State *L) {
  const BideSecretMask *mask = check(L);
  size_t length;
  const char *bytes = luaL_checklstring(L, 2, &length);
  BideSecretSpan span;
  BideScratch *scratch;
  lua_settop(L, 2);
  if (length <= BIDE_SECRET_LONGEST && !bide_secret_mask_find(mask, bytes, length, &span))
    return 1;
  scratch = bide_scratch_push(L);
  bide_secret_mask_write(mask, &scratch->buffer, bytes, length);
  bide_scratch_push_text(L, scratch);
  return 1;
}

static int collect_mask(lua_State *L) {
  bide_secret_mask_free(check(L));
  return 0;
}

static const luaL_Reg methods[] = {{"add", add},       {"open", open_value}, {"collect", collect},
                                   {"values", values}, {"text", text},       {"__gc", collect_mask},
                                   {NULL, NULL}};

const luaL_Reg bide_functions_secret[] = {{"kind", kind}, {"mask", new_mask}, {NULL, NULL}};

void bide_define_secret(lua_State *L) {
  bide_class_define(L, &mask_class, methods);
}
