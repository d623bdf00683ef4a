/*
** The results of calls. A function of the host may give anything.
*/
#include <string.h>

#include "jmespath/analysis/walk.h"
#include "jmespath/function.h"

/* A function of constants is called for at most this many combinations of them. */
#define MOST_CALLS 64
#define MOST_ARGUMENTS 8

/* ---- arguments ---- */

/* Returns the types of results that a set of types of arguments has; the bits have one order. */
static unsigned types_of_takes(unsigned takes) {
  unsigned result = 0;
  for (unsigned i = 0; i < BIDE_RESULT_GROUPS; i++)
    if ((takes & 1u << i) != 0)
      result |= bide_result_groups[i].types;
  return result;
}

/* Returns the arrays among `set` whose elements all have these types. */
static const BideResults *arrays_with(BideWalk *walk, const BideResults *set, unsigned types) {
  BideResults *arrays = bide_results_new(walk->arena, BIDE_RESULT_ARRAY);
  if (arrays == NULL)
    return bide_walk_keep(walk, NULL);
  arrays->element = bide_walk_types(walk, types);
  return bide_walk_meet(walk, set, arrays);
}

const BideResults *bide_walk_accepted(BideWalk *walk, const BideNode *call, uint32_t position,
                                      const BideResults *set) {
  unsigned takes = bide_function_takes(call->as.call.function, position);
  const BideResults *accepted;
  if ((takes & (BIDE_TAKES_NUMBERS | BIDE_TAKES_STRINGS)) == 0)
    return bide_walk_select(walk, set, types_of_takes(takes));
  accepted = (takes & BIDE_TAKES_NUMBERS) != 0 ? arrays_with(walk, set, BIDE_RESULT_NUMBER)
                                               : &bide_results_none;
  if ((takes & BIDE_TAKES_STRINGS) != 0)
    accepted = bide_walk_join(walk, accepted, arrays_with(walk, set, BIDE_RESULT_STRINGS));
  return accepted;
}

/* Reports whether all values of a set are arrays of elements of one type that is taken. */
static bool are_elements_taken(unsigned takes, const BideResults *set) {
  const BideResults *element = set->element;
  if (set->types != BIDE_RESULT_ARRAY || element == NULL)
    return false;
  if ((takes & BIDE_TAKES_NUMBERS) != 0 && element->types == BIDE_RESULT_NUMBER)
    return true;
  return (takes & BIDE_TAKES_STRINGS) != 0 &&
         (element->types & ~(unsigned)BIDE_RESULT_STRINGS) == 0;
}

static bool is_always_taken(const BideNode *call, uint32_t position, const BideResults *set,
                            const BideResults *accepted) {
  unsigned takes = bide_function_takes(call->as.call.function, position);
  if (set->values != NULL)
    return accepted->values != NULL && accepted->count == set->count;
  return (set->types & ~types_of_takes(takes)) == 0 || are_elements_taken(takes, set);
}

/* ---- constants ---- */

static BideValue call_with(BideWalk *walk, const BideNode *node, const BideValue *arguments) {
  BideCall call = {&walk->search, node, arguments, node->as.call.count};
  if (!bide_search_charge(&walk->search, 1))
    return bide_value_null();
  return node->as.call.function->call(&call);
}

/* Calls a function with each combination of listed values; NULL if there are too many. */
static const BideResults *call_listed(BideWalk *walk, const BideNode *node,
                                      const BideResults *const *arguments, bool *raises) {
  BideValue values[MOST_CALLS], chosen[MOST_ARGUMENTS];
  uint32_t count = node->as.call.count, calls = 1, made = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (arguments[i]->values == NULL || arguments[i]->count == 0)
      return NULL;
    calls *= arguments[i]->count;
    if (calls > MOST_CALLS)
      return NULL;
  }
  for (uint32_t number = 0; number < calls; number++) {
    uint32_t rest = number;
    for (uint32_t i = 0; i < count; i++) {
      chosen[i] = arguments[i]->values[rest % arguments[i]->count];
      rest /= arguments[i]->count;
    }
    values[made] = call_with(walk, node, chosen);
    if (!bide_walk_has_failed(walk))
      made++;
    else if (bide_walk_is_short(walk))
      return NULL;
    else
      *raises = true;
  }
  return bide_walk_values(walk, values, made);
}

/* ---- arrays and objects ---- */

static const BideResults *element_of(BideWalk *walk, const BideResults *set) {
  const BideResults *joined = &bide_results_none;
  for (uint32_t i = 0; set->values != NULL && i < set->count; i++)
    if (set->values[i].type == BIDE_ARRAY)
      joined = bide_walk_join(
        walk, joined, bide_walk_values(walk, set->values[i].as.elements, set->values[i].length));
  if (set->values != NULL)
    return joined;
  return set->element == NULL ? &bide_results_any : set->element;
}

static BideResults *new_array(BideWalk *walk, const BideResults *element, uint32_t least,
                              uint32_t most) {
  BideResults *array = bide_results_new(walk->arena, BIDE_RESULT_ARRAY);
  if (array == NULL) {
    walk->failed = true;
    return NULL;
  }
  array->element = element;
  array->least = least;
  array->most = most;
  return array;
}

/* Returns arrays of as many elements as those of `like`. */
static const BideResults *array_like(BideWalk *walk, const BideResults *like,
                                     const BideResults *element) {
  return bide_walk_keep(walk, new_array(walk, element, like->least, like->most));
}

static uint32_t least_members(const BideResults *object) {
  return object->types == BIDE_RESULT_OBJECT ? 1 : 0;
}

static uint32_t most_members(const BideResults *object) {
  return object->is_closed ? object->member_count : UINT32_MAX;
}

/* ---- functions ---- */

static const BideResults *number(BideWalk *walk, bool is_whole, bool is_positive, uint32_t least,
                                 uint32_t most) {
  BideResults *set = bide_results_new(walk->arena, BIDE_RESULT_NUMBER);
  if (set == NULL)
    return bide_walk_keep(walk, NULL);
  set->range.is_whole = is_whole;
  set->range.has_low = is_positive;
  set->range.low = bide_value_integer(least);
  set->range.has_high = most != UINT32_MAX;
  set->range.high = bide_value_integer(most);
  return set;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static const BideResults *length_of(BideWalk *walk, const BideResults *of) {
  uint32_t least = UINT32_MAX, most = 0;
  if ((of->types & BIDE_RESULT_ARRAY) != 0) {
    least = smaller(least, of->least);
    most = larger(most, of->most);
  }
  if ((of->types & (BIDE_RESULT_EMPTY_STRING | BIDE_RESULT_EMPTY_OBJECT)) != 0)
    least = 0;
  if ((of->types & BIDE_RESULT_STRING) != 0) {
    least = smaller(least, 1);
    most = UINT32_MAX;
  }
  if ((of->types & BIDE_RESULT_OBJECT) != 0) {
    least = smaller(least, of->is_closed ? of->member_count : 1);
    most = larger(most, most_members(of));
  }
  return number(walk, true, true, least, most);
}

static bool may_have_element(const BideResults *array, const BideResults *wanted) {
  if ((array->types & BIDE_RESULT_ARRAY) == 0 || array->most == 0)
    return false;
  if (array->values == NULL)
    return array->element == NULL || bide_results_may_equal(array->element, wanted);
  for (uint32_t i = 0; i < array->count; i++)
    for (uint32_t j = 0; array->values[i].type == BIDE_ARRAY && j < array->values[i].length; j++)
      if (bide_results_may_contain(wanted, &array->values[i].as.elements[j]))
        return true;
  return false;
}

static const BideResults *contains(BideWalk *walk, const BideResults *where,
                                   const BideResults *wanted) {
  bool may_be_part = (where->types & BIDE_RESULT_STRINGS) != 0 &&
                     (wanted->types & BIDE_RESULT_STRINGS) != 0;
  return bide_walk_types(walk, may_be_part || may_have_element(where, wanted)
                                 ? (unsigned)BIDE_RESULT_BOOLEANS
                                 : (unsigned)BIDE_RESULT_FALSE);
}

/* Returns the results of starts_with() and ends_with(). */
static const BideResults *has_end(BideWalk *walk, const BideResults *string,
                                  const BideResults *part) {
  if (part->types == BIDE_RESULT_EMPTY_STRING)
    return bide_walk_types(walk, BIDE_RESULT_TRUE);
  if (string->types == BIDE_RESULT_EMPTY_STRING && part->types == BIDE_RESULT_STRING)
    return bide_walk_types(walk, BIDE_RESULT_FALSE);
  return bide_walk_types(walk, BIDE_RESULT_BOOLEANS);
}

static const BideResults *type_of(BideWalk *walk, const BideResults *of) {
  BideValue values[BIDE_RESULT_GROUPS];
  size_t count = 0;
  for (size_t i = 0; i < BIDE_RESULT_GROUPS; i++) {
    const BideResultGroup *group = &bide_result_groups[i];
    if ((of->types & group->types) != 0)
      values[count++] = bide_value_string(group->name, strlen(group->name));
  }
  return bide_walk_values(walk, values, count);
}

static const BideResults *to_array(BideWalk *walk, const BideResults *of) {
  const BideResults *arrays = bide_walk_select(walk, of, BIDE_RESULT_ARRAY);
  const BideResults *others = bide_walk_select(walk, of, BIDE_RESULT_ANY & ~BIDE_RESULT_ARRAY);
  if (bide_results_is_empty(others))
    return arrays;
  return bide_walk_join(walk, arrays, bide_walk_keep(walk, new_array(walk, others, 1, 1)));
}

static const BideResults *to_string(BideWalk *walk, const BideResults *of) {
  const BideResults *strings = bide_walk_select(walk, of, BIDE_RESULT_STRINGS);
  if ((of->types & ~(unsigned)BIDE_RESULT_STRINGS) == 0)
    return strings;
  return bide_walk_join(walk, strings, bide_walk_types(walk, BIDE_RESULT_STRING));
}

static const BideResults *to_number(BideWalk *walk, const BideResults *of) {
  const BideResults *numbers = bide_walk_select(walk, of, BIDE_RESULT_NUMBER);
  if ((of->types & BIDE_RESULT_STRING) != 0)
    numbers = bide_walk_types(walk, BIDE_RESULT_NUMBER);
  if ((of->types & ~(unsigned)BIDE_RESULT_NUMBER) == 0)
    return numbers;
  return bide_walk_join(walk, numbers, bide_walk_types(walk, BIDE_RESULT_NULL));
}

static const BideResults *not_null(BideWalk *walk, const BideResults *const *arguments,
                                   uint32_t count) {
  const BideResults *joined = &bide_results_none;
  for (uint32_t i = 0; i < count; i++) {
    joined = bide_walk_join(
      walk, joined, bide_walk_select(walk, arguments[i], BIDE_RESULT_ANY & ~BIDE_RESULT_NULL));
    if ((arguments[i]->types & BIDE_RESULT_NULL) == 0)
      return joined;
  }
  return bide_walk_join(walk, joined, bide_walk_types(walk, BIDE_RESULT_NULL));
}

/* The members of the last object win; those of the others may be anything. */
static const BideResults *merged(BideWalk *walk, const BideResults *const *arguments,
                                 uint32_t count) {
  unsigned types = BIDE_RESULT_OBJECTS;
  const BideResults *last = arguments[count - 1];
  BideResults *object;
  if (count == 1)
    return last;
  for (uint32_t i = 0; i < count; i++)
    if (arguments[i]->types == BIDE_RESULT_OBJECT)
      types = BIDE_RESULT_OBJECT;
  object = bide_results_new(walk->arena, types);
  if (object == NULL)
    return bide_walk_keep(walk, NULL);
  if (last->is_closed && last->types == BIDE_RESULT_OBJECT) {
    object->members = last->members;
    object->member_count = last->member_count;
  }
  return object;
}

/* Returns one of the elements, or null if there may be none. */
static const BideResults *one_element(BideWalk *walk, const BideResults *array) {
  const BideResults *element = array->most == 0 ? &bide_results_none : element_of(walk, array);
  if (array->least > 0)
    return element;
  return bide_walk_join(walk, element, bide_walk_types(walk, BIDE_RESULT_NULL));
}

/* Returns what the expression reference of a call gives for the elements of its array. */
static const BideResults *referred(BideWalk *walk, const BideNode *call, const BideResults *array,
                                   bool *raises) {
  BideScope scope = {.current = element_of(walk, array)};
  for (uint32_t i = 0; i < call->as.call.count && array->most > 0; i++) {
    const BideNode *argument = call->as.call.arguments[i];
    if (argument->kind == BIDE_NODE_REFERENCE)
      return bide_walk_results(walk, argument->as.pair.left, &scope, raises);
  }
  return &bide_results_none;
}

static const BideResults *reversed(BideWalk *walk, const BideResults *of) {
  const BideResults *strings = bide_walk_types(walk, of->types & BIDE_RESULT_STRINGS);
  if ((of->types & BIDE_RESULT_ARRAY) == 0)
    return strings;
  return bide_walk_join(walk, strings, array_like(walk, of, element_of(walk, of)));
}

/* Returns the results of map() and of the functions that order elements by an expression. */
static const BideResults *results_by(BideWalk *walk, const BideNode *node,
                                     const BideResults *const *arguments, bool *raises) {
  const BideFunction *function = node->as.call.function;
  bool is_map = function->call == bide_function_map;
  const BideResults *array = arguments[is_map ? 1 : 0];
  const BideResults *given = referred(walk, node, array, raises);
  bool may_be_empty = array->least == 0;
  if (bide_results_is_empty(given) && !may_be_empty)
    return &bide_results_none;
  if (is_map)
    return bide_results_is_empty(given) ? bide_walk_keep(walk, new_array(walk, given, 0, 0))
                                        : array_like(walk, array, given);
  *raises = true; /* keys of several types */
  if (function->call == bide_function_sort_by)
    return array_like(walk, array, element_of(walk, array));
  return one_element(walk, array);
}

/* Returns the results for arguments that the function accepts. */
static const BideResults *results_of(BideWalk *walk, const BideNode *node,
                                     const BideResults *const *arguments, bool *raises) {
  const BideFunction *function = node->as.call.function;
  const BideResults *first = arguments[0];
  if (function->call == bide_function_abs)
    return number(walk, bide_results_range(first).is_whole, true, 0, UINT32_MAX);
  if (function->call == bide_function_ceil || function->call == bide_function_floor)
    return number(walk, true, false, 0, UINT32_MAX);
  if (function->call == bide_function_length)
    return length_of(walk, first);
  if (function->call == bide_function_contains)
    return contains(walk, first, arguments[1]);
  if (function->call == bide_function_starts_with || function->call == bide_function_ends_with)
    return has_end(walk, first, arguments[1]);
  if (function->call == bide_function_type)
    return type_of(walk, first);
  if (function->call == bide_function_to_array)
    return to_array(walk, first);
  if (function->call == bide_function_to_string)
    return to_string(walk, first);
  if (function->call == bide_function_to_number)
    return to_number(walk, first);
  if (function->call == bide_function_not_null)
    return not_null(walk, arguments, node->as.call.count);
  if (function->call == bide_function_merge)
    return merged(walk, arguments, node->as.call.count);
  if (function->call == bide_function_reverse)
    return reversed(walk, first);
  if (function->call == bide_function_sort)
    return array_like(walk, first, element_of(walk, first));
  if (function->call == bide_function_max || function->call == bide_function_min)
    return one_element(walk, first);
  if (function->call == bide_function_keys)
    return bide_walk_keep(walk, new_array(walk, bide_walk_types(walk, BIDE_RESULT_STRINGS),
                                          least_members(first), most_members(first)));
  if (function->call == bide_function_values)
    return bide_walk_keep(walk, new_array(walk, bide_walk_any_member(walk, first),
                                          least_members(first), most_members(first)));
  if (function->call == bide_function_join)
    return bide_walk_types(walk, BIDE_RESULT_STRINGS);
  *raises = true; /* of a result that is larger than any double, at least */
  if (function->call == bide_function_sum)
    return bide_walk_types(walk, BIDE_RESULT_NUMBER);
  if (function->call == bide_function_avg)
    return bide_walk_types(walk, BIDE_RESULT_NUMBER | (first->least == 0 ? BIDE_RESULT_NULL : 0u));
  return &bide_results_any;
}

/* Evaluates the arguments. Returns false if one is never accepted. */
static bool accept_arguments(BideWalk *walk, const BideNode *node, const BideScope *scope,
                             const BideResults **arguments, bool *has_reference, bool *raises) {
  bool are_accepted = true;
  for (uint32_t i = 0; i < node->as.call.count; i++) {
    const BideNode *argument = node->as.call.arguments[i];
    const BideResults *found = bide_walk_results(walk, argument, scope, raises);
    bool is_reference = argument->kind == BIDE_NODE_REFERENCE;
    bool wants_reference = (bide_function_takes(node->as.call.function, i) &
                            BIDE_TAKES_REFERENCE) != 0;
    *has_reference = *has_reference || is_reference;
    arguments[i] = is_reference ? found : bide_walk_accepted(walk, node, i, found);
    if (is_reference != wants_reference || (!is_reference && bide_results_is_empty(arguments[i])))
      are_accepted = false;
    else if (!is_reference && !is_always_taken(node, i, found, arguments[i]))
      *raises = true;
  }
  return are_accepted;
}

/* Returns the results of a function of the answer, which may be any, and null. */
static const BideResults *results_of_answer(BideWalk *walk, const BideFunction *function) {
  unsigned type = function->call == bide_function_status ? BIDE_RESULT_NUMBER : BIDE_RESULT_STRINGS;
  return bide_walk_types(walk, BIDE_RESULT_NULL | type);
}

const BideResults *bide_walk_call(BideWalk *walk, const BideNode *node, const BideScope *scope,
                                  bool *raises) {
  uint32_t count = node->as.call.count;
  const BideResults **arguments;
  const BideResults *constant;
  bool has_reference = false, asks = bide_function_asks_answer(node->as.call.function);
  if (bide_function_is_of_host(node->as.call.function)) {
    *raises = true;
    return &bide_results_any;
  }
  arguments = bide_arena_alloc(walk->arena, (count + 1) * sizeof *arguments);
  if (arguments == NULL)
    return bide_walk_keep(walk, NULL);
  if (!accept_arguments(walk, node, scope, arguments, &has_reference, raises)) {
    *raises = true;
    return &bide_results_none;
  }
  if (asks)
    return results_of_answer(walk, node->as.call.function);
  if (has_reference)
    return results_by(walk, node, arguments, raises);
  constant = count <= MOST_ARGUMENTS ? call_listed(walk, node, arguments, raises) : NULL;
  return constant != NULL ? constant : results_of(walk, node, arguments, raises);
}
