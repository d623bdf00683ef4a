#include "jmespath/search.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "jmespath/function.h"
#include "json/members.h"

#define LOCAL_HINTS 32
#define LOCAL_STACK 64

/* ---- work, memory and failures ---- */

BideValue bide_search_fail(BideSearch *search, BideErrorCode code, const BideNode *node,
                           const char *format, ...) {
  va_list arguments;
  if (search->failed)
    return bide_value_null();
  search->failed = true;
  va_start(arguments, format);
  bide_expression_blame(search->expression, node, search->error, code, format, arguments);
  va_end(arguments);
  return bide_value_null();
}

bool bide_search_fail_work(BideSearch *search) {
  search->work = 0;
  bide_search_fail(search, BIDE_ERROR_LIMIT, NULL, "the search takes more than %llu steps",
                   (unsigned long long)BIDE_JMESPATH_WORK);
  return false;
}

void *bide_search_alloc(BideSearch *search, size_t size) {
  void *result;
  if (!bide_search_charge(search, size / sizeof(BideValue)))
    return NULL;
  if (size > search->room) {
    bide_search_fail(search, BIDE_ERROR_LIMIT, NULL, "the search takes more than %zu MiB",
                     BIDE_JMESPATH_BYTES >> 20);
    return NULL;
  }
  search->room -= size;
  result = bide_arena_alloc(search->scratch, size);
  if (result == NULL)
    bide_search_fail(search, BIDE_ERROR_MEMORY, NULL, "not enough memory for the search");
  return result;
}

bool bide_search_grow(BideSearch *search) {
  uint32_t capacity = search->capacity * 2;
  BideValue *stack = bide_search_alloc(search, capacity * sizeof *stack);
  if (stack == NULL)
    return false;
  memcpy(stack, search->stack, search->top * sizeof *stack);
  search->stack = stack;
  search->capacity = capacity;
  return true;
}

BideValue bide_search_pop_list(BideSearch *search, uint32_t base) {
  uint32_t count = search->top - base;
  uint16_t deepest = 0;
  BideValue *elements = NULL;
  search->top = base;
  if (count > 0) {
    elements = bide_search_alloc(search, count * sizeof *elements);
    if (elements == NULL)
      return bide_value_null();
    for (uint32_t i = 0; i < count; i++) {
      elements[i] = search->stack[base + i];
      deepest = elements[i].depth > deepest ? elements[i].depth : deepest;
    }
  }
  return bide_search_made(search, NULL, bide_value_array_above(elements, count, deepest));
}

BideValue bide_search_fail_depth(BideSearch *search, const BideNode *node) {
  return bide_search_fail(
    search, BIDE_ERROR_LIMIT, node,
    "the result is nested too deeply, beyond " BIDE_IN_TEXT(BIDE_DEPTH) " levels");
}

/* ---- fields and elements ---- */

const BideValue bide_search_nothing = {.type = BIDE_NULL, .length = 0, .as = {.integer = 0}};

/* Loads a length and the hash after it as one word; members and fields store both in this order. */
static inline uint64_t length_and_hash(const uint32_t *length) {
  return bide_load_word((const char *)length);
}

/* Compares names, which are short, without a call. */
static inline bool is_name(const char *a, const char *b, uint32_t length) {
  if (length < 8)
    return bide_bytes_equal(a, b, length);
  for (uint32_t i = 0; i + 8 < length; i += 8)
    if (bide_load_word(a + i) != bide_load_word(b + i))
      return false;
  return bide_load_word(a + length - 8) == bide_load_word(b + length - 8);
}

const BideValue *bide_search_find(const BideNode *node, const BideValue *object, BideHint *hint) {
  const BideMember *members = object->as.members;
  uint64_t key = length_and_hash(&node->as.field.length);
  uint32_t count = object->length;
  for (uint32_t i = 0; i < count; i++) {
    if (length_and_hash(&members[i].name_length) != key ||
        !is_name(members[i].name, node->as.field.name, node->as.field.length))
      continue;
    hint->name = members[i].name;
    hint->position = i;
    return &members[i].value;
  }
  return &bide_search_nothing;
}

static BideValue element(const BideValue *array, int64_t index) {
  if (array->type != BIDE_ARRAY)
    return bide_value_null();
  if (index < 0)
    index += array->length;
  if (index < 0 || index >= array->length)
    return bide_value_null();
  return array->as.elements[index];
}

/* ---- operators ---- */

static inline BideValue truth(BideType type) {
  return (BideValue){.type = (uint16_t)type, .length = 0, .as = {.integer = 0}};
}

/* Returns the first operand that decides, or else the last. */
static BideValue evaluate_logical(BideSearch *search, const BideNode *node,
                                  const BideValue *current) {
  bool stops_at_false = node->kind == BIDE_NODE_AND;
  BideValue room;
  const BideValue *value = &bide_search_nothing;
  for (uint32_t i = 0; i < node->as.list.count && !search->failed; i++) {
    value = bide_search_by_reference(search, node->as.list.items[i], current, &room);
    if (bide_jmespath_is_false(value) == stops_at_false)
      break;
  }
  return *value;
}

bool bide_search_equal_deeply(BideSearch *search, const BideValue *a, const BideValue *b) {
  bool result = bide_value_equal_within(a, b, &search->work);
  if (search->work == 0)
    bide_search_fail_work(search);
  return result;
}

/* Reports whether an operator holds for an order: less than, equal to or more than 0. */
static inline bool order_holds(BideOperator comparison, int order) {
  enum { BELOW = 1, EQUAL = 2, ABOVE = 4 };
  static const uint8_t holds[] = {
    [BIDE_OPERATOR_EQUAL] = EQUAL,   [BIDE_OPERATOR_NOT_EQUAL] = BELOW | ABOVE,
    [BIDE_OPERATOR_LESS] = BELOW,    [BIDE_OPERATOR_LESS_EQUAL] = BELOW | EQUAL,
    [BIDE_OPERATOR_GREATER] = ABOVE, [BIDE_OPERATOR_GREATER_EQUAL] = ABOVE | EQUAL};
  return (holds[comparison] >> (order + 1) & 1) != 0;
}

static inline bool is_equality(const BideNode *node) {
  return node->variant <= BIDE_OPERATOR_NOT_EQUAL;
}

/* Evaluates a == b and a != b. */
static inline bool equality_holds(BideSearch *search, const BideNode *node,
                                  const BideValue *current) {
  BideValue left_room, right_room;
  const BideValue *left = bide_search_by_reference(search, node->as.pair.left, current, &left_room);
  const BideValue *right = bide_search_by_reference(search, node->as.pair.right, current,
                                                    &right_room);
  return bide_search_equal(search, left, right) == (node->variant == BIDE_OPERATOR_EQUAL);
}

/* Compares two values of which one is not an integer. */
static BideType order_others(BideOperator comparison, const BideValue *left,
                             const BideValue *right) {
  if (!bide_value_is_number(left) || !bide_value_is_number(right))
    return BIDE_NULL;
  return order_holds(comparison, bide_value_compare_numbers(left, right)) ? BIDE_TRUE : BIDE_FALSE;
}

/* Evaluates <, <=, > and >=: BIDE_TRUE, BIDE_FALSE, or BIDE_NULL if one is not a number. */
static inline BideType order(BideSearch *search, const BideNode *node, const BideValue *current) {
  BideValue left_room, right_room;
  const BideValue *left = bide_search_by_reference(search, node->as.pair.left, current, &left_room);
  const BideValue *right = bide_search_by_reference(search, node->as.pair.right, current,
                                                    &right_room);
  int64_t a = left->as.integer, b = right->as.integer;
  if (left->type != BIDE_INTEGER || right->type != BIDE_INTEGER)
    return order_others((BideOperator)node->variant, left, right);
  return order_holds((BideOperator)node->variant, (a > b) - (a < b)) ? BIDE_TRUE : BIDE_FALSE;
}

static bool all_hold(BideSearch *search, const BideNode *node, const BideValue *current) {
  for (uint32_t i = 0; i < node->as.list.count; i++)
    if (!bide_search_holds(search, node->as.list.items[i], current))
      return false;
  return true;
}

static bool any_holds(BideSearch *search, const BideNode *node, const BideValue *current) {
  for (uint32_t i = 0; i < node->as.list.count; i++)
    if (bide_search_holds(search, node->as.list.items[i], current))
      return true;
  return false;
}

bool bide_search_holds(BideSearch *search, const BideNode *node, const BideValue *current) {
  BideNodeKind kind = (BideNodeKind)node->kind;
  BideValue room;
  if (node->is_field_and_text)
    return bide_search_text_holds(search, node, current);
  if (kind == BIDE_NODE_COMPARE)
    return is_equality(node) ? equality_holds(search, node, current)
                             : order(search, node, current) == BIDE_TRUE;
  if (kind == BIDE_NODE_NOT)
    return !bide_search_holds(search, node->as.pair.left, current);
  if (kind == BIDE_NODE_AND)
    return all_hold(search, node, current);
  if (kind == BIDE_NODE_OR)
    return any_holds(search, node, current);
  return !bide_jmespath_is_false(bide_search_by_reference(search, node, current, &room));
}

/* ---- multi-select ---- */

static BideValue evaluate_list(BideSearch *search, const BideNode *node, const BideValue *current) {
  uint32_t count = node->as.list.count;
  BideValue *elements;
  if (current->type == BIDE_NULL)
    return *current;
  elements = bide_search_alloc(search, count * sizeof *elements);
  if (elements == NULL)
    return bide_value_null();
  for (uint32_t i = 0; i < count; i++)
    elements[i] = bide_search_evaluate(search, node->as.list.items[i], current);
  return bide_search_made(search, node, bide_value_array(elements, count));
}

static BideValue evaluate_hash(BideSearch *search, const BideNode *node, const BideValue *current) {
  size_t count = node->as.list.count;
  BideMember *members;
  if (current->type == BIDE_NULL)
    return *current;
  members = bide_search_alloc(search, count * sizeof *members);
  if (members == NULL)
    return bide_value_null();
  memcpy(members, node->as.list.names, count * sizeof *members);
  for (size_t i = 0; i < count; i++)
    members[i].value = bide_search_evaluate(search, node->as.list.items[i], current);
  if (node->variant == BIDE_HASH_REPEATS && !bide_members_unique(members, &count))
    return bide_search_fail(search, BIDE_ERROR_MEMORY, node, "not enough memory for the search");
  return bide_search_made(search, node, bide_value_object(members, count));
}

/* ---- chains ---- */

/*
** Evaluates the steps from left to right. If there is a sink and the last steps project, they feed
** it, and `*fed` reports whether it got a list.
*/
static BideValue run_steps(BideSearch *search, const BideNode *const *steps, uint32_t count,
                           const BideValue *current, BideSink *sink, bool *fed) {
  BideValue room;
  for (uint32_t i = 0; i < count && !search->failed; i++) {
    uint32_t row;
    if (steps[i]->kind != BIDE_NODE_PROJECT) {
      current = bide_search_by_reference(search, steps[i], current, &room);
      continue;
    }
    row = bide_search_row(steps + i, count - i);
    if (sink != NULL && i + row == count) {
      *fed = bide_search_feed_row(search, steps + i, row, current, sink);
      return bide_value_null();
    }
    room = bide_search_project(search, steps + i, row, current);
    current = &room;
    i += row - 1;
  }
  return *current;
}

/* ---- nodes ---- */

static BideValue evaluate_current(BideSearch *search, const BideNode *node,
                                  const BideValue *current) {
  (void)search;
  (void)node;
  return *current;
}

static BideValue evaluate_literal(BideSearch *search, const BideNode *node,
                                  const BideValue *current) {
  (void)search;
  (void)current;
  return node->as.literal;
}

static BideValue evaluate_field(BideSearch *search, const BideNode *node,
                                const BideValue *current) {
  return *bide_search_field(search, node, current);
}

static BideValue evaluate_index(BideSearch *search, const BideNode *node,
                                const BideValue *current) {
  (void)search;
  return element(current, node->as.index);
}

static BideValue evaluate_chain(BideSearch *search, const BideNode *node,
                                const BideValue *current) {
  const BideNode *const *steps = bide_node_items(node);
  uint32_t count = node->as.list.count;
  if (!node->is_field_and_row)
    return run_steps(search, steps, count, current, NULL, NULL);
  return bide_search_project(search, steps + 1, count - 1,
                             bide_search_field(search, steps[0], current));
}

static BideValue evaluate_projection(BideSearch *search, const BideNode *node,
                                     const BideValue *current) {
  return bide_search_project(search, &node, 1, current);
}

/* Returns null: only the function that is passed a reference evaluates its expression. */
static BideValue evaluate_reference(BideSearch *search, const BideNode *node,
                                    const BideValue *current) {
  (void)search;
  (void)node;
  (void)current;
  return bide_value_null();
}

static BideValue evaluate_not(BideSearch *search, const BideNode *node, const BideValue *current) {
  return truth(bide_search_holds(search, node->as.pair.left, current) ? BIDE_FALSE : BIDE_TRUE);
}

static BideValue evaluate_equality(BideSearch *search, const BideNode *node,
                                   const BideValue *current) {
  return truth(equality_holds(search, node, current) ? BIDE_TRUE : BIDE_FALSE);
}

static BideValue evaluate_order(BideSearch *search, const BideNode *node,
                                const BideValue *current) {
  return truth(order(search, node, current));
}

BideEvaluator *bide_search_evaluator(const BideNode *node) {
  switch ((BideNodeKind)node->kind) {
    case BIDE_NODE_CURRENT: return evaluate_current;
    case BIDE_NODE_LITERAL: return evaluate_literal;
    case BIDE_NODE_FIELD: return evaluate_field;
    case BIDE_NODE_INDEX: return evaluate_index;
    case BIDE_NODE_CHAIN: return evaluate_chain;
    case BIDE_NODE_PROJECT: return evaluate_projection;
    case BIDE_NODE_LIST: return evaluate_list;
    case BIDE_NODE_HASH: return evaluate_hash;
    case BIDE_NODE_CALL: return bide_function_evaluator(node);
    case BIDE_NODE_REFERENCE: return evaluate_reference;
    case BIDE_NODE_OR:
    case BIDE_NODE_AND: return evaluate_logical;
    case BIDE_NODE_NOT: return evaluate_not;
    case BIDE_NODE_COMPARE: return is_equality(node) ? evaluate_equality : evaluate_order;
  }
  return NULL;
}

bool bide_search_feed_other(BideSearch *search, const BideNode *node, const BideValue *current,
                            BideSink *sink, BideValue *value) {
  const BideNode *const *steps = node->kind == BIDE_NODE_CHAIN ? bide_node_items(node) : &node;
  uint32_t count = node->kind == BIDE_NODE_CHAIN ? node->as.list.count : 1;
  bool fed = false;
  *value = run_steps(search, steps, count, current, sink, &fed);
  return fed;
}

/* ---- searches ---- */

/* Subtracts the size of a written-out value from `room`. Returns false once that is used up. */
static bool fits(const BideValue *value, uint64_t *room) {
  uint64_t size = 1 + (value->type == BIDE_STRING ? value->length / 16 : 0);
  if (size > *room)
    return false;
  *room -= size;
  if (value->type < BIDE_ARRAY)
    return true;
  for (uint32_t i = 0; i < value->length; i++)
    if (!fits(value->type == BIDE_ARRAY ? &value->as.elements[i] : &value->as.members[i].value,
              room))
      return false;
  return true;
}

static void check_size(BideSearch *search, const BideValue *result) {
  uint64_t room = BIDE_JMESPATH_RESULT;
  if (!fits(result, &room))
    bide_search_fail(search, BIDE_ERROR_LIMIT, NULL, "the result holds more than %llu values",
                     (unsigned long long)BIDE_JMESPATH_RESULT);
}

bool bide_jmespath_search(const BideExpression *expression, const BideValue *input,
                          const BideAnswer *answer, BideArena *scratch, BideValue *result,
                          BideError *error, uint64_t *steps) {
  BideHint hints[LOCAL_HINTS];
  BideValue stack[LOCAL_STACK];
  BideSearch search = {.expression = expression,
                       .answer = answer,
                       .scratch = scratch,
                       .error = error,
                       .hints = hints,
                       .stack = stack,
                       .capacity = LOCAL_STACK,
                       .work = BIDE_JMESPATH_WORK,
                       .room = BIDE_JMESPATH_BYTES};

  if (steps != NULL)
    *steps = 0;
  if (expression->hints > LOCAL_HINTS) {
    search.hints = bide_search_alloc(&search, expression->hints * sizeof *hints);
    if (search.hints == NULL)
      return false;
  }
  for (uint32_t i = 0; i < expression->hints; i++)
    search.hints[i] = (BideHint){.name = NULL};
  *result = bide_search_evaluate(&search, expression->root, input);
  if (expression->copies > BIDE_JMESPATH_COPIES && !search.failed)
    check_size(&search, result);
  if (steps != NULL)
    *steps = BIDE_JMESPATH_WORK - search.work;
  return !search.failed;
}
