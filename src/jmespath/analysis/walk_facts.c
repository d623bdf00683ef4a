/*
** What a condition says of the expressions in it. Facts are only ever left out, never added without
** a reason: a set of results may stay too large.
*/
#include <string.h>

#include "jmespath/analysis/walk.h"
#include "jmespath/function.h"

/* More facts, or operands of an || that holds, are not looked at. */
#define MOST_FACTS 32
#define MOST_ALTERNATIVES 16

/* ---- equal expressions ---- */

static bool are_names_equal(const BideNode *a, const BideNode *b) {
  for (uint32_t i = 0; i < a->as.list.count; i++) {
    const BideMember *one = &a->as.list.names[i], *other = &b->as.list.names[i];
    if (one->name_length != other->name_length ||
        memcmp(one->name, other->name, one->name_length) != 0)
      return false;
  }
  return true;
}

static bool are_slices_equal(const BideSlice *a, const BideSlice *b) {
  if (a == NULL || b == NULL)
    return a == b;
  return a->start == b->start && a->stop == b->stop && a->step == b->step &&
         a->has_start == b->has_start && a->has_stop == b->has_stop;
}

/* Reports whether two nodes of one kind are the same but for the nodes below them. */
static bool are_alike(const BideNode *a, const BideNode *b) {
  switch ((BideNodeKind)a->kind) {
    case BIDE_NODE_CURRENT:
    case BIDE_NODE_CHAIN:
    case BIDE_NODE_LIST:
    case BIDE_NODE_REFERENCE:
    case BIDE_NODE_OR:
    case BIDE_NODE_AND:
    case BIDE_NODE_NOT: return true;
    case BIDE_NODE_LITERAL: return bide_value_equal(&a->as.literal, &b->as.literal);
    case BIDE_NODE_FIELD:
      return a->as.field.length == b->as.field.length &&
             memcmp(a->as.field.name, b->as.field.name, a->as.field.length) == 0;
    case BIDE_NODE_INDEX: return a->as.index == b->as.index;
    case BIDE_NODE_PROJECT:
      return a->variant == b->variant &&
             are_slices_equal(a->as.project.slice, b->as.project.slice) &&
             (a->as.project.condition == NULL) == (b->as.project.condition == NULL);
    case BIDE_NODE_HASH: return a->as.list.count == b->as.list.count && are_names_equal(a, b);
    case BIDE_NODE_CALL:
      return a->as.call.function == b->as.call.function &&
             !bide_function_is_of_host(a->as.call.function);
    case BIDE_NODE_COMPARE: return a->variant == b->variant;
  }
  return false;
}

bool bide_nodes_equal(BideWalk *walk, const BideNode *a, const BideNode *b) {
  if (a->kind != b->kind || walk->steps == 0)
    return false;
  walk->steps--;
  if (!are_alike(a, b))
    return false;
  for (uint32_t i = 0;; i++) {
    const BideNode *one = bide_node_child(a, i), *other = bide_node_child(b, i);
    if (one == NULL || other == NULL)
      return one == other;
    if (!bide_nodes_equal(walk, one, other))
      return false;
  }
}

/* ---- reading facts ---- */

const BideResults *bide_scope_narrow(BideWalk *walk, const BideScope *scope, const BideNode *node,
                                     const BideResults *results) {
  for (const BideFact *fact = scope->facts; fact != NULL; fact = fact->next)
    if (fact->results != NULL && bide_nodes_equal(walk, fact->node, node))
      results = bide_results_meet(&walk->sets, results, fact->results);
  return results;
}

/* Returns the orders of b and a for those of a and b. */
static unsigned swapped(unsigned orders) {
  return (orders & (BIDE_ORDER_EQUAL | BIDE_ORDER_OTHER)) |
         ((orders & BIDE_ORDER_LESS) != 0 ? BIDE_ORDER_MORE : 0u) |
         ((orders & BIDE_ORDER_MORE) != 0 ? BIDE_ORDER_LESS : 0u);
}

unsigned bide_scope_orders(BideWalk *walk, const BideScope *scope, const BideNode *left,
                           const BideNode *right) {
  unsigned orders = bide_nodes_equal(walk, left, right) ? BIDE_ORDER_EQUAL
                                                        : (unsigned)BIDE_ORDER_ANY;
  for (const BideFact *fact = scope->facts; fact != NULL; fact = fact->next) {
    if (fact->results != NULL)
      continue;
    if (bide_nodes_equal(walk, fact->left, left) && bide_nodes_equal(walk, fact->right, right))
      orders &= fact->orders;
    else if (bide_nodes_equal(walk, fact->left, right) && bide_nodes_equal(walk, fact->right, left))
      orders &= swapped(fact->orders);
  }
  return orders;
}

/* ---- adding facts ---- */

static void assume_in(BideWalk *walk, BideScope *scope, const BideNode *node,
                      const BideResults *results);

static void add(BideWalk *walk, BideScope *scope, BideFact fact) {
  BideFact *kept = scope->count < MOST_FACTS ? bide_results_take(&walk->sets, sizeof *kept) : NULL;
  if (kept == NULL)
    return;
  *kept = fact;
  kept->next = scope->facts;
  scope->facts = kept;
  scope->count++;
}

static void narrow_current(BideWalk *walk, BideScope *scope, const BideResults *to) {
  scope->current = bide_results_meet(&walk->sets, scope->current, to);
  if (bide_results_is_empty(scope->current))
    scope->is_impossible = true;
}

/* Returns the objects whose member has these results. */
static const BideResults *objects_with(BideWalk *walk, const BideNode *field,
                                       const BideResults *results) {
  BideResults object = bide_results_all(BIDE_RESULT_OBJECT);
  BideResultMember *member = bide_results_take(&walk->sets, sizeof *member);
  if (member == NULL)
    return &bide_results_any;
  *member = (BideResultMember){field->as.field.name, field->as.field.length, results};
  object.members = member;
  object.member_count = 1;
  return bide_results_keep(&walk->sets, object);
}

/*
** Returns the values to which a step was applied if its results, none of which is null, are these;
** "any" if nothing is known.
*/
static const BideResults *source_of(BideWalk *walk, const BideNode *step,
                                    const BideResults *results) {
  int64_t index = step->as.index;
  uint32_t least;
  switch ((BideNodeKind)step->kind) {
    case BIDE_NODE_FIELD: return objects_with(walk, step, results);
    case BIDE_NODE_INDEX:
      index = index < 0 ? -index : index + 1;
      least = index < 0 || index > UINT32_MAX ? UINT32_MAX : (uint32_t)index;
      return bide_results_arrays(&walk->sets, NULL, least, UINT32_MAX);
    case BIDE_NODE_PROJECT:
      if (step->variant == BIDE_PROJECT_VALUES)
        return bide_results_of_types(&walk->sets, BIDE_RESULT_OBJECTS);
      least = (results->types & BIDE_RESULT_ARRAY) != 0 && results->least > 0;
      return bide_results_arrays(&walk->sets, NULL, least, UINT32_MAX);
    case BIDE_NODE_LIST:
    case BIDE_NODE_HASH:
      return bide_results_of_types(&walk->sets, BIDE_RESULT_ANY & ~BIDE_RESULT_NULL);
    case BIDE_NODE_CURRENT:
    case BIDE_NODE_LITERAL:
    case BIDE_NODE_CHAIN:
    case BIDE_NODE_CALL:
    case BIDE_NODE_REFERENCE:
    case BIDE_NODE_OR:
    case BIDE_NODE_AND:
    case BIDE_NODE_NOT:
    case BIDE_NODE_COMPARE: break;
  }
  return &bide_results_any;
}

/* Adds what follows for the steps of a chain before its last, whose results are not null. */
static void assume_prefix(BideWalk *walk, BideScope *scope, const BideNode *chain,
                          const BideResults *results) {
  uint32_t count = chain->as.list.count - 1;
  const BideResults *source = source_of(walk, chain->as.list.items[count], results);
  BideNode *prefix;
  if (source == &bide_results_any)
    return;
  if (count == 1) {
    assume_in(walk, scope, chain->as.list.items[0], source);
    return;
  }
  prefix = bide_results_take(&walk->sets, sizeof *prefix);
  if (prefix == NULL)
    return;
  *prefix = *chain;
  prefix->as.list.count = count;
  assume_in(walk, scope, prefix, source);
}

/* Adds what the result of length() or type() says of its argument. */
static void assume_argument(BideWalk *walk, BideScope *scope, const BideNode *call,
                            const BideResults *results) {
  const BideFunction *function = call->as.call.function;
  const BideNode *argument = call->as.call.count > 0 ? call->as.call.arguments[0] : NULL;
  BideValue zero = bide_value_integer(0);
  unsigned types = 0;
  if (function->call == bide_function_length && !bide_results_may_contain(results, &zero))
    bide_scope_assume(walk, scope, argument, true);
  else if (function->call == bide_function_length && bide_results_only(results) != NULL)
    bide_scope_assume(walk, scope, argument, false);
  if (function->call != bide_function_type || results->values == NULL)
    return;
  for (int kind = BIDE_SHAPE_NULL; kind <= BIDE_SHAPE_OBJECT; kind++) {
    const char *name = bide_shape_rows[kind].name;
    BideValue text = bide_value_string(name, strlen(name));
    if (bide_results_may_contain(results, &text))
      types |= bide_shape_rows[kind].types;
  }
  assume_in(walk, scope, argument, bide_results_of_types(&walk->sets, types));
}

/* Adds that the results of `node` are in a set. */
static void assume_in(BideWalk *walk, BideScope *scope, const BideNode *node,
                      const BideResults *results) {
  scope->is_impossible = scope->is_impossible || bide_results_is_empty(results);
  if (scope->is_impossible || !bide_walk_enter(walk))
    return;
  if (node->kind == BIDE_NODE_CURRENT)
    narrow_current(walk, scope, results);
  else if (node->kind != BIDE_NODE_LITERAL)
    add(walk, scope, (BideFact){.node = node, .results = results});
  if ((results->types & BIDE_RESULT_NULL) == 0) {
    if (node->kind == BIDE_NODE_CHAIN)
      assume_prefix(walk, scope, node, results);
    else
      narrow_current(walk, scope, source_of(walk, node, results));
  }
  if (node->kind == BIDE_NODE_CALL)
    assume_argument(walk, scope, node, results);
  walk->depth++;
}

/* ---- conditions ---- */

/* Adds that a call, which was evaluated, accepted its arguments. */
static void assume_accepted(BideWalk *walk, BideScope *scope, const BideNode *call) {
  if (bide_function_is_of_host(call->as.call.function))
    return;
  for (uint32_t i = 0; i < call->as.call.count && !scope->is_impossible; i++) {
    const BideNode *argument = call->as.call.arguments[i];
    if (argument->kind == BIDE_NODE_REFERENCE || argument->kind == BIDE_NODE_LITERAL)
      continue;
    assume_in(walk, scope, argument,
              bide_walk_accepted(walk, call, i, bide_walk_results(walk, argument, scope)));
    if (argument->kind == BIDE_NODE_CALL)
      assume_accepted(walk, scope, argument);
  }
}

/* Adds that `node` is one of the elements of the constant list in contains(list, node). */
static void assume_contained(BideWalk *walk, BideScope *scope, const BideNode *call) {
  const BideResults *where = bide_walk_results(walk, call->as.call.arguments[0], scope);
  const BideValue *list = bide_results_only(where);
  if (list == NULL || list->type != BIDE_ARRAY || list->length > BIDE_RESULTS_LISTED)
    return;
  assume_in(
    walk, scope, call->as.call.arguments[1],
    bide_results_meet(&walk->sets, bide_walk_results(walk, call->as.call.arguments[1], scope),
                      bide_results_of_values(&walk->sets, list->as.elements, list->length)));
}

/* Returns the results other than a value. */
static const BideResults *without(BideWalk *walk, const BideResults *set, const BideValue *value) {
  BideValue values[BIDE_RESULTS_LISTED];
  const unsigned types_of_one = BIDE_RESULT_NULL | BIDE_RESULT_BOOLEANS | BIDE_RESULT_EMPTY_STRING |
                                BIDE_RESULT_EMPTY_OBJECT;
  size_t count = 0;
  if (set->values == NULL)
    return bide_results_select(&walk->sets, set,
                               BIDE_RESULT_ANY & ~(bide_result_type(value) & types_of_one));
  for (uint32_t i = 0; i < set->count; i++)
    if (!bide_value_equal(&set->values[i], value))
      values[count++] = set->values[i];
  return bide_results_of_values(&walk->sets, values, count);
}

/*
** Returns the next double after a bound, in the direction of another one. From 2^53 on it is the
** bound itself, since there are integers between the doubles.
*/
static double beyond(double bound, double direction) {
  return fabs(bound) < 9007199254740992.0 ? nextafter(bound, direction) : bound;
}

/* Returns the numbers of `set` that are in the given orders with some number of `other`. */
static const BideResults *in_order(BideWalk *walk, const BideResults *set, const BideResults *other,
                                   unsigned orders) {
  BideResults numbers = bide_results_all(BIDE_RESULT_NUMBER);
  bool excludes = (orders & BIDE_ORDER_EQUAL) == 0;
  if ((orders & BIDE_ORDER_MORE) == 0)
    numbers.range.high = excludes ? beyond(other->range.high, -INFINITY) : other->range.high;
  if ((orders & BIDE_ORDER_LESS) == 0)
    numbers.range.low = excludes ? beyond(other->range.low, INFINITY) : other->range.low;
  return bide_results_meet(&walk->sets, set, bide_results_keep(&walk->sets, numbers));
}

static void assume_comparison(BideWalk *walk, BideScope *scope, const BideNode *node, bool truth) {
  const BideNode *left = node->as.pair.left, *right = node->as.pair.right;
  const BideResults *a = bide_walk_results(walk, left, scope),
                    *b = bide_walk_results(walk, right, scope);
  bool is_order = node->variant > BIDE_OPERATOR_NOT_EQUAL;
  bool are_numbers = a->types == BIDE_RESULT_NUMBER && b->types == BIDE_RESULT_NUMBER;
  unsigned holds = bide_operator_orders((BideOperator)node->variant);
  unsigned orders = truth ? holds : (unsigned)BIDE_ORDER_ANY & ~holds;
  if (is_order && !truth && !are_numbers)
    orders |= BIDE_ORDER_EQUAL; /* of equal texts, for which the operator gives null */
  add(walk, scope, (BideFact){.left = left, .right = right, .orders = orders});
  if (is_order && (truth || are_numbers)) {
    assume_in(walk, scope, left, in_order(walk, a, b, orders));
    assume_in(walk, scope, right, in_order(walk, b, a, swapped(orders)));
  } else if (orders == BIDE_ORDER_EQUAL) {
    const BideResults *both = bide_results_meet(&walk->sets, a, b);
    assume_in(walk, scope, left, both);
    assume_in(walk, scope, right, both);
  } else if (!is_order) {
    if (bide_results_only(b) != NULL)
      assume_in(walk, scope, left, without(walk, a, bide_results_only(b)));
    if (bide_results_only(a) != NULL)
      assume_in(walk, scope, right, without(walk, b, bide_results_only(a)));
  }
  if (left->kind == BIDE_NODE_CALL)
    assume_accepted(walk, scope, left);
  if (right->kind == BIDE_NODE_CALL)
    assume_accepted(walk, scope, right);
}

/* Adds what all possible alternatives have in common. */
static void join_alternatives(BideWalk *walk, BideScope *scope, const BideScope *alternatives,
                              uint32_t count) {
  const BideFact *known = scope->facts;
  const BideResults *current = &bide_results_none;
  for (uint32_t i = 0; i < count; i++)
    current = bide_results_join(&walk->sets, current, alternatives[i].current);
  scope->current = current;
  for (const BideFact *fact = alternatives[0].facts; fact != known; fact = fact->next) {
    const BideResults *joined = fact->results;
    for (uint32_t i = 1; i < count && joined != NULL; i++)
      joined = bide_results_join(
        &walk->sets, joined,
        bide_scope_narrow(walk, &alternatives[i], fact->node, &bide_results_any));
    if (joined != NULL && joined->types != BIDE_RESULT_ANY)
      add(walk, scope, (BideFact){.node = fact->node, .results = joined});
  }
}

/* Adds what follows from an || that holds: its first operand that does is one of them. */
static void assume_any(BideWalk *walk, BideScope *scope, const BideNode *node) {
  BideScope alternatives[MOST_ALTERNATIVES];
  BideScope before = *scope;
  uint32_t possible = 0;
  if (node->as.list.count > MOST_ALTERNATIVES)
    return;
  for (uint32_t i = 0; i < node->as.list.count && !before.is_impossible; i++) {
    const BideNode *operand = node->as.list.items[i];
    BideScope *one = &alternatives[possible];
    *one = before;
    if (bide_results_may_be(bide_walk_results(walk, operand, one), true)) {
      bide_scope_assume(walk, one, operand, true);
      possible += !one->is_impossible;
    }
    bide_scope_assume(walk, &before, operand, false);
  }
  if (possible == 0)
    scope->is_impossible = true;
  else if (possible == 1)
    *scope = alternatives[0];
  else
    join_alternatives(walk, scope, alternatives, possible);
}

static void assume_each(BideWalk *walk, BideScope *scope, const BideNode *node, bool truth) {
  for (uint32_t i = 0; i < node->as.list.count; i++)
    bide_scope_assume(walk, scope, node->as.list.items[i], truth);
}

static void assume_result(BideWalk *walk, BideScope *scope, const BideNode *node, bool truth) {
  if (node->kind == BIDE_NODE_CALL) {
    assume_accepted(walk, scope, node);
    if (truth && node->as.call.function->call == bide_function_contains)
      assume_contained(walk, scope, node);
  }
  assume_in(walk, scope, node,
            bide_results_select_truth(&walk->sets, bide_walk_results(walk, node, scope), truth));
}

void bide_scope_assume(BideWalk *walk, BideScope *scope, const BideNode *node, bool truth) {
  bool is_and = node->kind == BIDE_NODE_AND, raises = walk->raises;
  if (walk->analysis != NULL || scope->is_impossible || !bide_walk_enter(walk))
    return;
  if ((is_and && truth) || (node->kind == BIDE_NODE_OR && !truth))
    assume_each(walk, scope, node, truth);
  else if (node->kind == BIDE_NODE_OR)
    assume_any(walk, scope, node);
  else if (node->kind == BIDE_NODE_NOT)
    bide_scope_assume(walk, scope, node->as.pair.left, !truth);
  else if (node->kind == BIDE_NODE_COMPARE)
    assume_comparison(walk, scope, node, truth);
  else if (!is_and)
    assume_result(walk, scope, node, truth);
  walk->depth++;
  walk->raises = raises; /* what was asked here was evaluated before */
}
