#include "host/values/shape_table.h"

#include <string.h>

#include <lauxlib.h>

#include "host/failure.h"

static void check_depth(lua_State *L, int depth) {
  if (depth == BIDE_DEPTH)
    luaL_error(L, "the shape is nested too deeply, beyond " BIDE_IN_TEXT(BIDE_DEPTH) " levels");
}

/* ---- from Lua ---- */

/* `made` is the stack index of a table: the shapes created so far, by their tables. */
typedef struct Reading {
  lua_State *L;
  BideArena *arena;
  int made;
  int depth;
} Reading;

static const BideShape *read_shape(Reading *reading, int index);

static void *take(Reading *reading, size_t size) {
  void *memory = bide_arena_alloc(reading->arena, size);
  if (memory == NULL)
    bide_failure_no_memory(reading->L);
  return memory;
}

static const BideShape *read_word(lua_State *L, int index) {
  static const char *const words[] = {"any",    "null",  "boolean", "number",
                                      "string", "array", "object",  NULL};
  const char *word = lua_tostring(L, index);
  for (int i = 0; words[i] != NULL; i++)
    if (strcmp(words[i], word) == 0)
      return bide_shape_of_kind((BideShapeKind)i);
  luaL_error(L, "'%s' is not a shape", word);
  return NULL;
}

static size_t count_members(lua_State *L, int index) {
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_error(L, "the members of a shape must have names");
    count++;
  }
  return count;
}

/*
** Reads the table of members on top of the stack. A finalizer of a script, which runs when memory
** is allocated, may change it meanwhile.
*/
static void read_members(Reading *reading, BideShape *shape) {
  lua_State *L = reading->L;
  int index = lua_gettop(L);
  BideShapeMember *members;
  size_t count;
  luaL_checktype(L, index, LUA_TTABLE);
  count = count_members(L, index);
  members = take(reading, count * sizeof *members);
  *shape = (BideShape){.kind = BIDE_SHAPE_OBJECT, .members = members};
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    BideShapeMember *member = &members[shape->count];
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (name == NULL || shape->count == count)
      luaL_error(L, "the shape was changed while it was read");
    member->length = lua_rawlen(L, -2);
    member->name = bide_arena_copy(reading->arena, name, member->length);
    if (member->name == NULL)
      bide_failure_no_memory(L);
    member->shape = read_shape(reading, lua_gettop(L));
    shape->count++;
  }
}

/* Calls no metamethod: it could change the table that is being read. */
static int push_part(lua_State *L, int index, const char *name) {
  lua_pushstring(L, name);
  return lua_rawget(L, index);
}

/* The shape is entered into `made` before its parts are read, since it may contain itself. */
static const BideShape *read_table(Reading *reading, int index) {
  lua_State *L = reading->L;
  BideShape *shape = take(reading, sizeof *shape);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, shape); /* table shape */
  lua_rawset(L, reading->made);
  *shape = *bide_shape_of_kind(BIDE_SHAPE_ANY);
  if (push_part(L, index, "object") != LUA_TNIL) {
    read_members(reading, shape);
  } else if (push_part(L, index, "array") != LUA_TNIL) {
    shape->kind = BIDE_SHAPE_ARRAY;
    shape->element = read_shape(reading, lua_gettop(L));
  } else if (push_part(L, index, "map") != LUA_TNIL) {
    shape->kind = BIDE_SHAPE_MAP;
    shape->element = read_shape(reading, lua_gettop(L));
  } else {
    luaL_error(L, "a shape has one of array, object and map");
  }
  return shape;
}

static const BideShape *read_shape(Reading *reading, int index) {
  lua_State *L = reading->L;
  int top = lua_gettop(L);
  const BideShape *shape;
  check_depth(L, reading->depth);
  luaL_checkstack(L, 12, "the shape is nested too deeply");
  if (lua_type(L, index) == LUA_TSTRING)
    return read_word(L, index);
  if (lua_type(L, index) != LUA_TTABLE)
    luaL_error(L, "a shape must be a string or a table, not %s", luaL_typename(L, index));
  lua_pushvalue(L, index);
  lua_rawget(L, reading->made);
  shape = lua_touserdata(L, -1);
  if (shape == NULL) {
    reading->depth++;
    shape = read_table(reading, index);
    reading->depth--;
  }
  lua_settop(L, top);
  return shape;
}

const BideShape *bide_shape_table_read(lua_State *L, int index, BideArena *arena) {
  Reading reading = {.L = L, .arena = arena};
  const BideShape *shape;
  index = lua_absindex(L, index);
  lua_newtable(L);
  reading.made = lua_gettop(L);
  shape = read_shape(&reading, index);
  lua_pop(L, 1);
  return shape;
}

/* ---- to Lua ---- */

/* `made` is the stack index of a table: the tables created so far, by their shapes. */
typedef struct Pushing {
  lua_State *L;
  int made;
  int depth;
} Pushing;

static void push_shape(Pushing *pushing, const BideShape *shape);

static void push_members(Pushing *pushing, const BideShape *shape) {
  lua_State *L = pushing->L;
  lua_createtable(L, 0, (int)shape->count);
  for (size_t i = shape->count; i > 0; i--) { /* of equal names the first counts */
    const BideShapeMember *member = &shape->members[i - 1];
    lua_pushlstring(L, member->name, member->length);
    push_shape(pushing, member->shape); /* members name shape */
    lua_rawset(L, -3);
  }
}

static void push_table(Pushing *pushing, const BideShape *shape) {
  lua_State *L = pushing->L;
  if (lua_rawgetp(L, pushing->made, shape) == LUA_TTABLE)
    return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1); /* table table */
  lua_rawsetp(L, pushing->made, shape);
  if (shape->kind == BIDE_SHAPE_OBJECT)
    push_members(pushing, shape);
  else
    push_shape(pushing, shape->element);
  lua_setfield(L, -2,
               shape->kind == BIDE_SHAPE_OBJECT  ? "object"
               : shape->kind == BIDE_SHAPE_ARRAY ? "array"
                                                 : "map");
}

static void push_shape(Pushing *pushing, const BideShape *shape) {
  lua_State *L = pushing->L;
  luaL_checkstack(L, 8, "the shape is nested too deeply");
  if (shape->kind < BIDE_SHAPE_ARRAY) {
    lua_pushstring(L, bide_shape_kind_name(shape->kind));
    return;
  }
  check_depth(L, pushing->depth);
  pushing->depth++;
  push_table(pushing, shape);
  pushing->depth--;
}

void bide_shape_table_push(lua_State *L, const BideShape *shape) {
  Pushing pushing = {.L = L};
  lua_newtable(L);
  pushing.made = lua_gettop(L);
  push_shape(&pushing, shape);
  lua_remove(L, -2);
}

static void push_problem(lua_State *L, const BideExpression *expression,
                         const BideProblem *problem) {
  size_t length;
  const char *text = bide_jmespath_text(expression, &length);
  bide_failure_push_table(L, &problem->error);
  lua_pushstring(L, bide_problem_name(problem->kind));
  lua_setfield(L, -2, "kind");
  bide_failure_add_text(L, &problem->error, NULL, text, length);
  lua_pushstring(L, bide_severity_name(problem->severity));
  lua_setfield(L, -2, "severity");
}

void bide_shape_table_push_analysis(lua_State *L, const BideExpression *expression,
                                    const BideAnalysis *analysis) {
  lua_Integer count = 0;
  lua_createtable(L, 0, 2);
  bide_shape_table_push(L, analysis->shape); /* analysis shape */
  lua_setfield(L, -2, "type");
  lua_newtable(L);
  for (const BideProblem *problem = analysis->problems; problem != NULL; problem = problem->next) {
    push_problem(L, expression, problem); /* analysis problems problem */
    lua_rawseti(L, -2, ++count);
  }
  lua_setfield(L, -2, "problems");
}
