/*
** bide.core.json: JSON for Lua. Annotated in lua/bide/meta/json.lua.
*/
#include <lauxlib.h>
#include <lua.h>

#include <string.h>

#include "base/buffer.h"
#include "host/api/modules.h"
#include "host/api/secret.h"
#include "host/failure.h"
#include "host/memory.h"
#include "host/task.h"
#include "host/values/document.h"
#include "host/values/scratch.h"
#include "json/packed.h"
#include "json/reader.h"
#include "json/text.h"
#include "json/writer.h"

/* Bytes in the time of one instruction of Lua: into tables, into a document, out of either. */
#define DECODED_PER_INSTRUCTION 1
#define READ_PER_INSTRUCTION 4
#define WRITTEN_PER_INSTRUCTION 2

/* ---- writing ---- */

enum { OPTIONS = 2 };

/* The options of writing. The mask stays on the stack, since writing may call Lua. */
typedef struct Writing {
  unsigned flags;
  const BideSecretMask *mask;
} Writing;

static unsigned flag_of(const char *name) {
  static const struct {
    const char *name;
    unsigned flag;
  } known[] = {{"indent", BIDE_JSON_INDENT},
               {"redact", BIDE_JSON_REDACT},
               {"escape", BIDE_JSON_ESCAPE},
               {"input", BIDE_JSON_INPUT}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(name, known[i].name) == 0)
      return known[i].flag;
  return 0;
}

static Writing read_writing(lua_State *L) {
  Writing writing = {0, NULL};
  lua_settop(L, OPTIONS);
  if (lua_isnil(L, OPTIONS))
    return writing;
  luaL_checktype(L, OPTIONS, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, OPTIONS) != 0; lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    unsigned flag = flag_of(name);
    if (flag == 0)
      luaL_error(L, "unknown option '%s' (the options are indent, redact, escape and input)", name);
    if (lua_toboolean(L, -1))
      writing.flags |= flag;
  }
  lua_pushliteral(L, "redact");
  lua_rawget(L, OPTIONS);
  writing.mask = bide_secret_test(L, -1);
  return writing;
}

static int push_text(lua_State *L, BideScratch *scratch, const BideValue *value, Writing writing) {
  BideError error;
  if (!bide_json_write_masked(&scratch->buffer, value, writing.flags, writing.mask, &error))
    return bide_failure_push(L, &error);
  bide_scratch_push_text(L, scratch);
  bide_task_charge(L, (int64_t)lua_rawlen(L, -1) / WRITTEN_PER_INSTRUCTION);
  return 1;
}

/* json.encode(value, options) -> text | nil, failure */
static int json_encode(lua_State *L) {
  Writing writing = read_writing(L);
  BideScratch *scratch;
  BideValue value;
  BideError error;
  lua_pushnil(L); /* value options redact keep */
  scratch = bide_scratch_push(L);
  if (!bide_document_from_lua(L, 1, -2, &scratch->arena, &value, &error))
    return bide_failure_push(L, &error);
  return push_text(L, scratch, &value, writing);
}

/* ---- reading ---- */

/* Returns the options of reading at `index`. Repairs of the lenient reader go to `repairs`. */
static BideJsonOptions check_reading(lua_State *L, int index, BideJsonRepairs *repairs) {
  BideJsonOptions options = {0};
  *repairs = (BideJsonRepairs){0};
  if (lua_isnoneornil(L, index))
    return options;
  luaL_checktype(L, index, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    bool is_set = lua_toboolean(L, -1);
    if (strcmp(name, "lenient") == 0)
      options.repairs = is_set ? repairs : NULL;
    else if (strcmp(name, "unique") == 0)
      options.is_unique = is_set;
    else
      luaL_error(L, "unknown option '%s' (the options are lenient and unique)", name);
  }
  return options;
}

/* json.decode(text, options) -> value | nil, failure | value, nil, note, repeated */
static int json_decode(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  BideJsonRepairs repairs;
  BideJsonOptions options = check_reading(L, 2, &repairs);
  BideScratch *scratch = bide_scratch_push(L); /* text options scratch */
  BideValue value;
  BideError error;
  bide_task_charge(L, (int64_t)length / DECODED_PER_INSTRUCTION);
  if (!bide_json_read(&scratch->arena, text, length, &options, &value, &error))
    return bide_failure_push(L, &error);
  bide_document_to_lua(L, &value); /* text options scratch value */
  bide_scratch_free(scratch);
  return bide_document_push_repairs(L, &repairs);
}

/* json.read(text, options) -> document | nil, failure | document, nil, note, repeated */
static int json_read(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  BideJsonRepairs repairs;
  BideJsonOptions options = check_reading(L, 2, &repairs);
  BideError error;
  bide_task_charge(L, (int64_t)length / READ_PER_INSTRUCTION);
  if (!bide_document_push_json(L, text, length, 0, 0, &options, &error))
    return bide_failure_push(L, &error);
  return bide_document_push_repairs(L, &repairs);
}

static bool is_blank(const char *text, size_t length) {
  return bide_text_skip_space(text, length, 0) == length;
}

/*
** json.read_next(text, position, options) -> document, next, note | nil, failure | nil
** Positions count from 1, as in strings of Lua; nil alone is the end of the stream.
*/
static int json_read_next(lua_State *L) {
  size_t length, consumed;
  char note[BIDE_JSON_REPAIRS_TEXT];
  BideJsonRepairs repairs;
  BideJsonOptions options = check_reading(L, 3, &repairs);
  const char *text = luaL_checklstring(L, 1, &length);
  lua_Integer position = luaL_optinteger(L, 2, 1);
  BideDocument *document;
  BideError error;
  size_t from;
  luaL_argcheck(L, position >= 1 && (size_t)position <= length + 1, 2,
                "is not a position of the text");
  from = (size_t)position - 1;
  if (is_blank(text + from, length - from)) {
    lua_pushnil(L);
    return 1;
  }
  document = bide_document_push(L, 0); /* text position options document */
  if (!bide_json_read_next(document->arena, text + from, length - from, &options, &document->root,
                           &consumed, &error)) {
    bide_error_locate(&error, text, length, from + error.offset);
    return bide_failure_push(L, &error);
  }
  lua_pushinteger(L, position + (lua_Integer)consumed); /* … document next */
  if (bide_json_repairs_describe(&repairs, note) == 0)
    return 2;
  lua_pushstring(L, note);
  return 3;
}

/* ---- documents ---- */

/*
** json.document(value, known) -> document | nil, failure; `known`, a document or nil, if that is
** the same to the byte
*/
static int json_document(lua_State *L) {
  BideError error;
  luaL_checkany(L, 1);
  lua_settop(L, 2);
  if (!bide_document_push_lua(L, 1, 2, &error))
    return bide_failure_push(L, &error);
  return 1;
}

/* json.compact(document) -> an equal document, kept as its text; it is read anew at each use */
static int json_compact(lua_State *L) {
  luaL_checktype(L, 1, LUA_TUSERDATA);
  bide_document_push_compact(L, 1);
  return 1;
}

/*
** Returns the part of a document to which the names from the stack index 2 on lead: each is that of
** a member. NULL if there is none.
*/
static const BideValue *check_part(lua_State *L) {
  const BideValue *part = &bide_document_check(L, 1)->root;
  for (int index = 2; part != NULL && index <= lua_gettop(L); index++) {
    size_t length;
    const char *name = luaL_checklstring(L, index, &length);
    part = bide_value_member(part, name, length);
  }
  return part;
}

/* document:value(name, ...) -> Lua value | nil if the document lacks it */
static int document_value(lua_State *L) {
  const BideValue *part = check_part(L);
  if (part == NULL)
    lua_pushnil(L);
  else
    bide_document_to_lua(L, part);
  return 1;
}

/* document:names(name, ...) -> the names of an object's members, in their order | nil */
static int document_names(lua_State *L) {
  const BideValue *part = check_part(L);
  if (part == NULL || part->type != BIDE_OBJECT) {
    lua_pushnil(L);
    return 1;
  }
  lua_createtable(L, (int)part->length, 0);
  for (uint32_t i = 0; i < part->length; i++) {
    lua_pushlstring(L, part->as.members[i].name, part->as.members[i].name_length);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* document:json(options) -> text | nil, failure */
static int document_json(lua_State *L) {
  const BideDocument *document;
  Writing writing;
  if (lua_isnoneornil(L, OPTIONS) && bide_document_push_text(L, 1))
    return 1;
  document = bide_document_check(L, 1);
  writing = read_writing(L);
  return push_text(L, bide_scratch_push(L), &document->root, writing);
}

/* document:type() -> "object", "array", … */
static int document_type(lua_State *L) {
  lua_pushstring(L, bide_value_type_name(&bide_document_check(L, 1)->root));
  return 1;
}

/* document:is_same(other) -> whether the two are equal, to the byte */
static int document_is_same(lua_State *L) {
  const BideDocument *document = bide_document_check(L, 1), *other = bide_document_check(L, 2);
  lua_pushboolean(L, bide_packed_is_same(&document->root, &other->root));
  return 1;
}

/* #document -> the number of elements, members or code points; 0 for values without a length */
static int document_length(lua_State *L) {
  const BideDocument *document = bide_document_check(L, 1);
  lua_pushinteger(L, document->root.type >= BIDE_STRING ? (lua_Integer)document->root.length : 0);
  return 1;
}

/* ---- arrays and names ---- */

/* json.array(table | none) -> the table, marked as an array */
static int json_array(lua_State *L) {
  if (lua_isnone(L, 1))
    lua_newtable(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  bide_document_mark_array(L, 1);
  return 1;
}

/* json.is_array(value) -> boolean; a table without a mark is an array if it has an element at 1 */
static int json_is_array(lua_State *L) {
  const BideDocument *document = bide_document_test(L, 1);
  bool is_array = document != NULL && document->root.type == BIDE_ARRAY;
  if (lua_istable(L, 1))
    is_array = bide_document_is_marked_array(L, 1) || lua_rawlen(L, 1) > 0;
  lua_pushboolean(L, is_array);
  return 1;
}

static const luaL_Reg document_methods[] = {
  {"value", document_value}, {"names", document_names},     {"json", document_json},
  {"type", document_type},   {"is_same", document_is_same}, {NULL, NULL},
};

static const luaL_Reg document_metamethods[] = {
  {"__len", document_length},
  {"__tostring", document_json},
  {NULL, NULL},
};

const luaL_Reg bide_functions_json[] = {
  {"decode", json_decode},       {"encode", json_encode},     {"read", json_read},
  {"read_next", json_read_next}, {"document", json_document}, {"compact", json_compact},
  {"array", json_array},         {"is_array", json_is_array}, {NULL, NULL},
};

void bide_define_json(lua_State *L) {
  bide_document_set_methods(L, document_methods, document_metamethods);
  lua_pushlightuserdata(L, NULL);
  lua_setfield(L, -2, "null");
}
