/*
** bide.core.model: the JSON AST of Smithy models. Annotated in lua/bide/meta/model.lua.
*/
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "host/api/modules.h"
#include "host/failure.h"
#include "host/task.h"
#include "host/values/document.h"
#include "host/values/scratch.h"
#include "model/ast.h"

#define VALUES_PER_INSTRUCTION 4

/* The stack of model_outline: its arguments, a scratch, and the members of the outline. */
enum { DOCUMENT = 1, TRAIT, SCRATCH, IDS, TYPES, BROKEN, MIXED, MARKED, FOREIGN };

static const char *const members[] = {"ids", "types", "broken", "mixed", "marked", "foreign"};

/* What the walk over the shapes of a model carries with it. */
typedef struct Walk {
  lua_State *L;
  BideAstIds ids;
  const char *trait;
  size_t trait_length;
  int64_t values; /* how many it has met, to be charged for */
} Walk;

static const BideValue *find(const BideValue *object, const char *name) {
  return bide_value_member(object, name, strlen(name));
}

/* Appends the string on top of the stack, which stays there, to a list. */
static void append_id(lua_State *L, int list) {
  lua_pushvalue(L, -1);
  lua_rawseti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
}

static void visit_reference(void *context, const BideValue *id) {
  Walk *walk = context;
  walk->values++;
  if (bide_ast_has_id(&walk->ids, id))
    return;
  lua_pushlstring(walk->L, id->as.string, id->length);
  lua_pushboolean(walk->L, true);
  lua_rawset(walk->L, FOREIGN);
}

static bool has_trait(const Walk *walk, const BideValue *shape) {
  const BideValue *traits = find(shape, "traits"), *trait;
  trait = traits == NULL ? NULL : bide_value_member(traits, walk->trait, walk->trait_length);
  return trait != NULL && trait->type != BIDE_NULL;
}

/* Adds a shape, whose id is on top of the stack, at a position among those that are sound. */
static void add_shape(Walk *walk, const BideValue *shape, lua_Integer position) {
  const BideValue *type = find(shape, "type");
  lua_State *L = walk->L;
  if (find(shape, "mixins") != NULL)
    append_id(L, MIXED);
  if (has_trait(walk, shape))
    append_id(L, MARKED);
  lua_pushvalue(L, -1);
  lua_rawseti(L, IDS, position);
  lua_pushlstring(L, type->as.string, type->length);
  lua_rawseti(L, TYPES, position);
  bide_ast_visit_references(shape, visit_reference, walk);
}

static void add_shapes(Walk *walk, const BideValue *shapes) {
  lua_Integer sound = 0;
  for (uint32_t i = 0; i < shapes->length; i++) {
    const BideMember *member = &shapes->as.members[i];
    walk->values++;
    lua_pushlstring(walk->L, member->name, member->name_length);
    if (bide_ast_is_sound(member))
      add_shape(walk, &member->value, ++sound);
    else
      append_id(walk->L, BROKEN);
    lua_pop(walk->L, 1);
  }
}

static int push_outline(lua_State *L) {
  lua_createtable(L, 0, FOREIGN - IDS + 1);
  for (int place = IDS; place <= FOREIGN; place++) {
    lua_pushvalue(L, place);
    lua_setfield(L, -2, members[place - IDS]);
  }
  return 1;
}

/* model.outline(document, trait) -> outline | nil if the shapes are no object */
static int model_outline(lua_State *L) {
  static const BideValue none = {.type = BIDE_OBJECT, .depth = 1};
  Walk walk = {.L = L};
  const BideValue *shapes = find(&bide_document_check(L, DOCUMENT)->root, "shapes");
  walk.trait = luaL_checklstring(L, TRAIT, &walk.trait_length);
  if (shapes == NULL || shapes->type == BIDE_NULL)
    shapes = &none;
  if (shapes->type != BIDE_OBJECT)
    return 0;
  lua_settop(L, TRAIT);
  if (!bide_ast_collect_ids(&walk.ids, &bide_scratch_push(L)->arena, shapes))
    return bide_failure_no_memory(L);
  for (int place = IDS; place <= FOREIGN; place++)
    lua_createtable(L, place <= TYPES ? (int)shapes->length : 0, 0);
  add_shapes(&walk, shapes);
  bide_task_charge(L, walk.values / VALUES_PER_INSTRUCTION);
  return push_outline(L);
}

const luaL_Reg bide_functions_model[] = {{"outline", model_outline}, {NULL, NULL}};
