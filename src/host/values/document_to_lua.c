#include <lauxlib.h>

#include "host/class.h"
#include "host/values/document.h"

static const BideClass array_class = {"bide.array"};   /* of the table of an array */
static const BideClass object_class = {"bide.object"}; /* of the table of an empty object */

/* ---- marks ---- */

bool bide_document_is_marked_array(lua_State *L, int index) {
  return bide_class_is(L, index, &array_class);
}

bool bide_document_is_marked_object(lua_State *L, int index) {
  return bide_class_is(L, index, &object_class);
}

void bide_document_mark_array(lua_State *L, int index) {
  index = lua_absindex(L, index);
  bide_class_push_mark(L, &array_class);
  lua_setmetatable(L, index);
}

/* ---- values ---- */

static void push_value(lua_State *L, const BideValue *value, int array_metatable);

static void push_array(lua_State *L, const BideValue *array, int array_metatable) {
  luaL_checkstack(L, 4, "the document is nested too deeply");
  lua_createtable(L, array->length < INT32_MAX ? (int)array->length : INT32_MAX, 0);
  for (uint32_t i = 0; i < array->length; i++) {
    push_value(L, &array->as.elements[i], array_metatable); /* table element */
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushvalue(L, array_metatable);
  lua_setmetatable(L, -2);
}

/* An empty table is marked: without the mark it would be read as an array. */
static void push_object(lua_State *L, const BideValue *object, int array_metatable) {
  luaL_checkstack(L, 5, "the document is nested too deeply");
  lua_createtable(L, 0, object->length < INT32_MAX ? (int)object->length : INT32_MAX);
  for (uint32_t i = 0; i < object->length; i++) {
    const BideMember *member = &object->as.members[i];
    lua_pushlstring(L, member->name, member->name_length);
    push_value(L, &member->value, array_metatable); /* table name value */
    lua_rawset(L, -3);
  }
  if (object->length == 0) {
    bide_class_push_mark(L, &object_class);
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

void bide_document_to_lua(lua_State *L, const BideValue *value) {
  luaL_checkstack(L, 4, "the document is nested too deeply");
  if (value->type < BIDE_ARRAY) {
    push_value(L, value, 0);
    return;
  }
  bide_class_push_mark(L, &array_class);
  push_value(L, value, lua_gettop(L)); /* metatable value */
  lua_remove(L, -2);
}
