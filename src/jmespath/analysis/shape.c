#include "jmespath/analysis/shape.h"

#include <string.h>

#include "jmespath/analysis/results.h"

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

const BideShape *bide_shape_member(const BideShape *object, const char *name, size_t length) {
  if (object->kind == BIDE_SHAPE_MAP)
    return object->element;
  for (size_t i = 0; i < object->count; i++)
    if (object->members[i].length == length && memcmp(object->members[i].name, name, length) == 0)
      return object->members[i].shape;
  return NULL;
}

const char *bide_shape_kind_name(BideShapeKind kind) {
  return bide_shape_rows[kind].name;
}

/* ---- sets ---- */

/* Anything may be absent. */
#define ROW(name, kinds) \
  { \
    name, kinds, { \
      .types = (kinds) | BIDE_RESULT_NULL, .range = {-INFINITY, INFINITY, false}, \
      .most = UINT32_MAX \
    } \
  }

const BideShapeRow bide_shape_rows[] = {
  [BIDE_SHAPE_ANY] = ROW("any", BIDE_RESULT_ANY),
  [BIDE_SHAPE_NULL] = ROW("null", BIDE_RESULT_NULL),
  [BIDE_SHAPE_BOOLEAN] = ROW("boolean", BIDE_RESULT_BOOLEANS),
  [BIDE_SHAPE_NUMBER] = ROW("number", BIDE_RESULT_NUMBER),
  [BIDE_SHAPE_STRING] = ROW("string", BIDE_RESULT_STRINGS),
  [BIDE_SHAPE_ARRAY] = ROW("array", BIDE_RESULT_ARRAY),
  [BIDE_SHAPE_OBJECT] = ROW("object", BIDE_RESULT_OBJECTS),
  [BIDE_SHAPE_MAP] = ROW("object", BIDE_RESULT_OBJECTS),
};

static BideShapeKind kind_of_types(unsigned types) {
  for (int kind = BIDE_SHAPE_NULL; kind <= BIDE_SHAPE_OBJECT && types != 0; kind++)
    if ((types & ~bide_shape_rows[kind].values.types) == 0)
      return (BideShapeKind)kind;
  return BIDE_SHAPE_ANY;
}

BideShapeKind bide_results_kind(const BideResults *set) {
  BideShapeKind kind = kind_of_types(set->types);
  bool is_map = set->shape != NULL ? set->shape->kind == BIDE_SHAPE_MAP : !set->is_closed;
  return kind == BIDE_SHAPE_OBJECT && is_map ? BIDE_SHAPE_MAP : kind;
}

const BideResults *bide_results_of_shape(BideSets *sets, const BideShape *shape) {
  BideResults set = bide_shape_rows[shape->kind].values;
  if (shape->kind == BIDE_SHAPE_ANY)
    return &bide_results_any;
  if (shape->kind < BIDE_SHAPE_ARRAY)
    return &bide_shape_rows[shape->kind].values;
  set.shape = shape;
  return bide_results_keep(sets, set);
}

BideResults bide_results_unfolded(BideSets *sets, const BideResults *set) {
  const BideShape *shape = set->shape;
  BideResults result = *set;
  BideResultMember *members;
  if (shape == NULL)
    return result;
  result.shape = NULL;
  if (shape->kind == BIDE_SHAPE_ARRAY)
    result.element = bide_results_of_shape(sets, shape->element);
  else if (shape->kind == BIDE_SHAPE_MAP)
    result.others = bide_results_of_shape(sets, shape->element);
  else if ((members = bide_results_take(sets, (shape->count + 1) * sizeof *members)) != NULL) {
    for (size_t i = 0; i < shape->count; i++)
      members[i] = (BideResultMember){shape->members[i].name, (uint32_t)shape->members[i].length,
                                      bide_results_of_shape(sets, shape->members[i].shape)};
    result.members = members;
    result.member_count = (uint32_t)shape->count;
    result.is_closed = true;
  }
  return result;
}

/* Describes a literal array: any element is among those that are not null, if there are some. */
static void describe_items(BideSets *sets, BideResults *set, const BideValue *array) {
  const BideResults **items = bide_results_take(sets, (array->length + 1) * sizeof *items);
  const BideResults *element = &bide_results_none;
  for (uint32_t i = 0; items != NULL && i < array->length; i++) {
    items[i] = bide_results_of_literal(sets, &array->as.elements[i]);
    if (array->as.elements[i].type != BIDE_NULL)
      element = bide_results_join(sets, element, items[i]);
  }
  set->items = items;
  set->element = bide_results_is_empty(element) ? &bide_results_any : element;
  set->least = set->most = array->length;
}

static void describe_members(BideSets *sets, BideResults *set, const BideValue *object) {
  BideResultMember *members = bide_results_take(sets, (object->length + 1) * sizeof *members);
  for (uint32_t i = 0; members != NULL && i < object->length; i++) {
    const BideMember *member = &object->as.members[i];
    members[i] = (BideResultMember){member->name, member->name_length,
                                    member->value.type == BIDE_NULL
                                      ? &bide_results_any
                                      : bide_results_of_literal(sets, &member->value)};
  }
  set->members = members;
  set->member_count = members == NULL ? 0 : object->length;
  set->is_closed = members != NULL;
}

const BideResults *bide_results_of_literal(BideSets *sets, const BideValue *literal) {
  BideShapeKind kind = kind_of_types(bide_result_type(literal));
  BideResults set = bide_shape_rows[kind].values;
  if (kind < BIDE_SHAPE_ARRAY)
    return &bide_shape_rows[kind].values;
  if (kind == BIDE_SHAPE_OBJECT)
    describe_members(sets, &set, literal);
  else if (literal->length > 0)
    describe_items(sets, &set, literal);
  return bide_results_keep(sets, set);
}

static const BideShapeMember *members_of(BideSets *sets, const BideResults *set) {
  BideShapeMember *members = bide_results_take(sets, (set->member_count + 1) * sizeof *members);
  for (uint32_t i = 0; members != NULL && i < set->member_count; i++)
    members[i] = (BideShapeMember){set->members[i].name, set->members[i].length,
                                   bide_results_shape(sets, set->members[i].results)};
  return members;
}

const BideShape *bide_results_shape(BideSets *sets, const BideResults *set) {
  BideShapeKind kind = bide_results_kind(set);
  BideShape *shape;
  if (kind < BIDE_SHAPE_ARRAY)
    return bide_shape_of_kind(kind);
  if (set->shape != NULL)
    return set->shape;
  shape = bide_results_take(sets, sizeof *shape);
  if (shape == NULL)
    return &bide_shape_any;
  *shape = (BideShape){.kind = kind};
  if (kind == BIDE_SHAPE_ARRAY)
    shape->element = bide_results_shape(sets, bide_results_elements(sets, set));
  else if (kind == BIDE_SHAPE_MAP)
    shape->element = bide_results_shape(sets, bide_results_any_member(sets, set));
  else if ((shape->members = members_of(sets, set)) != NULL)
    shape->count = set->member_count;
  return shape;
}

const BideShape *bide_shape_of_value(BideArena *arena, const BideValue *value) {
  BideSets sets = {.arena = arena, .of_shapes = true};
  const BideShape *shape = &bide_shape_any;
  if (value->type != BIDE_NULL)
    shape = bide_results_shape(&sets, bide_results_of_literal(&sets, value));
  return sets.failed ? NULL : shape;
}
