#include "jmespath/absence.h"

#include <string.h>

#include "base/text.h"
#include "jmespath/asking.h"
#include "jmespath/function.h"
#include "jmespath/search.h"
#include "jmespath/tree.h"

static bool is_among(const BideNode *node, const void *argument) {
  const uint64_t *missing = argument;
  return bide_asking_is_node(node) && (bide_asking_bit(node) & *missing) != 0;
}

/*
** Returns the node if an absent member may be more than null in its value: an empty list, 0 or
** false. type(), to_string() and not_null() say themselves what becomes of null.
*/
static bool hides_absence(const BideNode *node, const void *argument) {
  bool hides = node->kind == BIDE_NODE_PROJECT || node->kind == BIDE_NODE_NOT ||
               node->kind == BIDE_NODE_COMPARE;
  (void)argument;
  if (node->kind == BIDE_NODE_CALL && !bide_asking_is_call(node)) {
    BideValue (*call)(const BideCall *) = node->as.call.function->call;
    hides = call != bide_function_type && call != bide_function_to_string &&
            call != bide_function_not_null;
  }
  return hides;
}

/* Reports whether a value is what absence may be in the value of such a node. */
static bool is_nothing(const BideValue *value) {
  switch ((BideType)value->type) {
    case BIDE_FALSE: return true;
    case BIDE_INTEGER: return value->as.integer == 0;
    case BIDE_DOUBLE: return !(value->as.number < 0 || value->as.number > 0);
    case BIDE_STRING:
    case BIDE_ARRAY:
    case BIDE_OBJECT: return value->length == 0;
    case BIDE_NULL:
    case BIDE_TRUE:
    case BIDE_UNSIGNED: return false;
  }
  return false;
}

/* Reports whether a value is nothing, or holds nothing else: [[]], {"n": null}. */
static bool is_made_of_nothing(const BideValue *value) {
  if (value->type == BIDE_ARRAY)
    for (uint32_t i = 0; i < value->length; i++)
      if (!is_made_of_nothing(&value->as.elements[i]))
        return false;
  if (value->type == BIDE_OBJECT)
    for (uint32_t i = 0; i < value->length; i++)
      if (!is_made_of_nothing(&value->as.members[i].value))
        return false;
  return value->type == BIDE_NULL || value->type == BIDE_ARRAY || value->type == BIDE_OBJECT ||
         is_nothing(value);
}

static bool is_call_of(const BideNode *node, BideValue (*function)(const BideCall *)) {
  return node->kind == BIDE_NODE_CALL && node->as.call.function->call == function;
}

static bool makes_text(const BideNode *node, const void *argument) {
  (void)argument;
  return is_call_of(node, bide_function_to_string);
}

/* Reports whether a literal is what to_string() makes of nothing. */
static bool is_text_of_nothing(const BideValue *value) {
  static const char *const texts[] = {"false", "0", "[]", "{}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (value->type == BIDE_STRING && bide_is_word(value->as.string, value->length, texts[i]))
      return true;
  return false;
}

/* Reports whether a node is a literal that the other node may equal since it is nothing. */
static bool is_literal_nothing(const BideNode *node, const BideNode *other) {
  return node->kind == BIDE_NODE_LITERAL && node->as.literal.type != BIDE_NULL &&
         (is_made_of_nothing(&node->as.literal) ||
          (is_text_of_nothing(&node->as.literal) &&
           bide_node_find(other, makes_text, NULL) != NULL));
}

/*
** Reports whether a comparison is true of what is nothing, or of what is less. `is_hidden` says
** that the current value may be nothing since a member is absent.
*/
static bool is_of_nothing(const BideNode *node, bool is_hidden) {
  const BideNode *left = node->as.pair.left, *right = node->as.pair.right;
  bool left_hides = is_hidden || bide_node_find(left, hides_absence, NULL) != NULL;
  bool right_hides = is_hidden || bide_node_find(right, hides_absence, NULL) != NULL;
  switch ((BideOperator)node->variant) {
    case BIDE_OPERATOR_EQUAL:
      return (left_hides && is_literal_nothing(right, left)) ||
             (right_hides && is_literal_nothing(left, right));
    case BIDE_OPERATOR_LESS:
    case BIDE_OPERATOR_LESS_EQUAL: return left_hides && left->kind != BIDE_NODE_LITERAL;
    case BIDE_OPERATOR_GREATER:
    case BIDE_OPERATOR_GREATER_EQUAL: return right_hides && right->kind != BIDE_NODE_LITERAL;
    case BIDE_OPERATOR_NOT_EQUAL: return false;
  }
  return false;
}

/*
** Reports whether a call may be true of nothing: to_array(), since [null] is not empty; contains()
** and the like, if they look for nothing in a list, or for an empty text in another text.
*/
static bool calls_with_nothing(const BideNode *node, bool is_hidden) {
  BideValue (*call)(const BideCall *) = node->as.call.function->call;
  BideNode *const *arguments = node->as.call.arguments;
  if (call == bide_function_to_array)
    return true;
  if (call != bide_function_contains && call != bide_function_starts_with &&
      call != bide_function_ends_with)
    return false;
  if (is_literal_nothing(arguments[1], arguments[0]))
    return is_hidden || bide_node_find(arguments[0], hides_absence, NULL) != NULL;
  return arguments[1]->kind != BIDE_NODE_LITERAL &&
         (is_hidden || bide_node_find(arguments[1], hides_absence, NULL) != NULL);
}

/* Reports whether an absent member can make the node true. */
static bool rests_on_absence(const BideNode *node, bool is_hidden) {
  if (node->kind == BIDE_NODE_NOT)
    return true;
  if (node->kind == BIDE_NODE_CALL)
    return calls_with_nothing(node, is_hidden);
  if (node->kind != BIDE_NODE_COMPARE)
    return false;
  return node->variant == BIDE_OPERATOR_NOT_EQUAL ||
         (node->variant == BIDE_OPERATOR_EQUAL && node->as.pair.left->kind != BIDE_NODE_LITERAL &&
          node->as.pair.right->kind != BIDE_NODE_LITERAL) ||
         is_of_nothing(node, is_hidden);
}

/* What is denied: comparisons with these members, and with what the answer has no part for. */
typedef struct Denied {
  uint64_t missing;
  const BideAnswer *answer;
} Denied;

/* Returns the call if the answer lacks what it asks of: then null says nothing of a header. */
static bool lacks_part(const BideNode *node, const void *argument) {
  const Denied *denied = argument;
  const BideAnswer *answer = denied->answer;
  bool has_part;
  if (!bide_asking_is_call(node))
    return false;
  if (node->as.call.function->call == bide_function_header)
    has_part = answer != NULL && answer->headers != NULL;
  else
    has_part = bide_asking_has(answer, node);
  return !has_part;
}

/* Reports whether a node is a comparison that is true of null. */
static bool is_of_null(const BideNode *node) {
  const BideNode *left = node->as.pair.left, *right = node->as.pair.right;
  return node->kind == BIDE_NODE_COMPARE && node->variant == BIDE_OPERATOR_EQUAL &&
         ((left->kind == BIDE_NODE_LITERAL && left->as.literal.type == BIDE_NULL) ||
          (right->kind == BIDE_NODE_LITERAL && right->as.literal.type == BIDE_NULL));
}

/* Changes a node of a copy; those below it are changed after it, as they are then. */
typedef void Change(BideNode *node, const void *argument);

static void change_all(BideNode *node, Change *change, const void *argument) {
  BideNode *child;
  change(node, argument);
  for (uint32_t i = 0; (child = bide_node_child(node, i)) != NULL; i++)
    change_all(child, change, argument);
}

static void make_literal(BideNode *node, BideValue value) {
  node->kind = BIDE_NODE_LITERAL;
  node->is_field_and_text = false;
  node->can_raise = false;
  node->as.literal = value;
  node->evaluate = bide_search_evaluator(node);
}

/* Makes what may rest on absence no yes, for good: false, or an empty list in the place of one. */
static void make_nothing(BideNode *node) {
  bool is_list = is_call_of(node, bide_function_to_array);
  make_literal(node, is_list ? (BideValue){.type = BIDE_ARRAY} : bide_value_boolean(false));
}

/*
** Makes the defaults of a choice null, which no answer has given: the constants that follow what
** may be absent in `a || 'x'` and not_null(a, 'x').
*/
static void drop_defaults(BideNode *node, BideNodeTest *is_absent, const void *argument) {
  BideNode *child;
  bool may_lack = false;
  if (node->kind != BIDE_NODE_OR && !is_call_of(node, bide_function_not_null))
    return;
  for (uint32_t i = 0; (child = bide_node_child(node, i)) != NULL; i++)
    if (may_lack && !bide_node_reads_input(child) && bide_function_all_of_language(child))
      make_literal(child, bide_value_null());
    else
      may_lack = may_lack || bide_node_find(child, is_absent, argument) != NULL;
}

/* Evaluates a node that makes a list or an object; null if that has nothing but nothing in it. */
static BideValue evaluate_made(BideSearch *search, const BideNode *node, const BideValue *current) {
  BideValue made = bide_search_evaluator(node)(search, node, current);
  return made.length > 0 && is_made_of_nothing(&made) ? bide_value_null() : made;
}

/* Lets [a] and {x: a} be null, and map(&a, list), if each item may be absent, and is. */
static void empty_made(BideNode *node, BideNodeTest *is_absent, const void *argument) {
  bool is_map = is_call_of(node, bide_function_map);
  const BideNode *child;
  if (node->kind != BIDE_NODE_LIST && node->kind != BIDE_NODE_HASH && !is_map)
    return;
  for (uint32_t i = 0; (child = bide_node_child(node, i)) != NULL && !(is_map && i > 0); i++)
    if (bide_node_find(child, is_absent, argument) == NULL)
      return;
  node->evaluate = evaluate_made;
}

static bool reads_current(const BideNode *node, const void *argument) {
  (void)argument;
  return bide_node_reads_input(node);
}

static void deny(BideNode *node, const void *argument) {
  const bool *is_hidden = argument;
  if (rests_on_absence(node, *is_hidden)) {
    make_nothing(node);
    return;
  }
  drop_defaults(node, reads_current, NULL);
  empty_made(node, reads_current, NULL);
}

static void deny_null(BideNode *node, const void *argument) {
  (void)argument;
  if (is_of_null(node))
    make_nothing(node);
}

/* Denies what compares a missing member, by its name or by what a chain has led to. */
static void deny_missing(BideNode *node, const void *argument) {
  const Denied *denied = argument;
  bool is_missing = false, is_hidden = false, lacks = false;
  if ((rests_on_absence(node, false) && bide_node_find(node, is_among, &denied->missing) != NULL) ||
      (is_of_null(node) && bide_node_find(node, lacks_part, denied) != NULL)) {
    make_nothing(node);
    return;
  }
  drop_defaults(node, is_among, &denied->missing);
  empty_made(node, is_among, &denied->missing);
  for (uint32_t i = 0; node->kind == BIDE_NODE_CHAIN && i < node->as.list.count; i++) {
    BideNode *step = node->as.list.items[i];
    if (is_missing)
      change_all(step, deny, &is_hidden);
    if (lacks)
      change_all(step, deny_null, NULL);
    lacks = lacks || bide_node_find(step, lacks_part, denied) != NULL;
    is_missing = is_missing || bide_node_find(step, is_among, &denied->missing) != NULL;
    is_hidden = is_hidden || (is_missing && bide_node_find(step, hides_absence, NULL) != NULL);
  }
}

bool bide_absence_empties(const BideExpression *expression, uint64_t missing,
                          const BideValue *value) {
  return is_nothing(value) && bide_node_find(expression->root, is_among, &missing) != NULL &&
         bide_node_find(expression->root, hides_absence, NULL) != NULL;
}

/* Chooses the way through each projection again, since it depends on the kind of the condition. */
static void choose_walker(BideNode *node, const void *argument) {
  (void)argument;
  if (node->kind == BIDE_NODE_PROJECT)
    node->as.project.walk = bide_search_walker(node);
}

bool bide_absence_search(const BideExpression *expression, uint64_t missing, const BideValue *input,
                         const BideAnswer *answer, BideArena *scratch, BideValue *result,
                         BideError *error) {
  const BideExpression *copy = bide_jmespath_compile(scratch, expression->functions,
                                                     expression->text, expression->length, error);
  Denied denied = {missing, answer};
  if (copy == NULL)
    return false;
  change_all(copy->root, deny_missing, &denied);
  change_all(copy->root, choose_walker, NULL);
  return bide_jmespath_search(copy, input, answer, scratch, result, error, NULL);
}
