/*
** Analyses calls of functions: checks the types of their arguments and finds the shape of results.
*/
#include <stdio.h>

#include "jmespath/analysis/analysis.h"
#include "jmespath/function.h"

/* ---- arguments ---- */

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

static void check_argument(BideAnalyser *analyser, const BideNode *call, uint32_t position,
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
  bide_analysis_report(analyser, BIDE_SEVERITY_ERROR, BIDE_PROBLEM_ARGUMENT, argument,
                       "argument %u of %s() must be %s, not %s", position + 1, function->name,
                       wanted, found);
}

/* Returns the shape that a reference is applied to: that of the elements of the array argument. */
static const BideShape *element_of_array(const BideNode *call, const BideShape *const *shapes) {
  for (uint32_t i = 0; i < call->as.call.count && i < BIDE_TAKES; i++)
    if (shapes[i]->kind == BIDE_SHAPE_ARRAY)
      return shapes[i]->element;
  return &bide_shape_any;
}

/* ---- results ---- */

static const BideShape *array_of(BideAnalyser *analyser, const BideShape *element) {
  return bide_analysis_keep(analyser, bide_shape_array(analyser->arena, element));
}

static const BideShape *shape_of_set(BideAnalyser *analyser, unsigned gives) {
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

static const BideShape *common_of(BideAnalyser *analyser, const BideShape *const *shapes,
                                  uint32_t count) {
  const BideShape *result = shapes[0];
  for (uint32_t i = 1; i < count; i++)
    result = bide_analysis_keep(analyser, bide_shape_common(analyser->arena, result, shapes[i]));
  return result;
}

/* Handles the functions whose result depends on their arguments. */
static const BideShape *result_of(BideAnalyser *analyser, const BideNode *call,
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
    return array_of(analyser, bide_analysis_of_members(analyser, first));
  return shape_of_set(analyser, function->gives);
}

const BideShape *bide_analysis_of_call(BideAnalyser *analyser, const BideNode *node,
                                       const BideShape *current) {
  const BideShape *shapes[BIDE_TAKES] = {NULL};
  const BideShape *referred = &bide_shape_any;
  uint32_t count = node->as.call.count;
  for (uint32_t i = 0; i < count; i++) {
    const BideShape *shape = bide_analysis_of(analyser, node->as.call.arguments[i], current);
    check_argument(analyser, node, i, shape);
    if (i < BIDE_TAKES)
      shapes[i] = shape;
  }
  for (uint32_t i = 0; i < count; i++)
    if (node->as.call.arguments[i]->kind == BIDE_NODE_REFERENCE)
      referred = bide_analysis_of(analyser, node->as.call.arguments[i]->as.pair.left,
                                  element_of_array(node, shapes));
  if (count == 0)
    return shape_of_set(analyser, node->as.call.function->gives);
  return result_of(analyser, node, shapes, count < BIDE_TAKES ? count : BIDE_TAKES, referred);
}
