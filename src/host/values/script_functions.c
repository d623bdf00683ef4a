#include "host/values/script_functions.h"

#include <string.h>

#include <lauxlib.h>

#include "base/text.h"
#include "host/task.h"
#include "host/values/document.h"
#include "jmespath/function.h"

/* The functions that one file, or all files outside of the sandbox, can name. */
typedef struct Vocabulary {
  const BideFunction *first; /* the newest; the list ends with those of the parent */
} Vocabulary;

/*
** The functions of a state: a userdata in the registry. Its user values are the Lua functions by
** number, the error that one raised, the documents that they returned, and the vocabularies by
** number. All live as long as the state, since compiled expressions point to functions.
*/
typedef struct Registered {
  Vocabulary common;
  lua_State *state; /* the state that searches */
  uint32_t depth;   /* of the searches that run, one within the other */
  lua_Integer count;
  bool has_raised;
} Registered;

enum { SLOT_FUNCTIONS = 1, SLOT_RAISED, SLOT_KEPT, SLOT_VOCABULARIES, SLOTS = SLOT_VOCABULARIES };

/* `function` is the first member: a pointer to it is one to the whole. */
typedef struct RegisteredFunction {
  BideFunction function;
  Registered *owner;
  lua_Integer number;
  char name[];
} RegisteredFunction;

static const char registry_key = 0;

/* Pushes the userdata, or nil. */
static Registered *push_registered(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &registry_key);
  return lua_touserdata(L, -1);
}

static Registered *push_or_make_registered(lua_State *L) {
  Registered *registered = push_registered(L);
  if (registered != NULL)
    return registered;
  lua_pop(L, 1);
  registered = lua_newuserdatauv(L, sizeof *registered, SLOTS);
  memset(registered, 0, sizeof *registered);
  lua_newtable(L);
  lua_setiuservalue(L, -2, SLOT_FUNCTIONS);
  lua_newtable(L);
  lua_setiuservalue(L, -2, SLOT_VOCABULARIES);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &registry_key);
  return registered;
}

/* Returns a vocabulary by its number, of the userdata on top of the stack; NULL if it has none. */
static Vocabulary *find_vocabulary(lua_State *L, Registered *registered, lua_Integer number) {
  Vocabulary *vocabulary;
  if (number == 0)
    return &registered->common;
  lua_getiuservalue(L, -1, SLOT_VOCABULARIES);
  lua_rawgeti(L, -1, number);
  vocabulary = lua_touserdata(L, -1);
  lua_pop(L, 2);
  return vocabulary;
}

/* Returns the vocabulary that the running code has entered, of the userdata on top of the stack. */
static Vocabulary *current_vocabulary(lua_State *L, Registered *registered) {
  return find_vocabulary(L, registered, bide_task_vocabulary(bide_host_of(L)));
}

const BideFunction *bide_script_functions_of(lua_State *L) {
  Registered *registered = push_registered(L);
  const BideFunction *first = registered == NULL ? NULL : current_vocabulary(L, registered)->first;
  lua_pop(L, 1);
  return first;
}

/* ---- around a search ---- */

/*
** The levels that frames of Lua count for, between a search and one that a function starts in it.
*/
#define CALL_DEPTH 30

/* Nested searches together may use no more stack than one search may. */
static void check_depth(lua_State *L, const Registered *registered, uint32_t depth) {
  if (registered->state != NULL && registered->depth + depth > BIDE_DEPTH)
    luaL_error(L, "this search runs within the functions of others, and is nested too deeply, "
                  "beyond " BIDE_IN_TEXT(BIDE_DEPTH) " levels");
}

/* The documents of the searches around this one are on the stack of L meanwhile. */
void bide_script_functions_begin(lua_State *L, uint32_t depth, BideScriptFunctionsUse *use) {
  Registered *registered = push_registered(L);
  *use = (BideScriptFunctionsUse){.before = NULL};
  if (registered == NULL)
    return; /* the nil that was pushed */
  check_depth(L, registered, depth);
  lua_getiuservalue(L, -1, SLOT_KEPT);
  lua_pushnil(L); /* registered kept nil */
  lua_setiuservalue(L, -3, SLOT_KEPT);
  lua_remove(L, -2);
  use->before = registered->state;
  use->depth = registered->depth;
  registered->state = L;
  registered->depth += depth + CALL_DEPTH;
}

/* Swaps the value below the userdata on top with the documents of this search. */
static void swap_kept(lua_State *L) {
  lua_getiuservalue(L, -1, SLOT_KEPT); /* before registered kept */
  lua_insert(L, -3);                   /* kept before registered */
  lua_insert(L, -2);                   /* kept registered before */
  lua_setiuservalue(L, -2, SLOT_KEPT);
}

static int raise_kept(lua_State *L, Registered *registered) {
  registered->has_raised = false;
  lua_getiuservalue(L, -1, SLOT_RAISED);
  lua_pushnil(L); /* registered error nil */
  lua_setiuservalue(L, -3, SLOT_RAISED);
  return lua_error(L);
}

void bide_script_functions_end(lua_State *L, const BideScriptFunctionsUse *use) {
  Registered *registered = push_registered(L);
  if (registered != NULL) {
    swap_kept(L);
    registered->state = use->before;
    registered->depth = use->depth;
    if (registered->has_raised)
      raise_kept(L, registered);
  }
  lua_pop(L, 1);
}

/* ---- a call ---- */

typedef struct Invocation {
  const BideCall *call;
  const RegisteredFunction *function;
  BideValue result;
  BideError error;
  bool is_value; /* the result of the function is a JSON value */
} Invocation;

/* Pushes the table of documents to keep, of the userdata at `index`. */
static void push_kept_table(lua_State *L, int index) {
  if (lua_getiuservalue(L, index, SLOT_KEPT) == LUA_TTABLE)
    return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, index, SLOT_KEPT);
}

/* Runs in a protected call, which catches all errors of the function. */
static int invoke(lua_State *L) {
  Invocation *invocation = lua_touserdata(L, 1);
  const BideCall *call = invocation->call;
  push_registered(L);    /* registered at 2 */
  push_kept_table(L, 2); /* kept at 3 */
  lua_getiuservalue(L, 2, SLOT_FUNCTIONS);
  lua_rawgeti(L, -1, invocation->function->number); /* function at 5 */
  luaL_checkstack(L, (int)call->count + 4, "too many arguments");
  for (uint32_t i = 0; i < call->count; i++)
    bide_document_to_lua(L, &call->arguments[i]);
  lua_call(L, (int)call->count, 1);
  invocation->is_value = bide_document_from_lua(L, -1, 3, call->search->scratch,
                                                &invocation->result, &invocation->error);
  return 0;
}

/* Keeps the error on top of the stack for bide_script_functions_end. */
static BideValue note_raised(lua_State *L, const Invocation *invocation) {
  const char *name = invocation->function->name;
  /* Not for a number: converting it would allocate. */
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  bide_search_fail(invocation->call->search, BIDE_ERROR_HOST, invocation->call->node,
                   "%s() raised: %s", name, text == NULL ? "an error that is not a string" : text);
  push_registered(L);
  lua_insert(L, -2);
  lua_setiuservalue(L, -2, SLOT_RAISED);
  lua_pop(L, 1);
  invocation->function->owner->has_raised = true;
  return bide_value_null();
}

static BideValue fail_result(const Invocation *invocation) {
  return bide_search_fail(invocation->call->search, BIDE_ERROR_TYPE, invocation->call->node,
                          "the result of %s() is not JSON: %s", invocation->function->name,
                          invocation->error.message);
}

static BideValue call_registered(const BideCall *call) {
  const RegisteredFunction *function = (const RegisteredFunction *)call->node->as.call.function;
  Invocation invocation = {.call = call, .function = function};
  lua_State *L = function->owner->state;
  if (L == NULL || !lua_checkstack(L, 4))
    return bide_search_fail(call->search, BIDE_ERROR_HOST, call->node, "%s() cannot be called here",
                            function->name);
  lua_pushcfunction(L, invoke);
  lua_pushlightuserdata(L, &invocation);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK)
    return note_raised(L, &invocation);
  return invocation.is_value ? invocation.result : fail_result(&invocation);
}

/* ---- registration ---- */

static const struct {
  const char *name;
  uint16_t takes;
} types[] = {
  {"any", BIDE_TAKES_ANY},
  {"null", BIDE_TAKES_NULL},
  {"boolean", BIDE_TAKES_BOOLEAN},
  {"number", BIDE_TAKES_NUMBER},
  {"string", BIDE_TAKES_STRING},
  {"array", BIDE_TAKES_ARRAY},
  {"object", BIDE_TAKES_OBJECT},
  {"array[number]", BIDE_TAKES_NUMBERS},
  {"array[string]", BIDE_TAKES_STRINGS},
};

static uint16_t find_type(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (bide_is_word(name, length, types[i].name))
      return types[i].takes;
  return 0;
}

/* Reads the type on top of the stack: "string", "string|null". */
static uint16_t check_type(lua_State *L) {
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  uint16_t takes = 0;
  for (const char *next = text;; next++) {
    size_t length = strcspn(next, "|");
    uint16_t type = find_type(next, length);
    if (type == 0)
      luaL_error(L,
                 "'%s' is not a type (the types are any, null, boolean, number, string, array, "
                 "object, array[number] and array[string], and a|b)",
                 text);
    takes |= type;
    next += length;
    if (*next == '\0')
      return takes;
  }
}

/* Sets the types of arguments and result from the table at index 2. */
static void check_types(lua_State *L, BideFunction *function) {
  lua_Integer count = luaL_len(L, 2);
  luaL_argcheck(L, count >= 0 && count <= BIDE_TAKES, 2,
                "at most 8 arguments have a type of their own");
  function->takes[0] = BIDE_TAKES_ANY;
  for (lua_Integer i = 0; i < count; i++) {
    lua_geti(L, 2, i + 1);
    function->takes[i] = check_type(L);
    lua_pop(L, 1);
  }
  lua_getfield(L, 2, "variadic");
  function->least = (uint32_t)count;
  function->most = lua_toboolean(L, -1) ? BIDE_ARGUMENTS_ANY : (uint32_t)count;
  lua_getfield(L, 2, "returns");
  function->gives = BIDE_TAKES_ANY;
  if (!lua_isnil(L, -1))
    function->gives = check_type(L);
  lua_pop(L, 2);
}

static const char *check_name(lua_State *L, size_t *length) {
  const char *name = luaL_checklstring(L, 1, length);
  size_t valid = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  luaL_argcheck(L, valid == *length && valid > 0 && (name[0] < '0' || name[0] > '9'), 1,
                "a function's name has letters, digits and underscores");
  if (bide_function_named(bide_script_functions_of(L), name, *length) != NULL)
    luaL_error(L, "the function %s() exists already", name);
  return name;
}

int bide_script_functions_register(lua_State *L) {
  size_t length;
  const char *name = check_name(L, &length);
  RegisteredFunction *added;
  Registered *registered;
  Vocabulary *vocabulary;
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TFUNCTION);
  lua_settop(L, 3);
  registered = push_or_make_registered(L); /* at 4 */
  lua_getiuservalue(L, 4, SLOT_FUNCTIONS); /* at 5 */
  added = lua_newuserdatauv(L, sizeof *added + length + 1, 0);
  memset(added, 0, sizeof *added);
  memcpy(added->name, name, length + 1);
  check_types(L, &added->function);
  added->function.name = added->name;
  added->function.call = call_registered;
  lua_pushvalue(L, 4); /* registered */
  vocabulary = current_vocabulary(L, registered);
  lua_pop(L, 1);
  added->function.next = vocabulary->first;
  added->owner = registered;
  added->number = registered->count + 2;
  lua_rawseti(L, 5, added->number - 1); /* keeps the userdata */
  lua_pushvalue(L, 3);
  lua_rawseti(L, 5, added->number);
  registered->count += 2;
  vocabulary->first = &added->function;
  return 0;
}

/* ---- vocabularies ---- */

int bide_script_functions_add_vocabulary(lua_State *L) {
  lua_Integer number = luaL_checkinteger(L, 1);
  const Vocabulary *parent;
  Vocabulary *vocabulary;
  lua_settop(L, 1);
  parent = find_vocabulary(L, push_or_make_registered(L), number); /* registered at 2 */
  luaL_argcheck(L, parent != NULL, 1, "no vocabulary has this number");
  lua_getiuservalue(L, 2, SLOT_VOCABULARIES);
  vocabulary = lua_newuserdatauv(L, sizeof *vocabulary, 0);
  vocabulary->first = parent->first;
  lua_rawseti(L, 3, (lua_Integer)lua_rawlen(L, 3) + 1);
  lua_pushinteger(L, (lua_Integer)lua_rawlen(L, 3));
  return 1;
}

int bide_script_functions_restore_vocabulary(lua_State *L) {
  lua_Integer number = luaL_checkinteger(L, 1), other = luaL_checkinteger(L, 2);
  Registered *registered;
  Vocabulary *vocabulary;
  const Vocabulary *from;
  lua_settop(L, 2);
  registered = push_or_make_registered(L); /* keeps the vocabularies */
  vocabulary = find_vocabulary(L, registered, number);
  from = find_vocabulary(L, registered, other);
  luaL_argcheck(L, vocabulary != NULL, 1, "no vocabulary has this number");
  luaL_argcheck(L, from != NULL, 2, "no vocabulary has this number");
  vocabulary->first = from->first;
  return 0;
}

int bide_script_functions_use_vocabulary(lua_State *L) {
  BideHost *host = bide_host_check(L);
  lua_Integer number = luaL_checkinteger(L, 1);
  luaL_argcheck(L, find_vocabulary(L, push_or_make_registered(L), number) != NULL, 1,
                "no vocabulary has this number");
  lua_pushinteger(L, bide_task_vocabulary(host));
  bide_task_set_vocabulary(host, number);
  return 1;
}

int bide_script_functions_vocabulary(lua_State *L) {
  lua_pushinteger(L, bide_task_vocabulary(bide_host_check(L)));
  return 1;
}
