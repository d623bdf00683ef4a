#include "host/document.h"

#include <lauxlib.h>

#include "host/failure.h"
#include "host/kind.h"
#include "host/memory.h"
#include "json/packed.h"
#include "json/reader.h"

static const BideKind document_kind = {"bide.document"};
static const BideKind packed_kind = {"bide.document"}; /* a document packed into its userdata */
static const BideKind array_kind = {"bide.array"};     /* of the table of an array */
static const BideKind object_kind = {"bide.object"};   /* of the table of an object that is empty */

/* A document is packed if its text, or the packed value, has at most this number of bytes. */
#define SMALL_TEXT ((size_t)512)
#define SMALL ((size_t)2048)

/* ---- documents ---- */

static int document_collect(lua_State *L) {
  BideDocument *document = bide_kind_check(L, 1, &document_kind);
  bide_arena_free(document->arena);
  document->root = bide_value_null();
  return 0;
}

/* It has its collector before any document can be made with it. */
static void push_metatable(lua_State *L) {
  if (bide_kind_push(L, &document_kind)) {
    lua_pushcfunction(L, document_collect);
    lua_setfield(L, -2, "__gc");
  }
}

/* A packed document needs no collector; in all else it is like any other. */
static void push_packed_metatable(lua_State *L) {
  bide_kind_push(L, &packed_kind);
}

static void set_methods(lua_State *L, const luaL_Reg *methods, const luaL_Reg *metamethods) {
  luaL_setfuncs(L, metamethods, 0);
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

void bide_document_set_methods(lua_State *L, const luaL_Reg *methods, const luaL_Reg *metamethods) {
  push_metatable(L);
  set_methods(L, methods, metamethods);
  push_packed_metatable(L);
  set_methods(L, methods, metamethods);
}

BideDocument *bide_document_push(lua_State *L, size_t limit) {
  BideMemory *memory = bide_memory_of(L);
  BideDocument *document;
  bide_memory_make_room(L, memory);
  document = lua_newuserdatauv(L, sizeof *document + sizeof *document->arena, 1);
  bide_arena_init(document->arena, limit);
  document->arena->budget = &memory->budget;
  document->root = bide_value_null();
  push_metatable(L);
  lua_setmetatable(L, -2);
  return document;
}

_Static_assert(_Alignof(BideDocument) >= _Alignof(BideMember), "members may follow a document");

/* Pushes a packed copy of `root`; false if it is not small. */
static bool push_packed(lua_State *L, const BideValue *root) {
  size_t room = SMALL;
  BideDocument *document;
  if (!bide_packed_fits(root, &room))
    return false;
  document = lua_newuserdatauv(L, sizeof *document + SMALL - room, 0);
  document->root = bide_packed_copy(root, (char *)(document + 1), SMALL - room);
  push_packed_metatable(L);
  lua_setmetatable(L, -2);
  return true;
}

/*
** What is small is first read into an arena that has its one block on the stack of
** C, and so needs nothing freed whatever happens. What fails there for any reason
** is read again, to become a document that is not small, or to tell why it cannot.
*/
bool bide_document_push_json(lua_State *L, const char *text, size_t length, size_t limit,
                             BideJsonRepairs *repairs, BideError *error) {
  const BideJsonOptions options = {.repairs = repairs};
  _Alignas(BIDE_ARENA_ALIGNMENT) char block[2 * SMALL];
  BideDocument *document;
  BideArena arena;
  BideValue root;
  bide_arena_init_within(&arena, block, sizeof block);
  if (length <= SMALL_TEXT && bide_json_read(&arena, text, length, &options, &root, NULL) &&
      push_packed(L, &root))
    return true;
  document = bide_document_push(L, limit);
  if (bide_json_read(document->arena, text, length, &options, &document->root, error))
    return true;
  if (document->arena->starved)
    bide_failure_no_memory(L);
  lua_pop(L, 1);
  return false;
}

/* A packed document borrows from no other. */
bool bide_document_push_lua(lua_State *L, int index, BideError *error) {
  _Alignas(BIDE_ARENA_ALIGNMENT) char block[2 * SMALL];
  BideDocument *document;
  BideArena arena;
  BideValue root;
  int keep;
  index = lua_absindex(L, index);
  bide_arena_init_within(&arena, block, sizeof block);
  lua_pushnil(L);
  keep = lua_gettop(L);
  if (bide_value_read(L, index, keep, &arena, &root, error) && push_packed(L, &root)) {
    lua_remove(L, keep);
    return true;
  }
  document = bide_document_push(L, 0); /* keep document */
  if (!bide_value_read(L, index, keep, document->arena, &document->root, error)) {
    lua_pop(L, 2);
    return false;
  }
  bide_document_keep(L, -1, keep);
  lua_remove(L, keep);
  return true;
}

BideDocument *bide_document_test(lua_State *L, int index) {
  BideDocument *document = bide_kind_test(L, index, &packed_kind);
  return document != NULL ? document : bide_kind_test(L, index, &document_kind);
}

BideDocument *bide_document_check(lua_State *L, int index) {
  BideDocument *document = bide_document_test(L, index);
  if (document == NULL)
    luaL_typeerror(L, index, document_kind.name);
  return document;
}

void bide_document_keep(lua_State *L, int document, int index) {
  document = lua_absindex(L, document);
  lua_pushvalue(L, index);
  lua_setiuservalue(L, document, 1);
}

/* ---- marks ---- */

bool bide_array_is_marked(lua_State *L, int index) {
  return bide_kind_is(L, index, &array_kind);
}

bool bide_object_is_marked(lua_State *L, int index) {
  return bide_kind_is(L, index, &object_kind);
}

void bide_array_mark(lua_State *L, int index) {
  index = lua_absindex(L, index);
  bide_kind_push_mark(L, &array_kind);
  lua_setmetatable(L, index);
}

/* ---- to Lua ---- */

static void push_value(lua_State *L, const BideValue *value, int array_metatable);

static void push_array(lua_State *L, const BideValue *array, int array_metatable) {
  luaL_checkstack(L, 4, "the document is nested too deeply");
  lua_createtable(L, array->length < INT32_MAX ? (int)array->length : INT32_MAX, 0);
  for (uint32_t i = 0; i < array->length; i++) {
    push_value(L, &array->as.elements[i], array_metatable);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushvalue(L, array_metatable);
  lua_setmetatable(L, -2);
}

/* An empty table would be taken for an array when it is read back; hence its mark. */
static void push_object(lua_State *L, const BideValue *object, int array_metatable) {
  luaL_checkstack(L, 5, "the document is nested too deeply");
  lua_createtable(L, 0, object->length < INT32_MAX ? (int)object->length : INT32_MAX);
  for (uint32_t i = 0; i < object->length; i++) {
    const BideMember *member = &object->as.members[i];
    lua_pushlstring(L, member->name, member->name_length);
    push_value(L, &member->value, array_metatable);
    lua_rawset(L, -3);
  }
  if (object->length == 0) {
    bide_kind_push_mark(L, &object_kind);
    lua_setmetatable(L, -2);
  }
}

/* Calls itself to the depth of the value, which is at most BIDE_DEPTH. */
static void push_value(lua_State *L, const BideValue *value, int array_metatable) {
  switch ((BideType)value->type) {
    case BIDE_NULL: lua_pushlightuserdata(L, NULL); break;
    case BIDE_FALSE: lua_pushboolean(L, 0); break;
    case BIDE_TRUE: lua_pushboolean(L, 1); break;
    case BIDE_INTEGER: lua_pushinteger(L, value->as.integer); break;
    case BIDE_UNSIGNED: lua_pushnumber(L, (lua_Number)value->as.unsigned_integer); break;
    case BIDE_DOUBLE: lua_pushnumber(L, value->as.number); break;
    case BIDE_STRING: lua_pushlstring(L, value->as.string, value->length); break;
    case BIDE_ARRAY: push_array(L, value, array_metatable); break;
    case BIDE_OBJECT: push_object(L, value, array_metatable); break;
  }
}

void bide_value_push(lua_State *L, const BideValue *value) {
  luaL_checkstack(L, 4, "the document is nested too deeply");
  if (value->type < BIDE_ARRAY) {
    push_value(L, value, 0);
    return;
  }
  bide_kind_push_mark(L, &array_kind);
  push_value(L, value, lua_gettop(L));
  lua_remove(L, -2);
}
