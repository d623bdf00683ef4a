/*
** Walks the tree as a search does, but over shapes. After a problem the walk continues with "any",
** so that one mistake is reported once.
*/
#include "jmespath/analysis/analyse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "jmespath/analysis/analysis.h"

/* More would not be read, and locating each costs a walk over the text. */
#define MOST_PROBLEMS 100

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

void bide_analysis_report(BideAnalyser *analyser, BideSeverity severity, BideProblemKind kind,
                          const BideNode *node, const char *format, ...) {
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

const BideShape *bide_analysis_keep(BideAnalyser *analyser, const BideShape *shape) {
  if (shape == NULL)
    analyser->failed = true;
  return shape == NULL ? &bide_shape_any : shape;
}

static bool may_be(const BideShape *shape, BideShapeKind kind) {
  return shape->kind == kind || shape->kind == BIDE_SHAPE_ANY;
}

static bool is_object(const BideShape *shape) {
  return shape->kind == BIDE_SHAPE_OBJECT || may_be(shape, BIDE_SHAPE_MAP);
}

/* Reports a field, an index or a projection of a value of the wrong type. Returns "any". */
static const BideShape *report_access(BideAnalyser *analyser, const BideNode *node,
                                      const BideShape *shape, const char *what,
                                      const char *wanted) {
  bide_analysis_report(analyser, BIDE_SEVERITY_DANGER, BIDE_PROBLEM_ACCESS, node,
                       "%s needs an %s, but is applied to a value of type %s", what, wanted,
                       bide_shape_kind_name(shape->kind));
  return &bide_shape_any;
}

/* ---- fields and elements ---- */

static const BideShape *report_member(BideAnalyser *analyser, const BideNode *node,
                                      const BideShape *object) {
  BideNearest nearest;
  const char *name = node->as.field.name;
  int length = node->as.field.length < 64 ? (int)node->as.field.length : 64;
  bide_nearest_init(&nearest, name, node->as.field.length);
  for (size_t i = 0; i < object->count; i++)
    bide_nearest_offer(&nearest, object->members[i].name, object->members[i].length);
  if (nearest.best == NULL)
    bide_analysis_report(analyser, BIDE_SEVERITY_DANGER, BIDE_PROBLEM_MEMBER, node,
                         "there is no member %.*s", length, name);
  else
    bide_analysis_report(analyser, BIDE_SEVERITY_DANGER, BIDE_PROBLEM_MEMBER, node,
                         "there is no member %.*s; did you mean %.*s?", length, name,
                         (int)nearest.best_length, nearest.best);
  return &bide_shape_any;
}

static const BideShape *analyse_field(BideAnalyser *analyser, const BideNode *node,
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

static const BideShape *analyse_index(BideAnalyser *analyser, const BideNode *node,
                                      const BideShape *current) {
  if (current->kind == BIDE_SHAPE_ARRAY)
    return current->element;
  return current->kind == BIDE_SHAPE_ANY
           ? &bide_shape_any
           : report_access(analyser, node, current, "an index", "array");
}

/* ---- projections ---- */

const BideShape *bide_analysis_of_members(BideAnalyser *analyser, const BideShape *object) {
  const BideShape *result = NULL;
  if (object->kind != BIDE_SHAPE_OBJECT)
    return object->kind == BIDE_SHAPE_MAP ? object->element : &bide_shape_any;
  for (size_t i = 0; i < object->count; i++)
    result = result == NULL
               ? object->members[i].shape
               : bide_analysis_keep(
                   analyser, bide_shape_common(analyser->arena, result, object->members[i].shape));
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
static const BideShape *projected_element(BideAnalyser *analyser, const BideNode *node,
                                          const BideShape *current) {
  BideProjection variant = (BideProjection)node->variant;
  if (variant == BIDE_PROJECT_VALUES) {
    if (!is_object(current))
      return report_access(analyser, node, current, projection_name(variant), "object");
    return bide_analysis_of_members(analyser, current);
  }
  if (!may_be(current, BIDE_SHAPE_ARRAY))
    return report_access(analyser, node, current, projection_name(variant), "array");
  if (current->kind == BIDE_SHAPE_ANY)
    return &bide_shape_any;
  if (variant == BIDE_PROJECT_FLATTEN && current->element->kind == BIDE_SHAPE_ARRAY)
    return current->element->element;
  return current->element;
}

static void report_continued(BideAnalyser *analyser, const BideNode *hash) {
  bide_analysis_report(analyser, BIDE_SEVERITY_WARNING, BIDE_PROBLEM_PROJECTION, hash,
                       "the multi-select hash ends the projection, so what follows applies to the "
                       "whole list; other implementations apply it to each element; write '|' "
                       "before what follows");
}

static const BideShape *analyse_projection(BideAnalyser *analyser, const BideNode *node,
                                           const BideShape *current) {
  const BideShape *element = projected_element(analyser, node, current);
  if (node->as.project.is_continued)
    report_continued(analyser, node->as.project.body);
  if (node->as.project.condition != NULL)
    bide_analysis_of(analyser, node->as.project.condition, element);
  if (node->as.project.body != NULL)
    element = bide_analysis_of(analyser, node->as.project.body, element);
  return bide_analysis_keep(analyser, bide_shape_array(analyser->arena, element));
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
static const BideShape *analyse_items(BideAnalyser *analyser, const BideNode *node,
                                      const BideShape *current, Kinds *kinds) {
  const BideShape *result = NULL;
  *kinds = 0;
  for (uint32_t i = 0; i < node->as.list.count; i++) {
    const BideShape *item = bide_analysis_of(analyser, node->as.list.items[i], current);
    *kinds |= kind_of(item);
    result = result == NULL
               ? item
               : bide_analysis_keep(analyser, bide_shape_common(analyser->arena, result, item));
  }
  return result;
}

static const BideShape *new_array(BideAnalyser *analyser, const BideShape *element, Kinds kinds) {
  BideShape *shape = bide_arena_alloc(analyser->arena, sizeof *shape);
  if (shape != NULL)
    *shape = (BideShape){
      .kind = BIDE_SHAPE_ARRAY, .element = element, .is_mixed = are_mixed(kinds)};
  return bide_analysis_keep(analyser, shape);
}

static const BideShape *analyse_list(BideAnalyser *analyser, const BideNode *node,
                                     const BideShape *current) {
  Kinds kinds;
  const BideShape *element = analyse_items(analyser, node, current, &kinds);
  return new_array(analyser, element, kinds);
}

static const BideShape *analyse_logical(BideAnalyser *analyser, const BideNode *node,
                                        const BideShape *current) {
  Kinds kinds;
  return analyse_items(analyser, node, current, &kinds);
}

static const BideShape *analyse_chain(BideAnalyser *analyser, const BideNode *node,
                                      const BideShape *current) {
  for (uint32_t i = 0; i < node->as.list.count; i++)
    current = bide_analysis_of(analyser, node->as.list.items[i], current);
  return current;
}

static const BideShape *analyse_hash(BideAnalyser *analyser, const BideNode *node,
                                     const BideShape *current) {
  uint32_t count = node->as.list.count;
  BideShapeMember *members = bide_arena_alloc(analyser->arena, count * sizeof *members);
  if (members == NULL)
    return bide_analysis_keep(analyser, NULL);
  for (uint32_t i = 0; i < count; i++) {
    /* If a name repeats, the last one wins; lookups take the first. */
    const BideMember *name = &node->as.list.names[i];
    members[count - 1 - i] = (BideShapeMember){
      name->name, name->name_length, bide_analysis_of(analyser, node->as.list.items[i], current)};
  }
  return bide_analysis_keep(analyser, bide_shape_object(analyser->arena, members, count));
}

/* ---- operators ---- */

static const BideShape *analyse_order(BideAnalyser *analyser, const BideNode *node,
                                      const BideShape *left, const BideShape *right) {
  const BideShape *wrong = !may_be(left, BIDE_SHAPE_NUMBER) ? left : right;
  if (may_be(left, BIDE_SHAPE_NUMBER) && may_be(right, BIDE_SHAPE_NUMBER))
    return bide_shape_of_kind(BIDE_SHAPE_BOOLEAN);
  bide_analysis_report(analyser, BIDE_SEVERITY_WARNING, BIDE_PROBLEM_COMPARATOR, node,
                       "'%s' compares numbers, but an operand is of type %s: the result is null",
                       bide_operator_text((BideOperator)node->variant),
                       bide_shape_kind_name(wrong->kind));
  return bide_shape_of_kind(BIDE_SHAPE_NULL);
}

static const BideShape *analyse_comparison(BideAnalyser *analyser, const BideNode *node,
                                           const BideShape *current) {
  const BideShape *left = bide_analysis_of(analyser, node->as.pair.left, current);
  const BideShape *right = bide_analysis_of(analyser, node->as.pair.right, current);
  if (node->variant == BIDE_OPERATOR_EQUAL || node->variant == BIDE_OPERATOR_NOT_EQUAL)
    return bide_shape_of_kind(BIDE_SHAPE_BOOLEAN);
  return analyse_order(analyser, node, left, right);
}

static Kinds kinds_of_elements(BideAnalyser *analyser, const BideValue *array) {
  Kinds kinds = 0;
  for (uint32_t i = 0; i < array->length; i++)
    kinds |= array->as.elements[i].type == BIDE_NULL
               ? 1u << BIDE_SHAPE_NULL
               : kind_of(bide_analysis_keep(
                   analyser, bide_shape_of_value(analyser->arena, &array->as.elements[i])));
  return kinds;
}

static const BideShape *analyse_literal(BideAnalyser *analyser, const BideNode *node) {
  const BideValue *literal = &node->as.literal;
  const BideShape *shape;
  if (literal->type == BIDE_NULL)
    return bide_shape_of_kind(BIDE_SHAPE_NULL);
  shape = bide_analysis_keep(analyser, bide_shape_of_value(analyser->arena, literal));
  return literal->type == BIDE_ARRAY
           ? new_array(analyser, shape->element, kinds_of_elements(analyser, literal))
           : shape;
}

const BideShape *bide_analysis_of(BideAnalyser *analyser, const BideNode *node,
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
    case BIDE_NODE_CALL: return bide_analysis_of_call(analyser, node, current);
    case BIDE_NODE_REFERENCE: return &bide_shape_any;
    case BIDE_NODE_OR:
    case BIDE_NODE_AND: return analyse_logical(analyser, node, current);
    case BIDE_NODE_NOT:
      bide_analysis_of(analyser, node->as.pair.left, current);
      return bide_shape_of_kind(BIDE_SHAPE_BOOLEAN);
    case BIDE_NODE_COMPARE: return analyse_comparison(analyser, node, current);
  }
  return &bide_shape_any;
}

bool bide_jmespath_analyse(const BideExpression *expression, const BideShape *input,
                           BideArena *arena, BideAnalysis *analysis, BideError *error) {
  BideAnalyser analyser = {.expression = expression, .arena = arena};
  analysis->shape = bide_analysis_of(&analyser, expression->root, input);
  analysis->problems = analyser.problems;
  if (analyser.failed)
    bide_error_set(error, BIDE_ERROR_MEMORY, "not enough memory for the analysis");
  return !analyser.failed;
}
