/*
** The problems that a walk over the shape of an input finds. After one it continues with "any", so
** that one mistake is reported once.
*/
#include "jmespath/analysis/analyse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "jmespath/analysis/walk.h"
#include "jmespath/function.h"

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

__attribute__((format(printf, 5, 6))) static void report(BideWalk *walk, BideSeverity severity,
                                                         BideProblemKind kind, const BideNode *node,
                                                         const char *format, ...) {
  BideProblem *problem;
  va_list arguments;
  if (walk->analysis->count++ >= MOST_PROBLEMS)
    return;
  problem = bide_results_take(&walk->sets, sizeof *problem);
  if (problem == NULL)
    return;
  problem->severity = severity;
  problem->kind = kind;
  va_start(arguments, format);
  bide_expression_blame(walk->expression, node, &problem->error, BIDE_ERROR_TYPE, format,
                        arguments);
  va_end(arguments);
  insert(&walk->analysis->problems, problem);
}

/* ---- current values ---- */

#define WHAT 96

static void describe_access(const BideNode *node, char what[WHAT]) {
  static const char *const projections[] = {
    [BIDE_PROJECT_LIST] = "a projection",
    [BIDE_PROJECT_FLATTEN] = "a flatten",
    [BIDE_PROJECT_VALUES] = "a projection of values",
    [BIDE_PROJECT_FILTER] = "a filter",
    [BIDE_PROJECT_SLICE] = "a slice",
  };
  if (node->kind == BIDE_NODE_FIELD)
    snprintf(what, WHAT, "the field %.*s",
             node->as.field.length < 64 ? (int)node->as.field.length : 64, node->as.field.name);
  else
    snprintf(what, WHAT, "%s",
             node->kind == BIDE_NODE_INDEX ? "an index" : projections[node->variant]);
}

static void report_member(BideWalk *walk, const BideNode *node, const BideShape *object) {
  BideNearest nearest;
  const char *name = node->as.field.name;
  int length = node->as.field.length < 64 ? (int)node->as.field.length : 64;
  bide_nearest_init(&nearest, name, node->as.field.length);
  for (size_t i = 0; i < object->count; i++)
    bide_nearest_offer(&nearest, object->members[i].name, object->members[i].length);
  if (nearest.best == NULL)
    report(walk, BIDE_SEVERITY_DANGER, BIDE_PROBLEM_MEMBER, node, "there is no member %.*s", length,
           name);
  else
    report(walk, BIDE_SEVERITY_DANGER, BIDE_PROBLEM_MEMBER, node,
           "there is no member %.*s; did you mean %.*s?", length, name, (int)nearest.best_length,
           nearest.best);
}

const BideResults *bide_walk_check_current(BideWalk *walk, const BideNode *node,
                                           const BideResults *current) {
  bool is_field = node->kind == BIDE_NODE_FIELD, is_project = node->kind == BIDE_NODE_PROJECT;
  bool is_of_object = is_field || (is_project && node->variant == BIDE_PROJECT_VALUES);
  BideShapeKind kind = bide_results_kind(current);
  char what[WHAT];
  if (!is_field && !is_project && node->kind != BIDE_NODE_INDEX)
    return current;
  if (is_project && node->as.project.is_continued)
    report(walk, BIDE_SEVERITY_WARNING, BIDE_PROBLEM_PROJECTION, node->as.project.body,
           "the multi-select hash ends the projection, so what follows applies to the "
           "whole list; other implementations apply it to each element; write '|' "
           "before what follows");
  if (kind == BIDE_SHAPE_ANY)
    return &bide_results_any;
  if (is_of_object ? kind < BIDE_SHAPE_OBJECT : kind != BIDE_SHAPE_ARRAY) {
    describe_access(node, what);
    report(walk, BIDE_SEVERITY_DANGER, BIDE_PROBLEM_ACCESS, node,
           "%s needs an %s, but is applied to a value of type %s", what,
           is_of_object ? "object" : "array", bide_shape_kind_name(kind));
    return &bide_results_any;
  }
  if (!is_field ||
      bide_results_may_have(&walk->sets, current, node->as.field.name, node->as.field.length))
    return current;
  report_member(walk, node, bide_results_shape(&walk->sets, current));
  return &bide_results_any;
}

/* ---- comparisons and arguments ---- */

static bool may_be(const BideResults *set, BideShapeKind kind) {
  BideShapeKind found = bide_results_kind(set);
  return found == kind || found == BIDE_SHAPE_ANY;
}

const BideResults *bide_walk_check_order(BideWalk *walk, const BideNode *node,
                                         const BideResults *left, const BideResults *right) {
  const BideResults *wrong = !may_be(left, BIDE_SHAPE_NUMBER) ? left : right;
  if (node->variant <= BIDE_OPERATOR_NOT_EQUAL ||
      (wrong == right && may_be(right, BIDE_SHAPE_NUMBER)))
    return bide_results_of_types(&walk->sets, BIDE_RESULT_BOOLEANS);
  report(walk, BIDE_SEVERITY_WARNING, BIDE_PROBLEM_COMPARATOR, node,
         "'%s' compares numbers, but an operand is of type %s: the result is null",
         bide_operator_text((BideOperator)node->variant),
         bide_shape_kind_name(bide_results_kind(wrong)));
  return bide_results_of_types(&walk->sets, BIDE_RESULT_NULL);
}

/* Reports whether an array is known to contain a null or values of several kinds. */
static bool is_mixed(const BideResults *array) {
  unsigned kinds = 0;
  for (uint32_t i = 0; array->items != NULL && i < array->least; i++)
    kinds |= 1u << bide_results_kind(array->items[i]);
  kinds &= ~(1u << BIDE_SHAPE_ANY);
  return (kinds & (kinds - 1)) != 0 || kinds == 1u << BIDE_SHAPE_NULL;
}

#define FOUND 32

static void describe_found(BideWalk *walk, const BideResults *set, bool is_reference,
                           char found[FOUND]) {
  BideShapeKind kind = bide_results_kind(set), element = BIDE_SHAPE_ANY;
  if (kind == BIDE_SHAPE_ARRAY)
    element = bide_results_kind(bide_results_elements(&walk->sets, set));
  if (is_reference)
    snprintf(found, FOUND, "an expression reference");
  else if (kind == BIDE_SHAPE_ARRAY && is_mixed(set))
    snprintf(found, FOUND, "an array of mixed types");
  else if (element > BIDE_SHAPE_NULL)
    snprintf(found, FOUND, "array of %s", bide_shape_kind_name(element));
  else
    snprintf(found, FOUND, "%s", bide_shape_kind_name(kind));
}

/* Reports whether a function may accept a value; an empty array alone does not count. */
static bool is_taken(BideWalk *walk, const BideNode *call, uint32_t position,
                     const BideResults *found) {
  BideResults present = *found;
  const BideResults *accepted;
  present.values = NULL;
  if (found->types != BIDE_RESULT_NULL)
    present.types &= ~(unsigned)BIDE_RESULT_NULL;
  if (!is_mixed(found))
    present.items = NULL;
  accepted = bide_walk_accepted(walk, call, position, &present);
  return bide_results_kind(found) == BIDE_SHAPE_ANY ||
         (accepted->types & ~(unsigned)BIDE_RESULT_ARRAY) != 0 ||
         (accepted->types != 0 && accepted->most > 0);
}

void bide_walk_check_argument(BideWalk *walk, const BideNode *call, uint32_t position,
                              const BideResults *found) {
  const BideFunction *function = call->as.call.function;
  const BideNode *argument = call->as.call.arguments[position];
  unsigned takes = bide_function_takes(function, position);
  bool is_reference = argument->kind == BIDE_NODE_REFERENCE;
  bool wants_reference = (takes & BIDE_TAKES_REFERENCE) != 0;
  char wanted[BIDE_TAKES_TEXT], words[FOUND];
  if (is_reference == wants_reference && (is_reference || is_taken(walk, call, position, found)))
    return;
  bide_function_describe(takes, wanted);
  describe_found(walk, found, is_reference, words);
  report(walk, BIDE_SEVERITY_ERROR, BIDE_PROBLEM_ARGUMENT, argument,
         "argument %u of %s() must be %s, not %s", position + 1, function->name, wanted, words);
}

bool bide_jmespath_analyse(const BideExpression *expression, const BideShape *input,
                           BideArena *arena, BideAnalysis *analysis, BideError *error) {
  BideWalk walk;
  BideScope scope = {.current = &bide_results_any};
  *analysis = (BideAnalysis){.shape = &bide_shape_any};
  if (bide_walk_init(&walk, expression, arena)) {
    walk.steps = walk.depth = UINT32_MAX;
    walk.analysis = analysis;
    walk.sets.of_shapes = true;
    scope.current = bide_results_of_shape(&walk.sets, input);
    analysis->shape = bide_results_shape(&walk.sets,
                                         bide_walk_results(&walk, expression->root, &scope));
    if (!walk.sets.failed)
      return true;
  }
  bide_error_set(error, BIDE_ERROR_MEMORY, "not enough memory for the analysis");
  return false;
}
