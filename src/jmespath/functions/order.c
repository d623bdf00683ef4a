/*
** Functions that order values: numbers by value, strings by code point, which is the order of their
** bytes in UTF-8.
*/
#include <stdlib.h>

#include "base/text.h"
#include "jmespath/function.h"

/* Compares two numbers or two strings. */
static int order_of(const BideValue *a, const BideValue *b) {
  return a->type == BIDE_STRING
           ? bide_order_of_texts(a->as.string, a->length, b->as.string, b->length)
           : bide_value_compare_numbers(a, b);
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

/* Compares two places of an array of keys. Of equal keys the earlier one comes first. */
static int order_of_places(const void *left, const void *right) {
  const BideValue *a = *(const BideValue *const *)left, *b = *(const BideValue *const *)right;
  int order = order_of(a, b);
  return order != 0 ? order : (a > b) - (a < b);
}

static uint64_t cost_of_sorting(uint32_t count) {
  uint64_t levels = 1;
  while (count >> levels != 0)
    levels++;
  return levels * count;
}

static BideValue sorted_by(const BideCall *call, const BideValue *keys, BideValue list) {
  BideSearch *search = call->search;
  const BideValue **places = bide_search_alloc(search, list.length * sizeof *places);
  BideValue *sorted = bide_search_alloc(search, list.length * sizeof *sorted);
  if (places == NULL || sorted == NULL || !bide_search_charge(search, cost_of_sorting(list.length)))
    return bide_value_null();
  for (uint32_t i = 0; i < list.length; i++)
    places[i] = &keys[i];
  qsort(places, list.length, sizeof *places, order_of_places);
  for (uint32_t i = 0; i < list.length; i++)
    sorted[i] = list.as.elements[places[i] - keys];
  return bide_value_array(sorted, list.length);
}

BideValue bide_function_sort(const BideCall *call) {
  return sorted_by(call, call->arguments[0].as.elements, call->arguments[0]);
}

BideValue bide_function_sort_by(const BideCall *call) {
  BideValue *keys = make_keys(call);
  return keys == NULL ? bide_value_null() : sorted_by(call, keys, call->arguments[0]);
}
