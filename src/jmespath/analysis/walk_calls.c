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
  for (unsigned kind = BIDE_SHAPE_NULL; kind <= BIDE_SHAPE_OBJECT; kind++)
    if ((takes & 1u << (kind - BIDE_SHAPE_NULL)) != 0)
      result |= bide_shape_rows[kind].types;
  return result;
}

/* Returns the arrays among `set` whose elements all have these types. */
static const BideResults *arrays_with(BideWalk *walk, const BideResults *set, unsigned types) {
  const BideResults *elements = bide_results_of_types(&walk->sets, types);
  return bide_results_meet(&walk->sets, set,
                           bide_results_arrays(&walk->sets, elements, 0, UINT32_MAX));
}

/* Returns the values among a set that have one of the types of arguments. */
static const BideResults *taken(BideWalk *walk, unsigned takes, const BideResults *set) {
  BideSets *sets = &walk->sets;
  const BideResults *result = bide_results_select(sets, set, types_of_takes(takes));
  if ((takes & BIDE_TAKES_NUMBERS) != 0)
    result = bide_results_join(sets, result, arrays_with(walk, set, BIDE_RESULT_NUMBER));
  if ((takes & BIDE_TAKES_STRINGS) != 0)
    result = bide_results_join(sets, result, arrays_with(walk, set, BIDE_RESULT_STRINGS));
  return result;
}

const BideResults *bide_walk_accepted(BideWalk *walk, const BideNode *call, uint32_t position,
                                      const BideResults *set) {
  return taken(walk, bide_function_takes(call->as.call.function, position), set);
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
                                      const BideResults *const *arguments) {
  BideValue values[MOST_CALLS], chosen[MOST_ARGUMENTS];
  uint32_t count = node->as.call.count, calls = 1, made = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (node->as.call.arguments[i]->kind == BIDE_NODE_REFERENCE || arguments[i]->values == NULL ||
        arguments[i]->count == 0)
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
      walk->raises = true;
  }
  return bide_results_of_values(&walk->sets, values, made);
}

/* ---- arrays and objects ---- */

/* Returns arrays of as many elements as those of `like`. */
static const BideResults *arrays_like(BideSets *sets, const BideResults *like,
                                      const BideResults *element) {
  return bide_results_arrays(sets, element, like->least, like->most);
}

static uint32_t least_members(const BideResults *object) {
  return object->types == BIDE_RESULT_OBJECT ? 1 : 0;
}

static uint32_t most_members(const BideResults *object) {
  return object->is_closed ? object->member_count : UINT32_MAX;
}

/* ---- functions ---- */

/* A call with arguments that its function accepts. */
typedef struct Call {
  BideWalk *walk;
  const BideNode *node;
  const BideResults *const *arguments;
  uint32_t count;
} Call;

static const BideResults *abs_of(const Call *call) {
  BideResults number = bide_results_all(BIDE_RESULT_NUMBER);
  number.range = (BideRange){0, INFINITY, call->arguments[0]->range.is_whole};
  return bide_results_keep(&call->walk->sets, number);
}

/* Returns the results of ceil() and floor(). */
static const BideResults *whole(const Call *call) {
  BideResults number = bide_results_all(BIDE_RESULT_NUMBER);
  number.range.is_whole = true;
  return bide_results_keep(&call->walk->sets, number);
}

/* Returns the results of avg(), which gives null for an empty array. */
static const BideResults *average(const Call *call) {
  unsigned null = call->arguments[0]->least == 0 ? BIDE_RESULT_NULL : 0;
  return bide_results_of_types(&call->walk->sets, BIDE_RESULT_NUMBER | null);
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static const BideResults *length_of(const Call *call) {
  const BideResults *of = call->arguments[0];
  BideResults number = bide_results_all(BIDE_RESULT_NUMBER);
  uint32_t least = UINT32_MAX, most = 0;
  if ((of->types & BIDE_RESULT_ARRAY) != 0) {
    least = of->least;
    most = of->most;
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
  number.range = (BideRange){least, most == UINT32_MAX ? (double)INFINITY : (double)most, true};
  return bide_results_keep(&call->walk->sets, number);
}

static const BideResults *contains(const Call *call) {
  const BideResults *where = call->arguments[0], *wanted = call->arguments[1];
  bool may_be_part = (where->types & BIDE_RESULT_STRINGS) != 0 &&
                     (wanted->types & BIDE_RESULT_STRINGS) != 0;
  unsigned truth = may_be_part || bide_results_may_hold(where, wanted) ? BIDE_RESULT_TRUE : 0;
  return bide_results_of_types(&call->walk->sets, BIDE_RESULT_FALSE | truth);
}

/* Returns the results of starts_with() and ends_with(). */
static const BideResults *has_end(const Call *call) {
  unsigned types = call->arguments[0]->types, types_of_part = call->arguments[1]->types;
  unsigned result = BIDE_RESULT_BOOLEANS;
  if (types_of_part == BIDE_RESULT_EMPTY_STRING)
    result = BIDE_RESULT_TRUE;
  else if (types == BIDE_RESULT_EMPTY_STRING && types_of_part == BIDE_RESULT_STRING)
    result = BIDE_RESULT_FALSE;
  return bide_results_of_types(&call->walk->sets, result);
}

static const BideResults *type_of(const Call *call) {
  BideValue values[BIDE_SHAPE_MAP];
  size_t count = 0;
  for (int kind = BIDE_SHAPE_NULL; kind <= BIDE_SHAPE_OBJECT; kind++)
    if ((call->arguments[0]->types & bide_shape_rows[kind].types) != 0)
      values[count++] = bide_value_string(bide_shape_rows[kind].name,
                                          strlen(bide_shape_rows[kind].name));
  return bide_results_of_values(&call->walk->sets, values, count);
}

static const BideResults *to_array(const Call *call) {
  BideSets *sets = &call->walk->sets;
  const BideResults *of = call->arguments[0];
  BideShapeKind kind = bide_results_kind(of);
  const BideResults *arrays = bide_results_select(sets, of, BIDE_RESULT_ARRAY);
  const BideResults *others = bide_results_select(sets, of, BIDE_RESULT_ANY & ~BIDE_RESULT_ARRAY);
  if (call->walk->analysis != NULL)
    return kind == BIDE_SHAPE_ARRAY || kind == BIDE_SHAPE_ANY
             ? of
             : bide_results_arrays(sets, of, 0, UINT32_MAX);
  if (bide_results_is_empty(others))
    return arrays;
  return bide_results_join(sets, arrays, bide_results_arrays(sets, others, 1, 1));
}

static const BideResults *to_string(const Call *call) {
  BideSets *sets = &call->walk->sets;
  const BideResults *of = call->arguments[0];
  const BideResults *strings = bide_results_select(sets, of, BIDE_RESULT_STRINGS);
  if ((of->types & ~(unsigned)BIDE_RESULT_STRINGS) == 0)
    return strings;
  return bide_results_join(sets, strings, bide_results_of_types(sets, BIDE_RESULT_STRING));
}

static const BideResults *to_number(const Call *call) {
  BideSets *sets = &call->walk->sets;
  const BideResults *of = call->arguments[0];
  const BideResults *numbers = bide_results_select(sets, of, BIDE_RESULT_NUMBER);
  if (call->walk->analysis != NULL || (of->types & BIDE_RESULT_STRING) != 0)
    numbers = bide_results_of_types(sets, BIDE_RESULT_NUMBER);
  if ((of->types & ~(unsigned)BIDE_RESULT_NUMBER) == 0)
    return numbers;
  return bide_results_or_null(sets, numbers);
}

/* Returns what any of the arguments may be. */
static const BideResults *common(const Call *call) {
  const BideResults *joined = call->arguments[0];
  for (uint32_t i = 1; i < call->count; i++)
    joined = bide_results_join(&call->walk->sets, joined, call->arguments[i]);
  return joined;
}

static const BideResults *not_null(const Call *call) {
  BideSets *sets = &call->walk->sets;
  const BideResults *joined = &bide_results_none;
  for (uint32_t i = 0; i < call->count; i++) {
    const BideResults *one = call->arguments[i];
    joined = bide_results_join(sets, joined,
                               bide_results_select(sets, one, BIDE_RESULT_ANY & ~BIDE_RESULT_NULL));
    if ((one->types & BIDE_RESULT_NULL) == 0)
      return joined;
  }
  return bide_results_or_null(sets, joined);
}

/* The members of the last object win; those of the others may be anything. */
static const BideResults *merged(const Call *call) {
  BideResults object = bide_results_all(BIDE_RESULT_OBJECTS);
  const BideResults *last = call->arguments[call->count - 1];
  if (call->count == 1)
    return last;
  if (call->walk->analysis != NULL)
    return common(call);
  for (uint32_t i = 0; i < call->count; i++)
    if (call->arguments[i]->types == BIDE_RESULT_OBJECT)
      object.types = BIDE_RESULT_OBJECT;
  if (last->is_closed && last->types == BIDE_RESULT_OBJECT) {
    object.members = last->members;
    object.member_count = last->member_count;
  }
  return bide_results_keep(&call->walk->sets, object);
}

static const BideResults *keys(const Call *call) {
  BideSets *sets = &call->walk->sets;
  const BideResults *object = call->arguments[0];
  return bide_results_arrays(sets, bide_results_of_types(sets, BIDE_RESULT_STRINGS),
                             least_members(object), most_members(object));
}

static const BideResults *values(const Call *call) {
  const BideResults *object = call->arguments[0];
  return bide_results_arrays(&call->walk->sets, bide_results_any_member(&call->walk->sets, object),
                             least_members(object), most_members(object));
}

/*
** Returns the arrays of a call of sort() or sort_by(), or of reverse(), which also reverses texts.
*/
static const BideResults *reordered(const Call *call) {
  BideSets *sets = &call->walk->sets;
  const BideResults *of = call->arguments[0];
  const BideResults *strings = bide_results_of_types(sets, of->types & BIDE_RESULT_STRINGS);
  if (call->walk->analysis != NULL)
    return bide_results_kind(of) == BIDE_SHAPE_ARRAY ||
               call->node->as.call.function->call == bide_function_reverse
             ? of
             : bide_results_arrays(sets, NULL, 0, UINT32_MAX);
  if ((of->types & BIDE_RESULT_ARRAY) == 0)
    return strings;
  return bide_results_join(sets, strings, arrays_like(sets, of, bide_results_elements(sets, of)));
}

/* Returns one of the elements, or null if there may be none: the results of max() and min(). */
static const BideResults *one_element(const Call *call) {
  BideSets *sets = &call->walk->sets;
  const BideResults *array = call->arguments[0];
  const BideResults *element = bide_results_elements(sets, array);
  if (array->least > 0)
    return element;
  return bide_results_or_null(sets, element);
}

/* Returns what the expression reference of a call gives for the elements of an array. */
static const BideResults *referred(const Call *call, const BideResults *array) {
  BideScope scope = {.current = bide_results_elements(&call->walk->sets, array)};
  for (uint32_t i = 0; i < call->count; i++) {
    const BideNode *argument = call->node->as.call.arguments[i];
    if (argument->kind == BIDE_NODE_REFERENCE)
      return bide_walk_results(call->walk, argument->as.pair.left, &scope);
  }
  return call->walk->analysis != NULL ? &bide_results_any : &bide_results_none;
}

static const BideResults *map(const Call *call) {
  const BideResults *array = call->arguments[1], *given = referred(call, array);
  if (!bide_results_is_empty(given))
    return arrays_like(&call->walk->sets, array, given);
  return array->least > 0 ? &bide_results_none
                          : bide_results_arrays(&call->walk->sets, given, 0, 0);
}

/* Reports whether the reference of a call has a key for each element that the array must have. */
static bool has_keys(const Call *call) {
  return !bide_results_is_empty(referred(call, call->arguments[0])) ||
         call->arguments[0]->least == 0;
}

static const BideResults *sorted_by(const Call *call) {
  return has_keys(call) ? reordered(call) : &bide_results_none;
}

/* Returns the results of max_by() and min_by(). */
static const BideResults *one_element_by(const Call *call) {
  return has_keys(call) ? one_element(call) : &bide_results_none;
}

/* What is known of a function beyond the types of its results. */
typedef struct Rule {
  BideValue (*function)(const BideCall *call);
  const BideResults *(*results)(const Call *call); /* NULL: all values of these types */
  bool may_fail;                                   /* for arguments that it accepts */
} Rule;

static const Rule rules[] = {
  {bide_function_abs, abs_of, false},
  {bide_function_avg, average, true}, /* a sum may be larger than any double */
  {bide_function_ceil, whole, false},
  {bide_function_contains, contains, false},
  {bide_function_ends_with, has_end, false},
  {bide_function_floor, whole, false},
  {bide_function_keys, keys, false},
  {bide_function_length, length_of, false},
  {bide_function_map, map, false},
  {bide_function_max, one_element, false},
  {bide_function_max_by, one_element_by, true}, /* keys may be of several types */
  {bide_function_merge, merged, false},
  {bide_function_min, one_element, false},
  {bide_function_min_by, one_element_by, true},
  {bide_function_not_null, not_null, false},
  {bide_function_reverse, reordered, false},
  {bide_function_sort, reordered, false},
  {bide_function_sort_by, sorted_by, true},
  {bide_function_starts_with, has_end, false},
  {bide_function_sum, NULL, true},
  {bide_function_to_array, to_array, false},
  {bide_function_to_number, to_number, false},
  {bide_function_to_string, to_string, false},
  {bide_function_type, type_of, false},
  {bide_function_values, values, false},
  {bide_function_version_at_least, NULL, true}, /* the second one may be no version */
};

static const BideResults *results_of(const Call *call) {
  const BideFunction *function = call->node->as.call.function;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i].function == function->call) {
      call->walk->raises = call->walk->raises || rules[i].may_fail;
      if (rules[i].results != NULL)
        return rules[i].results(call);
    }
  return taken(call->walk, function->gives, &bide_results_any);
}

/* ---- calls ---- */

/* Evaluates the arguments. Returns false if one is never accepted. */
static bool accept_arguments(BideWalk *walk, const BideNode *node, const BideScope *scope,
                             const BideResults **arguments) {
  bool are_accepted = true;
  for (uint32_t i = 0; i < node->as.call.count; i++) {
    const BideNode *argument = node->as.call.arguments[i];
    const BideResults *found = bide_walk_results(walk, argument, scope);
    bool is_reference = argument->kind == BIDE_NODE_REFERENCE;
    bool wants_reference = (bide_function_takes(node->as.call.function, i) &
                            BIDE_TAKES_REFERENCE) != 0;
    arguments[i] = is_reference || walk->analysis != NULL
                     ? found
                     : bide_walk_accepted(walk, node, i, found);
    if (walk->analysis != NULL)
      bide_walk_check_argument(walk, node, i, found);
    else if (is_reference != wants_reference ||
             (!is_reference && bide_results_is_empty(arguments[i])))
      are_accepted = false;
    else if (!is_reference && !is_always_taken(node, i, found, arguments[i]))
      walk->raises = true;
  }
  return are_accepted;
}

const BideResults *bide_walk_call(BideWalk *walk, const BideNode *node, const BideScope *scope) {
  const BideFunction *function = node->as.call.function;
  Call call = {.walk = walk, .node = node, .count = node->as.call.count};
  const BideResults **arguments, *constant = NULL;
  if (walk->analysis == NULL && bide_function_is_of_host(function)) {
    walk->raises = true;
    return &bide_results_any;
  }
  arguments = bide_results_take(&walk->sets, (call.count + 1) * sizeof *arguments);
  if (arguments == NULL)
    return &bide_results_any;
  if (!accept_arguments(walk, node, scope, arguments)) {
    walk->raises = true;
    return &bide_results_none;
  }
  if (walk->sets.failed) /* a set that was not made is "any", and filters nothing */
    return &bide_results_any;
  if (walk->analysis == NULL && call.count <= MOST_ARGUMENTS &&
      !bide_function_asks_answer(function))
    constant = call_listed(walk, node, arguments);
  call.arguments = arguments;
  return constant != NULL ? constant : results_of(&call);
}
