/*
** Functions that order values: numbers by value, strings by code point, which is the order of their
** bytes in UTF-8.
*/
#include <string.h>

#include "jmespath/function.h"

static int order_of_strings(const BideValue *a, const BideValue *b) {
  uint32_t common = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->as.string, b->as.string, common);
  return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* Compares two numbers or two strings. */
static int order_of(const BideValue *a, const BideValue *b) {
  return a->type == BIDE_STRING ? order_of_strings(a, b) : bide_value_compare_numbers(a, b);
}

/* Returns the position of the first largest key, if `sign` is 1, or smallest, if it is -1. */
static uint32_t extreme(const BideValue *keys, uint32_t count, int sign) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < count; i++)
    if (order_of(&keys[i], &keys[best]) * sign > 0)
      best = i;
  return best;
}

static BideValue extreme_of(const BideCall *call, int sign) {
  BideValue list = call->arguments[0];
  if (list.length == 0)
    return bide_value_null();
  return list.as.elements[extreme(list.as.elements, list.length, sign)];
}

BideValue bide_function_max(const BideCall *call) {
  return extreme_of(call, 1);
}

BideValue bide_function_min(const BideCall *call) {
  return extreme_of(call, -1);
}

/* ---- by an expression ---- */

static BideValue fail_key(const BideCall *call, uint32_t position, const BideValue *key,
                          const char *wanted) {
  return bide_search_fail(call->search, BIDE_ERROR_TYPE, call->node->as.call.arguments[1],
                          "%s() must order by %s, but its expression gives %s for element %u",
                          call->node->as.call.function->name, wanted, bide_value_type_name(key),
                          position);
}

static bool is_orderable(const BideValue *key) {
  return key->type == BIDE_STRING || bide_value_is_number(key);
}

static bool same_type(const BideValue *a, const BideValue *b) {
  return (a->type == BIDE_STRING) == (b->type == BIDE_STRING);
}

/* Evaluates the keys of all elements: all numbers or all strings. NULL after a failure. */
static BideValue *make_keys(const BideCall *call) {
  BideValue list = call->arguments[0];
  BideValue *keys = bide_search_alloc(call->search, list.length * sizeof *keys);
  if (keys == NULL)
    return NULL;
  for (uint32_t i = 0; i < list.length && !call->search->failed; i++) {
    keys[i] = bide_function_apply(call, 1, list.as.elements[i]);
    if (call->search->failed)
      return NULL;
    if (!is_orderable(&keys[i]))
      fail_key(call, i, &keys[i], "numbers or strings");
    else if (!same_type(&keys[i], &keys[0]))
      fail_key(call, i, &keys[i], keys[0].type == BIDE_STRING ? "strings" : "numbers");
  }
  return call->search->failed ? NULL : keys;
}

static BideValue extreme_by(const BideCall *call, int sign) {
  BideValue list = call->arguments[0];
  BideValue *keys = make_keys(call);
  if (keys == NULL || list.length == 0)
    return bide_value_null();
  return list.as.elements[extreme(keys, list.length, sign)];
}

BideValue bide_function_max_by(const BideCall *call) {
  return extreme_by(call, 1);
}

BideValue bide_function_min_by(const BideCall *call) {
  return extreme_by(call, -1);
}

/* ---- sorting ---- */

typedef struct Pair {
  BideValue key;
  BideValue element;
} Pair;

/* Merges the sorted halves of `from` into `to`, stably. */
static void merge(Pair *to, const Pair *from, uint32_t middle, uint32_t count) {
  uint32_t left = 0, right = middle;
  for (uint32_t i = 0; i < count; i++) {
    bool take_left = right == count ||
                     (left < middle && order_of(&from[left].key, &from[right].key) <= 0);
    to[i] = from[take_left ? left++ : right++];
  }
}

/* Sorts `pairs`; `spare` must hold a copy of them. */
static void merge_sort(Pair *pairs, Pair *spare, uint32_t count) {
  uint32_t middle = count / 2;
  if (count < 2)
    return;
  merge_sort(spare, pairs, middle);
  merge_sort(spare + middle, pairs + middle, count - middle);
  merge(pairs, spare, middle, count);
}

static uint64_t cost_of_sorting(uint32_t count) {
  uint64_t levels = 1;
  while (count >> levels != 0)
    levels++;
  return levels * count;
}

static BideValue sort_pairs(const BideCall *call, const BideValue *keys, BideValue list) {
  BideSearch *search = call->search;
  Pair *pairs = bide_search_alloc(search, list.length * sizeof *pairs);
  Pair *spare = bide_search_alloc(search, list.length * sizeof *spare);
  BideValue *sorted = bide_search_alloc(search, list.length * sizeof *sorted);
  if (pairs == NULL || spare == NULL || sorted == NULL ||
      !bide_search_charge(search, cost_of_sorting(list.length)))
    return bide_value_null();
  for (uint32_t i = 0; i < list.length; i++)
    pairs[i] = spare[i] = (Pair){keys[i], list.as.elements[i]};
  merge_sort(pairs, spare, list.length);
  for (uint32_t i = 0; i < list.length; i++)
    sorted[i] = pairs[i].element;
  return bide_value_array(sorted, list.length);
}

BideValue bide_function_sort(const BideCall *call) {
  return sort_pairs(call, call->arguments[0].as.elements, call->arguments[0]);
}

BideValue bide_function_sort_by(const BideCall *call) {
  BideValue *keys = make_keys(call);
  return keys == NULL ? bide_value_null() : sort_pairs(call, keys, call->arguments[0]);
}
