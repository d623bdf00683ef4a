#include "jmespath/search.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "jmespath/function.h"
#include "json/members.h"

#define LOCAL_HINTS 32
#define LOCAL_STACK 64

/* ---- the search's means ---- */

BideValue bide_search_fail(BideSearch *search, BideErrorCode code, const BideNode *node,
                           const char *format, ...) {
  char message[BIDE_ERROR_TEXT];
  va_list arguments;
  if (search->failed)
    return bide_value_null();
  search->failed = true;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  bide_error_set(search->error, code, "%s", message);
  bide_error_locate(search->error, search->expression->text, search->expression->length,
                    node == NULL ? 0 : node->offset);
  return bide_value_null();
}

bool bide_search_charge(BideSearch *search, uint64_t units) {
  if (units <= search->work) {
    search->work -= units;
    return true;
  }
  search->work = 0;
  bide_search_fail(search, BIDE_ERROR_LIMIT, NULL,
                   "the search takes more than %llu steps", (unsigned long long)BIDE_JMESPATH_WORK);
  return false;
}

void *bide_search_alloc(BideSearch *search, size_t size) {
  void *result;
  if (!bide_search_charge(search, size / sizeof(BideValue)))
    return NULL;
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
  BideValue *elements = NULL;
  search->top = base;
  if (count > 0) {
    elements = bide_search_alloc(search, count * sizeof *elements);
    if (elements == NULL)
      return bide_value_null();
    memcpy(elements, search->stack + base, count * sizeof *elements);
  }
  return bide_value_array(elements, count);
}

/* ---- fields and elements ---- */

/* The hint was of no use; leaves a better one. */
static BideValue find_field(const BideNode *node, BideValue object, BideHint *hint) {
  const BideMember *members = object.as.members;
  const BideMember *found = bide_object_find(members, object.length, node->as.field.name,
                                             node->as.field.length, node->as.field.hash);
  if (found == NULL)
    return bide_value_null();
  hint->name = found->name;
  hint->position = (uint32_t)(found - members);
  return found->value;
}

static inline BideValue field(BideSearch *search, const BideNode *node, BideValue current) {
  BideHint *hint = &search->hints[node->as.field.hint];
  if (current.type != BIDE_OBJECT)
    return bide_value_null();
  if (hint->position < current.length &&
      current.as.members[hint->position].name == hint->name)
    return current.as.members[hint->position].value;
  return find_field(node, current, hint);
}

static BideValue element(BideValue array, int64_t index) {
  if (array.type != BIDE_ARRAY)
    return bide_value_null();
  if (index < 0)
    index += array.length;
  if (index < 0 || index >= array.length)
    return bide_value_null();
  return array.as.elements[index];
}

/* ---- operators ---- */

static BideValue evaluate_or(BideSearch *search, const BideNode *node, BideValue current) {
  BideValue value = bide_value_null();
  for (uint32_t i = 0; i < node->as.list.count && !search->failed; i++) {
    value = bide_search_evaluate(search, node->as.list.items[i], current);
    if (!bide_value_is_false(value))
      break;
  }
  return value;
}

static BideValue evaluate_and(BideSearch *search, const BideNode *node, BideValue current) {
  BideValue value = bide_value_null();
  for (uint32_t i = 0; i < node->as.list.count && !search->failed; i++) {
    value = bide_search_evaluate(search, node->as.list.items[i], current);
    if (bide_value_is_false(value))
      break;
  }
  return value;
}

static bool equal(BideSearch *search, BideValue left, BideValue right) {
  bool result = bide_value_equal_within(&left, &right, &search->work);
  if (search->work == 0)
    bide_search_charge(search, 1);
  return result;
}

static bool order_holds(BideComparator comparator, int order) {
  switch (comparator) {
    case BIDE_COMPARE_EQUAL: return order == 0;
    case BIDE_COMPARE_NOT_EQUAL: return order != 0;
    case BIDE_COMPARE_LESS: return order < 0;
    case BIDE_COMPARE_LESS_EQUAL: return order <= 0;
    case BIDE_COMPARE_GREATER: return order > 0;
    case BIDE_COMPARE_GREATER_EQUAL: return order >= 0;
  }
  return false;
}

static BideValue evaluate_comparison(BideSearch *search, const BideNode *node, BideValue current) {
  BideValue left = bide_search_evaluate(search, node->as.pair.left, current);
  BideValue right = bide_search_evaluate(search, node->as.pair.right, current);
  BideComparator comparator = (BideComparator)node->variant;
  if (search->failed)
    return bide_value_null();
  if (comparator == BIDE_COMPARE_EQUAL)
    return bide_value_boolean(equal(search, left, right));
  if (comparator == BIDE_COMPARE_NOT_EQUAL)
    return bide_value_boolean(!equal(search, left, right));
  if (!bide_value_is_number(&left) || !bide_value_is_number(&right))
    return bide_value_null();
  return bide_value_boolean(order_holds(comparator, bide_value_compare_numbers(&left, &right)));
}

/* ---- multi-select ---- */

static BideValue evaluate_list(BideSearch *search, const BideNode *node, BideValue current) {
  uint32_t count = node->as.list.count;
  BideValue *elements;
  if (current.type == BIDE_NULL)
    return current;
  elements = bide_search_alloc(search, count * sizeof *elements);
  if (elements == NULL)
    return bide_value_null();
  for (uint32_t i = 0; i < count; i++)
    elements[i] = bide_search_evaluate(search, node->as.list.items[i], current);
  return bide_value_array(elements, count);
}

static BideValue evaluate_hash(BideSearch *search, const BideNode *node, BideValue current) {
  size_t count = node->as.list.count;
  BideMember *members;
  if (current.type == BIDE_NULL)
    return current;
  members = bide_search_alloc(search, count * sizeof *members);
  if (members == NULL)
    return bide_value_null();
  memcpy(members, node->as.list.names, count * sizeof *members);
  for (size_t i = 0; i < count; i++)
    members[i].value = bide_search_evaluate(search, node->as.list.items[i], current);
  if (node->variant == BIDE_HASH_REPEATS && !bide_members_unique(members, &count))
    return bide_search_fail(search, BIDE_ERROR_MEMORY, node, "not enough memory for the search");
  return bide_value_object(members, count);
}

/* ---- chains ---- */

/*
** Evaluates the steps, from left to right. Where there is a sink and the last of
** them project, these feed it, and `*fed` becomes whether it got a list.
*/
static BideValue run_steps(BideSearch *search, BideNode *const *steps, uint32_t count,
                           BideValue current, BideSink *sink, bool *fed) {
  for (uint32_t i = 0; i < count && !search->failed; i++) {
    uint32_t row;
    if (steps[i]->kind == BIDE_NODE_FIELD) {
      current = field(search, steps[i], current);
      continue;
    }
    if (steps[i]->kind != BIDE_NODE_PROJECT) {
      current = bide_search_evaluate(search, steps[i], current);
      continue;
    }
    row = bide_search_row(steps + i, count - i);
    if (sink != NULL && i + row == count) {
      *fed = bide_search_feed_row(search, steps + i, row, current, sink);
      return bide_value_null();
    }
    current = bide_search_project(search, steps + i, row, current);
    i += row - 1;
  }
  return current;
}

BideValue bide_search_evaluate(BideSearch *search, const BideNode *node, BideValue current) {
  switch ((BideNodeKind)node->kind) {
    case BIDE_NODE_CURRENT: return current;
    case BIDE_NODE_LITERAL: return node->as.literal;
    case BIDE_NODE_FIELD: return field(search, node, current);
    case BIDE_NODE_INDEX: return element(current, node->as.index);
    case BIDE_NODE_CHAIN: 
      return run_steps(search, node->as.list.items, node->as.list.count, current, NULL, NULL);
    case BIDE_NODE_PROJECT: {
      BideNode *step = (BideNode *)(uintptr_t)node;
      return bide_search_project(search, &step, 1, current);
    }
    case BIDE_NODE_LIST: return evaluate_list(search, node, current);
    case BIDE_NODE_HASH: return evaluate_hash(search, node, current);
    case BIDE_NODE_CALL: return bide_function_call(search, node, current);
    case BIDE_NODE_REFERENCE: return bide_value_null();
    case BIDE_NODE_OR: return evaluate_or(search, node, current);
    case BIDE_NODE_AND: return evaluate_and(search, node, current);
    case BIDE_NODE_NOT:
      return bide_value_boolean(
        bide_value_is_false(bide_search_evaluate(search, node->as.pair.left, current)));
    case BIDE_NODE_COMPARE: return evaluate_comparison(search, node, current);
  }
  return bide_value_null();
}

bool bide_search_feed(BideSearch *search, const BideNode *node, BideValue current,
                      BideSink *sink, BideValue *value) {
  BideNode *single = (BideNode *)(uintptr_t)node;
  bool fed = false;
  if (node->kind == BIDE_NODE_CHAIN)
    *value = run_steps(search, node->as.list.items, node->as.list.count, current, sink, &fed);
  else
    *value = run_steps(search, &single, 1, current, sink, &fed);
  return fed;
}

/* ---- the whole ---- */

bool bide_jmespath_search(const BideExpression *expression, const BideValue *input,
                          BideArena *scratch, BideValue *result, BideError *error) {
  BideHint hints[LOCAL_HINTS];
  BideValue stack[LOCAL_STACK];
  BideSearch search = {.expression = expression,
                       .scratch = scratch,
                       .error = error,
                       .hints = hints,
                       .stack = stack,
                       .capacity = LOCAL_STACK,
                       .work = BIDE_JMESPATH_WORK};
  size_t hints_size = expression->hints * sizeof *hints;
  if (expression->hints > LOCAL_HINTS) {
    search.hints = bide_search_alloc(&search, hints_size);
    if (search.hints == NULL)
      return false;
  }
  memset(search.hints, 0, hints_size);
  *result = bide_search_evaluate(&search, expression->root, *input);
  return !search.failed;
}
