/*
** Walks the tree as a search does, but over shapes. After a problem the walk continues with "any",
** so that one mistake is reported once.
*/
#include "jmespath/analysis/analyse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "jmespath/function.h"
#include "jmespath/tree.h"

/* More would not be read, and locating each costs a walk over the text. */
#define MOST_PROBLEMS 100

typedef struct Analyser {
  const BideExpression *expression;
  BideArena *arena;
  BideProblem *problems;
  size_t count; /* problems found so far */
  bool failed;  /* memory is exhausted */
} Analyser;

/* Returns the shape of the result of `node` for `current`; never NULL. */
static const BideShape *analyse(Analyser *analyser, const BideNode *node, const BideShape *current);

/* ---- problems ---- */

const char *bide_severity_name(BideSeverity severity) {
  switch (severity) {
    case BIDE_SEVERITY_WARNING: return "warning";
    case BIDE_SEVERITY_DANGER: return "danger";
    case BIDE_SEVERITY_ERROR: return "error";
  }
  return "error";
}

const char *bide_problem_name(BideProblemKind kind) {
  switch (kind) {
    case BIDE_PROBLEM_MEMBER: return "unknown-member";
    case BIDE_PROBLEM_ACCESS: return "wrong-access";
    case BIDE_PROBLEM_COMPARATOR: return "invalid-comparator";
    case BIDE_PROBLEM_ARGUMENT: return "invalid-argument";
    case BIDE_PROBLEM_PROJECTION: return "ended-projection";
  }
  return "invalid-argument";
}

/* Inserts before the first problem with a later place in the text. */
static void insert(BideProblem **list, BideProblem *problem) {
  while (*list != NULL && (*list)->error.offset <= problem->error.offset)
    list = &(*list)->next;
  problem->next = *list;
  *list = problem;
}

__attribute__((format(printf, 5, 6))) static void report(Analyser *analyser, BideSeverity severity,
                                                         BideProblemKind kind, const BideNode *node,
                                                         const char *format, ...) {
  BideProblem *problem;
  va_list arguments;
  if (analyser->count++ >= MOST_PROBLEMS)
    return;
  problem = bide_arena_alloc(analyser->arena, sizeof *problem);
  if (problem == NULL) {
    analyser->failed = true;
    return;
  }
  problem->severity = severity;
  problem->kind = kind;
  va_start(arguments, format);
  bide_expression_blame(analyser->expression, node, &problem->error, BIDE_ERROR_TYPE, format,
                        arguments);
  va_end(arguments);
  insert(&analyser->problems, problem);
}

/* Returns `shape`. If it is NULL, notes that memory is exhausted and returns "any". */
static const BideShape *keep(Analyser *analyser, const BideShape *shape) {
  if (shape == NULL)
    analyser->failed = true;
  return shape == NULL ? &bide_shape_any : shape;
}

/* Returns the common shape of `joined`, which is NULL at first, and another one. */
static const BideShape *join(Analyser *analyser, const BideShape *joined, const BideShape *other) {
  return joined == NULL ? other : keep(analyser, bide_shape_common(analyser->arena, joined, other));
}

static bool may_be(const BideShape *shape, BideShapeKind kind) {
  return shape->kind == kind || shape->kind == BIDE_SHAPE_ANY;
}

static bool is_object(const BideShape *shape) {
  return shape->kind == BIDE_SHAPE_OBJECT || may_be(shape, BIDE_SHAPE_MAP);
}

/* Reports a field, an index or a projection of a value of the wrong type. Returns "any". */
static const BideShape *report_access(Analyser *analyser, const BideNode *node,
                                      const BideShape *shape, const char *what,
                                      const char *wanted) {
  report(analyser, BIDE_SEVERITY_DANGER, BIDE_PROBLEM_ACCESS, node,
         "%s needs an %s, but is applied to a value of type %s", what, wanted,
         bide_shape_kind_name(shape->kind));
  return &bide_shape_any;
}

/* ---- fields and elements ---- */

static const BideShape *report_member(Analyser *analyser, const BideNode *node,
                                      const BideShape *object) {
  BideNearest nearest;
  const char *name = node->as.field.name;
  int length = node->as.field.length < 64 ? (int)node->as.field.length : 64;
  bide_nearest_init(&nearest, name, node->as.field.length);
  for (size_t i = 0; i < object->count; i++)
    bide_nearest_offer(&nearest, object->members[i].name, object->members[i].length);
  if (nearest.best == NULL)
    report(analyser, BIDE_SEVERITY_DANGER, BIDE_PROBLEM_MEMBER, node, "there is no member %.*s",
           length, name);
  else
    report(analyser, BIDE_SEVERITY_DANGER, BIDE_PROBLEM_MEMBER, node,
           "there is no member %.*s; did you mean %.*s?", length, name, (int)nearest.best_length,
           nearest.best);
  return &bide_shape_any;
}

static const BideShape *analyse_field(Analyser *analyser, const BideNode *node,
                                      const BideShape *current) {
  const BideShape *member;
  char what[96];
  if (current->kind == BIDE_SHAPE_ANY)
    return &bide_shape_any;
  if (!is_object(current)) {
    snprintf(what, sizeof what, "the field %.*s",
             node->as.field.length < 64 ? (int)node->as.field.length : 64, node->as.field.name);
    return report_access(analyser, node, current, what, "object");
  }
  member = bide_shape_member(current, node->as.field.name, node->as.field.length);
  return member != NULL ? member : report_member(analyser, node, current);
}

static const BideShape *analyse_index(Analyser *analyser, const BideNode *node,
                                      const BideShape *current) {
  if (current->kind == BIDE_SHAPE_ARRAY)
    return current->element;
  return current->kind == BIDE_SHAPE_ANY
           ? &bide_shape_any
           : report_access(analyser, node, current, "an index", "array");
}

/* ---- projections ---- */

/* Returns the common shape of all members of an object. */
static const BideShape *analyse_members(Analyser *analyser, const BideShape *object) {
  const BideShape *result = NULL;
  if (object->kind != BIDE_SHAPE_OBJECT)
    return object->kind == BIDE_SHAPE_MAP ? object->element : &bide_shape_any;
  for (size_t i = 0; i < object->count; i++)
    result = join(analyser, result, object->members[i].shape);
  return result == NULL ? &bide_shape_any : result;
}

static const char *projection_name(BideProjection variant) {
  switch (variant) {
    case BIDE_PROJECT_LIST: return "a projection";
    case BIDE_PROJECT_FLATTEN: return "a flatten";
    case BIDE_PROJECT_VALUES: return "a projection of values";
    case BIDE_PROJECT_FILTER: return "a filter";
    case BIDE_PROJECT_SLICE: return "a slice";
  }
  return "a projection";
}

/* Returns the shape of the elements that a projection visits. */
static const BideShape *projected_element(Analyser *analyser, const BideNode *node,
                                          const BideShape *current) {
  BideProjection variant = (BideProjection)node->variant;
  if (variant == BIDE_PROJECT_VALUES) {
    if (!is_object(current))
      return report_access(analyser, node, current, projection_name(variant), "object");
    return analyse_members(analyser, current);
  }
  if (!may_be(current, BIDE_SHAPE_ARRAY))
    return report_access(analyser, node, current, projection_name(variant), "array");
  if (current->kind == BIDE_SHAPE_ANY)
    return &bide_shape_any;
  if (variant == BIDE_PROJECT_FLATTEN && current->element->kind == BIDE_SHAPE_ARRAY)
    return current->element->element;
  return current->element;
}

static void report_continued(Analyser *analyser, const BideNode *hash) {
  report(analyser, BIDE_SEVERITY_WARNING, BIDE_PROBLEM_PROJECTION, hash,
         "the multi-select hash ends the projection, so what follows applies to the "
         "whole list; other implementations apply it to each element; write '|' "
         "before what follows");
}

static const BideShape *analyse_projection(Analyser *analyser, const BideNode *node,
                                           const BideShape *current) {
  const BideShape *element = projected_element(analyser, node, current);
  if (node->as.project.is_continued)
    report_continued(analyser, node->as.project.body);
  if (node->as.project.condition != NULL)
    analyse(analyser, node->as.project.condition, element);
  if (node->as.project.body != NULL)
    element = analyse(analyser, node->as.project.body, element);
  return keep(analyser, bide_shape_array(analyser->arena, element));
}

/* ---- lists of expressions ---- */

/* A set of the kinds that values may have, as far as they are known. */
typedef unsigned Kinds;

static Kinds kind_of(const BideShape *shape) {
  return shape->kind == BIDE_SHAPE_ANY ? 0 : 1u << shape->kind;
}

static bool are_mixed(Kinds kinds) {
  return (kinds & (kinds - 1)) != 0 || kinds == 1u << BIDE_SHAPE_NULL;
}

/* Returns the common shape of all items, and sets the kinds that they have. */
static const BideShape *analyse_items(Analyser *analyser, const BideNode *node,
                                      const BideShape *current, Kinds *kinds) {
  const BideShape *result = NULL;
  *kinds = 0;
  for (uint32_t i = 0; i < node->as.list.count; i++) {
    const BideShape *item = analyse(analyser, node->as.list.items[i], current);
    *kinds |= kind_of(item);
    result = join(analyser, result, item);
  }
  return result;
}

static const BideShape *new_array(Analyser *analyser, const BideShape *element, Kinds kinds) {
  BideShape *shape = bide_arena_alloc(analyser->arena, sizeof *shape);
  if (shape != NULL)
    *shape = (BideShape){
      .kind = BIDE_SHAPE_ARRAY, .element = element, .is_mixed = are_mixed(kinds)};
  return keep(analyser, shape);
}

static const BideShape *analyse_list(Analyser *analyser, const BideNode *node,
                                     const BideShape *current) {
  Kinds kinds;
  const BideShape *element = analyse_items(analyser, node, current, &kinds);
  return new_array(analyser, element, kinds);
}

static const BideShape *analyse_logical(Analyser *analyser, const BideNode *node,
                                        const BideShape *current) {
  Kinds kinds;
  return analyse_items(analyser, node, current, &kinds);
}

static const BideShape *analyse_chain(Analyser *analyser, const BideNode *node,
                                      const BideShape *current) {
  for (uint32_t i = 0; i < node->as.list.count; i++)
    current = analyse(analyser, node->as.list.items[i], current);
  return current;
}

static const BideShape *analyse_hash(Analyser *analyser, const BideNode *node,
                                     const BideShape *current) {
  uint32_t count = node->as.list.count;
  BideShapeMember *members = bide_arena_alloc(analyser->arena, count * sizeof *members);
  if (members == NULL)
    return keep(analyser, NULL);
  for (uint32_t i = 0; i < count; i++) {
    /* If a name repeats, the last one wins; lookups take the first. */
    const BideMember *name = &node->as.list.names[i];
    members[count - 1 - i] = (BideShapeMember){name->name, name->name_length,
                                               analyse(analyser, node->as.list.items[i], current)};
  }
  return keep(analyser, bide_shape_object(analyser->arena, members, count));
}

/* ---- operators ---- */

static const BideShape *analyse_order(Analyser *analyser, const BideNode *node,
                                      const BideShape *left, const BideShape *right) {
  const BideShape *wrong = !may_be(left, BIDE_SHAPE_NUMBER) ? left : right;
  if (may_be(left, BIDE_SHAPE_NUMBER) && may_be(right, BIDE_SHAPE_NUMBER))
    return bide_shape_of_kind(BIDE_SHAPE_BOOLEAN);
  report(analyser, BIDE_SEVERITY_WARNING, BIDE_PROBLEM_COMPARATOR, node,
         "'%s' compares numbers, but an operand is of type %s: the result is null",
         bide_operator_text((BideOperator)node->variant), bide_shape_kind_name(wrong->kind));
  return bide_shape_of_kind(BIDE_SHAPE_NULL);
}

static const BideShape *analyse_comparison(Analyser *analyser, const BideNode *node,
                                           const BideShape *current) {
  const BideShape *left = analyse(analyser, node->as.pair.left, current);
  const BideShape *right = analyse(analyser, node->as.pair.right, current);
  if (node->variant == BIDE_OPERATOR_EQUAL || node->variant == BIDE_OPERATOR_NOT_EQUAL)
    return bide_shape_of_kind(BIDE_SHAPE_BOOLEAN);
  return analyse_order(analyser, node, left, right);
}

static Kinds kinds_of_elements(Analyser *analyser, const BideValue *array) {
  Kinds kinds = 0;
  for (uint32_t i = 0; i < array->length; i++)
    kinds |= array->as.elements[i].type == BIDE_NULL
               ? 1u << BIDE_SHAPE_NULL
               : kind_of(
                   keep(analyser, bide_shape_of_value(analyser->arena, &array->as.elements[i])));
  return kinds;
}

static const BideShape *analyse_literal(Analyser *analyser, const BideNode *node) {
  const BideValue *literal = &node->as.literal;
  const BideShape *shape;
  if (literal->type == BIDE_NULL)
    return bide_shape_of_kind(BIDE_SHAPE_NULL);
  shape = keep(analyser, bide_shape_of_value(analyser->arena, literal));
  return literal->type == BIDE_ARRAY
           ? new_array(analyser, shape->element, kinds_of_elements(analyser, literal))
           : shape;
}

/* ---- arguments of calls ---- */

static unsigned set_of(const BideShape *shape) {
  switch (shape->kind) {
    case BIDE_SHAPE_ANY: return BIDE_TAKES_ANY;
    case BIDE_SHAPE_NULL: return BIDE_TAKES_NULL;
    case BIDE_SHAPE_BOOLEAN: return BIDE_TAKES_BOOLEAN;
    case BIDE_SHAPE_NUMBER: return BIDE_TAKES_NUMBER;
    case BIDE_SHAPE_STRING: return BIDE_TAKES_STRING;
    case BIDE_SHAPE_ARRAY: return BIDE_TAKES_ARRAY;
    case BIDE_SHAPE_OBJECT:
    case BIDE_SHAPE_MAP: return BIDE_TAKES_OBJECT;
  }
  return 0;
}

static bool may_hold(const BideShape *array, BideShapeKind kind) {
  return array->element->kind == kind || array->element->kind == BIDE_SHAPE_ANY;
}

static bool is_taken(unsigned takes, const BideShape *shape) {
  if (shape->kind == BIDE_SHAPE_ANY || (takes & set_of(shape)) != 0)
    return true;
  if (shape->kind != BIDE_SHAPE_ARRAY || shape->is_mixed)
    return false;
  return ((takes & BIDE_TAKES_NUMBERS) != 0 && may_hold(shape, BIDE_SHAPE_NUMBER)) ||
         ((takes & BIDE_TAKES_STRINGS) != 0 && may_hold(shape, BIDE_SHAPE_STRING));
}

#define FOUND 32

static void describe_found(const BideShape *shape, bool is_reference, char found[FOUND]) {
  if (is_reference)
    snprintf(found, FOUND, "an expression reference");
  else if (shape->is_mixed)
    snprintf(found, FOUND, "an array of mixed types");
  else if (shape->kind == BIDE_SHAPE_ARRAY && shape->element->kind > BIDE_SHAPE_NULL)
    snprintf(found, FOUND, "array of %s", bide_shape_kind_name(shape->element->kind));
  else
    snprintf(found, FOUND, "%s", bide_shape_kind_name(shape->kind));
}

static void check_argument(Analyser *analyser, const BideNode *call, uint32_t position,
                           const BideShape *shape) {
  const BideFunction *function = call->as.call.function;
  const BideNode *argument = call->as.call.arguments[position];
  unsigned takes = bide_function_takes(function, position);
  bool is_reference = argument->kind == BIDE_NODE_REFERENCE;
  bool wants_reference = (takes & BIDE_TAKES_REFERENCE) != 0;
  char wanted[BIDE_TAKES_TEXT], found[FOUND];
  if (is_reference == wants_reference && (is_reference || is_taken(takes, shape)))
    return;
  bide_function_describe(takes, wanted);
  describe_found(shape, is_reference, found);
  report(analyser, BIDE_SEVERITY_ERROR, BIDE_PROBLEM_ARGUMENT, argument,
         "argument %u of %s() must be %s, not %s", position + 1, function->name, wanted, found);
}

/* Returns the shape that a reference is applied to: that of the elements of the array argument. */
static const BideShape *element_of_array(const BideNode *call, const BideShape *const *shapes) {
  for (uint32_t i = 0; i < call->as.call.count && i < BIDE_TAKES; i++)
    if (shapes[i]->kind == BIDE_SHAPE_ARRAY)
      return shapes[i]->element;
  return &bide_shape_any;
}

/* ---- results of calls ---- */

static const BideShape *array_of(Analyser *analyser, const BideShape *element) {
  return keep(analyser, bide_shape_array(analyser->arena, element));
}

static const BideShape *shape_of_set(Analyser *analyser, unsigned gives) {
  switch (gives & ~(unsigned)BIDE_TAKES_NULL) {
    case BIDE_TAKES_BOOLEAN: return bide_shape_of_kind(BIDE_SHAPE_BOOLEAN);
    case BIDE_TAKES_NUMBER: return bide_shape_of_kind(BIDE_SHAPE_NUMBER);
    case BIDE_TAKES_STRING: return bide_shape_of_kind(BIDE_SHAPE_STRING);
    case BIDE_TAKES_ARRAY: return bide_shape_of_kind(BIDE_SHAPE_ARRAY);
    case BIDE_TAKES_OBJECT: return bide_shape_of_kind(BIDE_SHAPE_MAP);
    case BIDE_TAKES_NUMBERS: return array_of(analyser, bide_shape_of_kind(BIDE_SHAPE_NUMBER));
    case BIDE_TAKES_STRINGS: return array_of(analyser, bide_shape_of_kind(BIDE_SHAPE_STRING));
    default:
      return gives == BIDE_TAKES_NULL ? bide_shape_of_kind(BIDE_SHAPE_NULL) : &bide_shape_any;
  }
}

static const BideShape *common_of(Analyser *analyser, const BideShape *const *shapes,
                                  uint32_t count) {
  const BideShape *result = NULL;
  for (uint32_t i = 0; i < count; i++)
    result = join(analyser, result, shapes[i]);
  return result;
}

/* Handles the functions whose result depends on their arguments. */
static const BideShape *result_of(Analyser *analyser, const BideNode *call,
                                  const BideShape *const *shapes, uint32_t count,
                                  const BideShape *referred) {
  const BideFunction *function = call->as.call.function;
  const BideShape *first = shapes[0];
  bool is_array = first->kind == BIDE_SHAPE_ARRAY;
  if (function->call == bide_function_map)
    return array_of(analyser, referred);
  if (function->call == bide_function_max || function->call == bide_function_min ||
      function->call == bide_function_max_by || function->call == bide_function_min_by)
    return is_array ? first->element : &bide_shape_any;
  if (function->call == bide_function_sort || function->call == bide_function_sort_by)
    return is_array ? first : bide_shape_of_kind(BIDE_SHAPE_ARRAY);
  if (function->call == bide_function_reverse)
    return first;
  if (function->call == bide_function_to_array)
    return is_array || first->kind == BIDE_SHAPE_ANY ? first : array_of(analyser, first);
  if (function->call == bide_function_not_null || function->call == bide_function_merge)
    return common_of(analyser, shapes, count);
  if (function->call == bide_function_values)
    return array_of(analyser, analyse_members(analyser, first));
  return shape_of_set(analyser, function->gives);
}

static const BideShape *analyse_call(Analyser *analyser, const BideNode *node,
                                     const BideShape *current) {
  const BideShape *shapes[BIDE_TAKES] = {NULL};
  const BideShape *referred = &bide_shape_any;
  uint32_t count = node->as.call.count;
  for (uint32_t i = 0; i < count; i++) {
    const BideShape *shape = analyse(analyser, node->as.call.arguments[i], current);
    check_argument(analyser, node, i, shape);
    if (i < BIDE_TAKES)
      shapes[i] = shape;
  }
  for (uint32_t i = 0; i < count; i++)
    if (node->as.call.arguments[i]->kind == BIDE_NODE_REFERENCE)
      referred = analyse(analyser, node->as.call.arguments[i]->as.pair.left,
                         element_of_array(node, shapes));
  if (count == 0)
    return shape_of_set(analyser, node->as.call.function->gives);
  return result_of(analyser, node, shapes, count < BIDE_TAKES ? count : BIDE_TAKES, referred);
}

/* ---- nodes ---- */

static const BideShape *analyse(Analyser *analyser, const BideNode *node,
                                const BideShape *current) {
  switch ((BideNodeKind)node->kind) {
    case BIDE_NODE_CURRENT: return current;
    case BIDE_NODE_LITERAL: return analyse_literal(analyser, node);
    case BIDE_NODE_FIELD: return analyse_field(analyser, node, current);
    case BIDE_NODE_INDEX: return analyse_index(analyser, node, current);
    case BIDE_NODE_CHAIN: return analyse_chain(analyser, node, current);
    case BIDE_NODE_PROJECT: return analyse_projection(analyser, node, current);
    case BIDE_NODE_LIST: return analyse_list(analyser, node, current);
    case BIDE_NODE_HASH: return analyse_hash(analyser, node, current);
    case BIDE_NODE_CALL: return analyse_call(analyser, node, current);
    case BIDE_NODE_REFERENCE: return &bide_shape_any;
    case BIDE_NODE_OR:
    case BIDE_NODE_AND: return analyse_logical(analyser, node, current);
    case BIDE_NODE_NOT:
      analyse(analyser, node->as.pair.left, current);
      return bide_shape_of_kind(BIDE_SHAPE_BOOLEAN);
    case BIDE_NODE_COMPARE: return analyse_comparison(analyser, node, current);
  }
  return &bide_shape_any;
}

bool bide_jmespath_analyse(const BideExpression *expression, const BideShape *input,
                           BideArena *arena, BideAnalysis *analysis, BideError *error) {
  Analyser analyser = {.expression = expression, .arena = arena};
  analysis->shape = analyse(&analyser, expression->root, input);
  analysis->problems = analyser.problems;
  if (analyser.failed)
    bide_error_set(error, BIDE_ERROR_MEMORY, "not enough memory for the analysis");
  return !analyser.failed;
}
