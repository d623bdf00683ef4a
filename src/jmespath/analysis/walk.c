/*
** Walks the tree as a search does, but over sets of results. Whatever is not understood is "any",
** and may raise an error.
*/
#include "jmespath/analysis/walk.h"

#include <string.h>

#include "jmespath/function.h"

/* The most nodes that a walk visits, facts included. */
#define MOST_STEPS 20000

/* The work and the memory of the searches for constants. */
#define CONSTANT_WORK 1000000
#define CONSTANT_BYTES ((size_t)1 << 20)
#define CONSTANT_STACK 64

/* The most pairs of listed values that are compared. */
#define MOST_PAIRS 64

bool bide_walk_init(BideWalk *walk, const BideExpression *expression, BideArena *arena) {
  BideHint *hints = bide_arena_alloc(arena, (expression->hints + 1) * sizeof *hints);
  BideValue *stack = bide_arena_alloc(arena, CONSTANT_STACK * sizeof *stack);
  *walk = (BideWalk){.expression = expression,
                     .sets = {.arena = arena},
                     .steps = MOST_STEPS,
                     .depth = BIDE_WALK_DEPTH};
  if (hints == NULL || stack == NULL)
    return false;
  for (uint32_t i = 0; i < expression->hints; i++)
    hints[i] = (BideHint){.name = NULL};
  walk->search = (BideSearch){.expression = expression,
                              .scratch = arena,
                              .error = &walk->error,
                              .hints = hints,
                              .stack = stack,
                              .capacity = CONSTANT_STACK,
                              .work = CONSTANT_WORK,
                              .room = CONSTANT_BYTES};
  return true;
}

uint64_t bide_walk_cost(const BideWalk *walk) {
  return (CONSTANT_WORK - walk->search.work) + UINT64_C(4) * (MOST_STEPS - walk->steps);
}

static const BideResults *give_up(BideWalk *walk) {
  walk->raises = true;
  return &bide_results_any;
}

/* ---- constants ---- */

/*
** Reports whether a node can be evaluated for a known value: it calls no function of the host, so
** that it has one result for one document.
*/
static bool is_pure(const BideWalk *walk, const BideNode *node) {
  bool may_call_others = walk->expression->functions != NULL || walk->expression->asks_answer;
  if (walk->analysis != NULL)
    return false;
  return !may_call_others || !node->can_raise || bide_function_all_of_language(node);
}

bool bide_walk_has_failed(BideWalk *walk) {
  bool failed = walk->search.failed;
  walk->search.failed = false;
  walk->search.top = 0;
  return failed;
}

bool bide_walk_is_short(const BideWalk *walk) {
  return walk->error.code != BIDE_ERROR_TYPE && walk->error.code != BIDE_ERROR_VALUE;
}

/* Evaluates a node for each value of a listed set. */
static const BideResults *evaluate_listed(BideWalk *walk, const BideNode *node,
                                          const BideResults *current) {
  BideValue values[BIDE_RESULTS_LISTED];
  size_t count = 0;
  for (uint32_t i = 0; i < current->count; i++) {
    BideValue one = bide_search_evaluate(&walk->search, node, &current->values[i]);
    if (!bide_walk_has_failed(walk))
      values[count++] = one;
    else if (bide_walk_is_short(walk))
      return give_up(walk);
    else
      walk->raises = true;
  }
  return bide_results_of_values(&walk->sets, values, count);
}

/* ---- projections ---- */

/* Returns the elements of arrays among `elements`, and those that are no arrays. */
static const BideResults *flattened(BideWalk *walk, const BideResults *elements) {
  BideSets *sets = &walk->sets;
  const unsigned others = elements->types & ~(unsigned)BIDE_RESULT_ARRAY;
  const BideResults *inner;
  if ((elements->types & BIDE_RESULT_ARRAY) == 0)
    return elements;
  inner = bide_results_elements(sets, elements);
  if (others == BIDE_RESULT_NULL)
    return bide_results_or_null(sets, inner);
  return bide_results_join(sets, bide_results_select(sets, elements, others), inner);
}

/* Returns the most elements of a slice, as far as its bounds limit them. */
static uint32_t most_of_slice(const BideSlice *slice, uint32_t most) {
  int64_t start = slice->has_start ? slice->start : 0;
  int64_t count;
  if (slice->step <= 0 || start == INT64_MIN)
    return most;
  if (!slice->has_stop && start >= 0)
    return most;
  if (!slice->has_stop || (slice->stop < 0) == (start < 0))
    count = (slice->has_stop ? slice->stop : 0) - start;
  else
    return most;
  count = count < 0 ? 0 : count / slice->step + (count % slice->step != 0);
  return count < (int64_t)most ? (uint32_t)count : most;
}

static uint32_t most_elements(const BideWalk *walk, const BideNode *node,
                              const BideResults *current, const BideResults *elements) {
  if (walk->analysis != NULL)
    return UINT32_MAX;
  switch ((BideProjection)node->variant) {
    case BIDE_PROJECT_LIST:
    case BIDE_PROJECT_FILTER: return current->most;
    case BIDE_PROJECT_FLATTEN:
      return (elements->types & BIDE_RESULT_ARRAY) == 0 ? current->most : UINT32_MAX;
    case BIDE_PROJECT_VALUES: return current->is_closed ? current->member_count : UINT32_MAX;
    case BIDE_PROJECT_SLICE: return most_of_slice(node->as.project.slice, current->most);
  }
  return UINT32_MAX;
}

/* Reports whether what follows a condition may be evaluated. */
static bool may_go_on(const BideWalk *walk, const BideResults *holds, const BideScope *after,
                      bool truth) {
  return walk->analysis != NULL || (bide_results_may_be(holds, truth) && !after->is_impossible);
}

/* Returns what the filter and the body of a projection make of its elements. */
static const BideResults *projected(BideWalk *walk, const BideNode *node,
                                    const BideResults *elements) {
  BideScope scope = {.current = elements};
  const BideNode *condition = node->as.project.condition, *body = node->as.project.body;
  if (condition != NULL) {
    const BideResults *holds = bide_walk_results(walk, condition, &scope);
    bide_scope_assume(walk, &scope, condition, true);
    if (!may_go_on(walk, holds, &scope, true))
      return &bide_results_none;
  }
  elements = body == NULL ? scope.current : bide_walk_results(walk, body, &scope);
  return walk->analysis != NULL
           ? elements
           : bide_results_select(&walk->sets, elements, BIDE_RESULT_ANY & ~BIDE_RESULT_NULL);
}

static const BideResults *results_of_projection(BideWalk *walk, const BideNode *node,
                                                const BideResults *current) {
  bool is_of_values = node->variant == BIDE_PROJECT_VALUES;
  unsigned source = is_of_values ? BIDE_RESULT_OBJECTS : BIDE_RESULT_ARRAY;
  unsigned types = (current->types & ~source) != 0 ? BIDE_RESULT_NULL : 0;
  const BideResults *elements;
  BideResults list;
  uint32_t most;
  if ((current->types & source) == 0)
    return bide_results_of_types(&walk->sets, types);
  elements = is_of_values ? bide_results_any_member(&walk->sets, current)
                          : bide_results_elements(&walk->sets, current);
  most = most_elements(walk, node, current, elements);
  if (node->variant == BIDE_PROJECT_FLATTEN)
    elements = flattened(walk, elements);
  if (most > 0)
    elements = projected(walk, node, elements);
  list = bide_results_all(types | BIDE_RESULT_ARRAY);
  list.most = bide_results_is_empty(elements) ? 0 : most;
  list.element = elements;
  return bide_results_keep(&walk->sets, list);
}

/* ---- lists and hashes ---- */

/* Returns the set of one list of the only values of the items; NULL if one has several. */
static const BideResults *constant_list(BideWalk *walk, const BideResults *const *items,
                                        uint32_t count) {
  BideValue *values = bide_results_take(&walk->sets, (count + 1) * sizeof *values);
  uint32_t known = 0;
  while (values != NULL && known < count && bide_results_only(items[known]) != NULL) {
    values[known] = *bide_results_only(items[known]);
    known++;
  }
  if (known < count || values == NULL)
    return NULL;
  return bide_results_of_value(&walk->sets, bide_value_array(values, count));
}

static const BideResults *list_of(BideWalk *walk, const BideResults *const *items, uint32_t count) {
  const BideResults *constant = walk->analysis != NULL ? NULL : constant_list(walk, items, count);
  BideResults list = {.types = BIDE_RESULT_ARRAY, .least = count, .most = count, .items = items};
  if (constant != NULL)
    return constant;
  list.element = bide_results_elements(&walk->sets, &list);
  return bide_results_keep(&walk->sets, list);
}

static const BideResults *hash_of(BideWalk *walk, const BideNode *node,
                                  const BideResults *const *items) {
  uint32_t count = node->as.list.count;
  BideResults object = bide_results_all(BIDE_RESULT_OBJECT);
  BideResultMember *members = bide_results_take(&walk->sets, (count + 1) * sizeof *members);
  if (members == NULL)
    return &bide_results_any;
  for (uint32_t i = 0; i < count; i++) /* the last of equal names wins, and is found first */
    members[count - 1 - i] = (BideResultMember){node->as.list.names[i].name,
                                                node->as.list.names[i].name_length, items[i]};
  if (walk->analysis != NULL || node->variant != BIDE_HASH_REPEATS) {
    object.members = members;
    object.member_count = count;
    object.is_closed = true;
  }
  return bide_results_keep(&walk->sets, object);
}

/* Returns the results of a list or a hash, which is null for null. */
static const BideResults *results_of_items(BideWalk *walk, const BideNode *node,
                                           const BideScope *scope) {
  const BideResults *current = scope->current;
  uint32_t count = node->as.list.count;
  const BideResults *null = bide_results_of_types(&walk->sets, current->types & BIDE_RESULT_NULL);
  const BideResults *results;
  const BideResults **items = bide_results_take(&walk->sets, (count + 1) * sizeof *items);
  if (items == NULL || (current->types == BIDE_RESULT_NULL && walk->analysis == NULL))
    return null;
  for (uint32_t i = 0; i < count; i++) {
    items[i] = bide_walk_results(walk, node->as.list.items[i], scope);
    if (bide_results_is_empty(items[i])) /* it fails */
      return null;
  }
  results = node->kind == BIDE_NODE_HASH ? hash_of(walk, node, items) : list_of(walk, items, count);
  return bide_results_is_empty(null) ? results : bide_results_or_null(&walk->sets, results);
}

/* ---- operators ---- */

/* Evaluates a && b or a || b: each operand knows what those before it have decided. */
static const BideResults *results_of_logical(BideWalk *walk, const BideNode *node,
                                             const BideScope *scope) {
  bool continues_at = node->kind == BIDE_NODE_AND;
  uint32_t count = node->as.list.count;
  BideScope inner = *scope;
  const BideResults *results = &bide_results_none;
  for (uint32_t i = 0; i < count; i++) {
    const BideNode *operand = node->as.list.items[i];
    const BideResults *one = bide_walk_results(walk, operand, &inner);
    if (i + 1 == count)
      return bide_results_join(&walk->sets, results, one);
    results = bide_results_join(
      &walk->sets, results,
      walk->analysis != NULL ? one : bide_results_select_truth(&walk->sets, one, !continues_at));
    bide_scope_assume(walk, &inner, operand, continues_at);
    if (!may_go_on(walk, one, &inner, continues_at))
      break;
  }
  return results;
}

static const BideResults *results_of_not(BideWalk *walk, const BideNode *node,
                                         const BideScope *scope) {
  const BideResults *operand = bide_walk_results(walk, node->as.pair.left, scope);
  return bide_results_of_types(&walk->sets,
                               (bide_results_may_be(operand, true) ? BIDE_RESULT_FALSE : 0u) |
                                 (bide_results_may_be(operand, false) ? BIDE_RESULT_TRUE : 0u));
}

unsigned bide_operator_orders(BideOperator comparison) {
  switch (comparison) {
    case BIDE_OPERATOR_EQUAL: return BIDE_ORDER_EQUAL;
    case BIDE_OPERATOR_NOT_EQUAL: return BIDE_ORDER_LESS | BIDE_ORDER_MORE | BIDE_ORDER_OTHER;
    case BIDE_OPERATOR_LESS: return BIDE_ORDER_LESS;
    case BIDE_OPERATOR_LESS_EQUAL: return BIDE_ORDER_LESS | BIDE_ORDER_EQUAL;
    case BIDE_OPERATOR_GREATER: return BIDE_ORDER_MORE;
    case BIDE_OPERATOR_GREATER_EQUAL: return BIDE_ORDER_MORE | BIDE_ORDER_EQUAL;
  }
  return 0;
}

static unsigned orders_of_listed(const BideResults *left, const BideResults *right) {
  unsigned orders = 0;
  for (uint32_t i = 0; i < left->count; i++)
    for (uint32_t j = 0; j < right->count; j++) {
      const BideValue *a = &left->values[i], *b = &right->values[j];
      int order;
      if (!bide_value_is_number(a) || !bide_value_is_number(b)) {
        orders |= bide_value_equal(a, b) ? BIDE_ORDER_EQUAL : BIDE_ORDER_OTHER;
        continue;
      }
      order = bide_value_compare_numbers(a, b);
      orders |= order < 0 ? BIDE_ORDER_LESS : order > 0 ? BIDE_ORDER_MORE : BIDE_ORDER_EQUAL;
    }
  return orders;
}

/* Returns the orders that values of two sets may have. */
static unsigned orders_of(const BideResults *left, const BideResults *right) {
  unsigned orders = 0, both = left->types & right->types;
  if (left->values != NULL && right->values != NULL && left->count * right->count <= MOST_PAIRS)
    return orders_of_listed(left, right);
  if ((both & BIDE_RESULT_NUMBER) != 0)
    orders |= bide_range_orders(&left->range, &right->range) & ~(unsigned)BIDE_ORDER_EQUAL;
  if (bide_results_may_equal(left, right))
    orders |= BIDE_ORDER_EQUAL;
  if (left->types != BIDE_RESULT_NUMBER || right->types != BIDE_RESULT_NUMBER)
    orders |= BIDE_ORDER_OTHER;
  return orders;
}

/* Returns the results of <, <=, > or >= by the orders and the types of its operands. */
static unsigned types_of_order(unsigned holds, unsigned orders, const BideResults *left,
                               const BideResults *right) {
  bool may_be_numbers = (left->types & right->types & BIDE_RESULT_NUMBER) != 0;
  bool are_numbers = left->types == BIDE_RESULT_NUMBER && right->types == BIDE_RESULT_NUMBER;
  unsigned types = 0;
  if (may_be_numbers && (orders & holds) != 0)
    types |= BIDE_RESULT_TRUE;
  if (may_be_numbers && (orders & ~holds & ~(unsigned)BIDE_ORDER_OTHER) != 0)
    types |= BIDE_RESULT_FALSE;
  if (!are_numbers && (orders & (BIDE_ORDER_EQUAL | BIDE_ORDER_OTHER)) != 0)
    types |= BIDE_RESULT_NULL;
  return types;
}

static const BideResults *results_of_comparison(BideWalk *walk, const BideNode *node,
                                                const BideScope *scope) {
  const BideNode *left_node = node->as.pair.left, *right_node = node->as.pair.right;
  const BideResults *left = bide_walk_results(walk, left_node, scope);
  const BideResults *right = bide_walk_results(walk, right_node, scope);
  unsigned holds = bide_operator_orders((BideOperator)node->variant);
  unsigned orders;
  if (walk->analysis != NULL)
    return bide_walk_check_order(walk, node, left, right);
  if (bide_results_is_empty(left) || bide_results_is_empty(right))
    return &bide_results_none;
  orders = orders_of(left, right) & bide_scope_orders(walk, scope, left_node, right_node);
  if (node->variant > BIDE_OPERATOR_NOT_EQUAL)
    return bide_results_of_types(&walk->sets, types_of_order(holds, orders, left, right));
  return bide_results_of_types(&walk->sets, ((orders & holds) != 0 ? BIDE_RESULT_TRUE : 0u) |
                                              ((orders & ~holds) != 0 ? BIDE_RESULT_FALSE : 0u));
}

/* ---- nodes ---- */

static const BideResults *results_of_chain(BideWalk *walk, const BideNode *node,
                                           const BideScope *scope) {
  BideNode prefix = *node;
  BideScope step = *scope;
  for (uint32_t i = 0; i < node->as.list.count; i++) {
    if (step.current->values != NULL && step.current->count > 0 && i > 0 && is_pure(walk, node)) {
      BideNode rest = *node;
      rest.as.list.items += i;
      rest.as.list.count -= i;
      rest.is_field_and_row = false;
      return evaluate_listed(walk, &rest, step.current);
    }
    step.current = bide_walk_results(walk, node->as.list.items[i], &step);
    if (bide_results_is_empty(step.current))
      return step.current;
    prefix.as.list.count = i + 1;
    if (i > 0)
      step.current = bide_scope_narrow(walk, scope, &prefix, step.current);
    step.facts = NULL;
    step.count = 0;
  }
  return step.current;
}

static const BideResults *results_of(BideWalk *walk, const BideNode *node, const BideScope *scope) {
  const BideResults *current = scope->current;
  if (walk->analysis != NULL)
    current = bide_walk_check_current(walk, node, current);
  switch ((BideNodeKind)node->kind) {
    case BIDE_NODE_CURRENT: return current;
    case BIDE_NODE_LITERAL:
      return walk->analysis != NULL ? bide_results_of_literal(&walk->sets, &node->as.literal)
                                    : bide_results_of_value(&walk->sets, node->as.literal);
    case BIDE_NODE_FIELD:
      return bide_results_member(&walk->sets, current, node->as.field.name, node->as.field.length);
    case BIDE_NODE_INDEX: return bide_results_element(&walk->sets, current, node->as.index);
    case BIDE_NODE_CHAIN: return results_of_chain(walk, node, scope);
    case BIDE_NODE_PROJECT: return results_of_projection(walk, node, current);
    case BIDE_NODE_LIST:
    case BIDE_NODE_HASH: return results_of_items(walk, node, scope);
    case BIDE_NODE_CALL: return bide_walk_call(walk, node, scope);
    case BIDE_NODE_REFERENCE: return bide_results_of_types(&walk->sets, BIDE_RESULT_NULL);
    case BIDE_NODE_OR:
    case BIDE_NODE_AND: return results_of_logical(walk, node, scope);
    case BIDE_NODE_NOT: return results_of_not(walk, node, scope);
    case BIDE_NODE_COMPARE: return results_of_comparison(walk, node, scope);
  }
  return give_up(walk);
}

const BideResults *bide_walk_results(BideWalk *walk, const BideNode *node, const BideScope *scope) {
  const BideResults *current = scope->current, *results;
  if (bide_results_is_empty(current))
    return current;
  if (!bide_walk_enter(walk))
    return give_up(walk);
  if (current->values != NULL && node->kind != BIDE_NODE_PROJECT &&
      node->kind != BIDE_NODE_REFERENCE && is_pure(walk, node))
    results = evaluate_listed(walk, node, current);
  else
    results = results_of(walk, node, scope);
  walk->depth++;
  return bide_scope_narrow(walk, scope, node, results);
}
