#include "jmespath/analysis/shape.h"

#include <string.h>

const BideShape bide_shape_any = {.kind = BIDE_SHAPE_ANY};

const BideShape *bide_shape_of_kind(BideShapeKind kind) {
  static const BideShape shapes[] = {
    [BIDE_SHAPE_ANY] = {.kind = BIDE_SHAPE_ANY},
    [BIDE_SHAPE_NULL] = {.kind = BIDE_SHAPE_NULL},
    [BIDE_SHAPE_BOOLEAN] = {.kind = BIDE_SHAPE_BOOLEAN},
    [BIDE_SHAPE_NUMBER] = {.kind = BIDE_SHAPE_NUMBER},
    [BIDE_SHAPE_STRING] = {.kind = BIDE_SHAPE_STRING},
    [BIDE_SHAPE_ARRAY] = {.kind = BIDE_SHAPE_ARRAY, .element = &bide_shape_any},
    [BIDE_SHAPE_OBJECT] = {.kind = BIDE_SHAPE_MAP, .element = &bide_shape_any},
    [BIDE_SHAPE_MAP] = {.kind = BIDE_SHAPE_MAP, .element = &bide_shape_any},
  };
  return &shapes[kind];
}

const BideShape *bide_shape_array(BideArena *arena, const BideShape *element) {
  BideShape *shape = bide_arena_alloc(arena, sizeof *shape);
  if (shape != NULL)
    *shape = (BideShape){.kind = BIDE_SHAPE_ARRAY, .element = element};
  return shape;
}

const BideShape *bide_shape_object(BideArena *arena, const BideShapeMember *members, size_t count) {
  BideShape *shape = bide_arena_alloc(arena, sizeof *shape);
  if (shape != NULL)
    *shape = (BideShape){.kind = BIDE_SHAPE_OBJECT, .members = members, .count = count};
  return shape;
}

const BideShape *bide_shape_member(const BideShape *object, const char *name, size_t length) {
  if (object->kind == BIDE_SHAPE_MAP)
    return object->element;
  for (size_t i = 0; i < object->count; i++)
    if (object->members[i].length == length && memcmp(object->members[i].name, name, length) == 0)
      return object->members[i].shape;
  return NULL;
}

const char *bide_shape_kind_name(BideShapeKind kind) {
  switch (kind) {
    case BIDE_SHAPE_ANY: return "any";
    case BIDE_SHAPE_NULL: return "null";
    case BIDE_SHAPE_BOOLEAN: return "boolean";
    case BIDE_SHAPE_NUMBER: return "number";
    case BIDE_SHAPE_STRING: return "string";
    case BIDE_SHAPE_ARRAY: return "array";
    case BIDE_SHAPE_OBJECT:
    case BIDE_SHAPE_MAP: return "object";
  }
  return "any";
}

/* ---- common shapes ---- */

/*
** Beyond this depth, or this number of steps, the common shape is "any": shapes may be huge and may
** contain themselves.
*/
#define COMMON_DEPTH 8
#define COMMON_STEPS 4096

typedef struct Comparison {
  BideArena *arena;
  int depth;
  size_t steps; /* steps left */
} Comparison;

static const BideShape *common(Comparison *comparison, const BideShape *a, const BideShape *b);

static const BideShape *common_part(Comparison *comparison, const BideShape *a,
                                    const BideShape *b) {
  const BideShape *result;
  comparison->depth++;
  result = common(comparison, a, b);
  comparison->depth--;
  return result;
}

/* Merges the members of both objects, each of which may be absent anyway. */
static const BideShape *common_object(Comparison *comparison, const BideShape *a,
                                      const BideShape *b) {
  BideShapeMember *members;
  size_t count = 0;
  if (a->count + b->count > comparison->steps)
    return &bide_shape_any;
  comparison->steps -= a->count + b->count;
  members = bide_arena_alloc(comparison->arena, (a->count + b->count) * sizeof *members);
  if (members == NULL)
    return NULL;
  for (size_t i = 0; i < a->count; i++) {
    const BideShapeMember *member = &a->members[i];
    const BideShape *other = bide_shape_member(b, member->name, member->length);
    members[count] = *member;
    if (other != NULL)
      members[count].shape = common_part(comparison, member->shape, other);
    if (members[count++].shape == NULL)
      return NULL;
  }
  for (size_t i = 0; i < b->count; i++)
    if (bide_shape_member(a, b->members[i].name, b->members[i].length) == NULL)
      members[count++] = b->members[i];
  return bide_shape_object(comparison->arena, members, count);
}

static const BideShape *common(Comparison *comparison, const BideShape *a, const BideShape *b) {
  const BideShape *element;
  if (a == b)
    return a;
  if (a->kind != b->kind || comparison->depth == COMMON_DEPTH)
    return &bide_shape_any;
  if (a->kind == BIDE_SHAPE_OBJECT)
    return common_object(comparison, a, b);
  if (a->kind != BIDE_SHAPE_ARRAY && a->kind != BIDE_SHAPE_MAP)
    return a;
  element = common_part(comparison, a->element, b->element);
  if (element == NULL || (element == a->element && !a->is_mixed))
    return element == NULL ? NULL : a;
  return a->kind == BIDE_SHAPE_ARRAY ? bide_shape_array(comparison->arena, element)
                                     : bide_shape_of_kind(BIDE_SHAPE_MAP);
}

const BideShape *bide_shape_common(BideArena *arena, const BideShape *a, const BideShape *b) {
  Comparison comparison = {.arena = arena, .depth = 0, .steps = COMMON_STEPS};
  return common(&comparison, a, b);
}

/* ---- samples ---- */

static const BideShape *shape_of_array(BideArena *arena, const BideValue *array) {
  const BideShape *element = NULL;
  for (uint32_t i = 0; i < array->length; i++) {
    const BideShape *next = bide_shape_of_value(arena, &array->as.elements[i]);
    if (next == NULL)
      return NULL;
    if (array->as.elements[i].type == BIDE_NULL)
      continue;
    element = element == NULL ? next : bide_shape_common(arena, element, next);
    if (element == NULL)
      return NULL;
  }
  return bide_shape_array(arena, element == NULL ? &bide_shape_any : element);
}

static const BideShape *shape_of_object(BideArena *arena, const BideValue *object) {
  BideShapeMember *members = bide_arena_alloc(arena, object->length * sizeof *members);
  if (members == NULL)
    return NULL;
  for (uint32_t i = 0; i < object->length; i++) {
    const BideMember *member = &object->as.members[i];
    members[i] = (BideShapeMember){member->name, member->name_length,
                                   bide_shape_of_value(arena, &member->value)};
    if (members[i].shape == NULL)
      return NULL;
  }
  return bide_shape_object(arena, members, object->length);
}

const BideShape *bide_shape_of_value(BideArena *arena, const BideValue *value) {
  switch ((BideType)value->type) {
    case BIDE_NULL: return &bide_shape_any;
    case BIDE_FALSE:
    case BIDE_TRUE: return bide_shape_of_kind(BIDE_SHAPE_BOOLEAN);
    case BIDE_INTEGER:
    case BIDE_UNSIGNED:
    case BIDE_DOUBLE: return bide_shape_of_kind(BIDE_SHAPE_NUMBER);
    case BIDE_STRING: return bide_shape_of_kind(BIDE_SHAPE_STRING);
    case BIDE_ARRAY: return shape_of_array(arena, value);
    case BIDE_OBJECT: return shape_of_object(arena, value);
  }
  return &bide_shape_any;
}
