#include <string.h>

#include "base/utf8.h"
#include "jmespath/function.h"

/* ---- length ---- */

static BideValue length_of(BideSearch *search, BideValue value) {
  if (value.type != BIDE_STRING)
    return bide_value_integer(value.length);
  bide_search_charge(search, value.length / 16);
  return bide_value_integer((int64_t)bide_utf8_count(value.as.string, value.length));
}

BideValue bide_function_length(const BideCall *call) {
  return length_of(call->search, call->arguments[0]);
}

/* Evaluates length() of any argument; counts the elements of a projection as they come. */
static BideValue length_of_any(BideSearch *search, const BideNode *node, const BideValue *current) {
  BideSink counter = {.kind = BIDE_SINK_COUNT};
  BideValue value;
  if (bide_search_feed(search, node->as.call.arguments[0], current, &counter, &value))
    return bide_value_integer(counter.count);
  if (!bide_function_check(search, node, 0, value))
    return bide_value_null();
  return length_of(search, value);
}

static BideValue length_of_field(BideSearch *search, const BideNode *node,
                                 const BideValue *current) {
  const BideValue *value = bide_search_field(search, node->as.call.arguments[0], current);
  return value->type == BIDE_ARRAY ? bide_value_integer(value->length)
                                   : length_of_any(search, node, current);
}

/* Evaluates length(a[?b]). */
static BideValue length_of_filter(BideSearch *search, const BideNode *node,
                                  const BideValue *current) {
  const BideNode *const *steps = bide_node_items(node->as.call.arguments[0]);
  const BideValue *value = bide_search_field(search, steps[0], current);
  return value->type == BIDE_ARRAY ? bide_value_integer(bide_search_count(search, steps[1], value))
                                   : length_of_any(search, node, current);
}

static bool is_filter(const BideNode *node) {
  return node->is_field_and_row && node->as.list.count == 2 &&
         node->as.list.items[1]->variant == BIDE_PROJECT_FILTER &&
         node->as.list.items[1]->as.project.each == NULL;
}

BideEvaluator *bide_function_length_streamer(const BideNode *call) {
  const BideNode *argument = call->as.call.arguments[0];
  if (argument->kind == BIDE_NODE_FIELD)
    return length_of_field;
  return is_filter(argument) ? length_of_filter : length_of_any;
}

/* ---- contains ---- */

typedef struct Seeker {
  BideSink sink;
  BideValue wanted;
  bool found;
} Seeker;

static void compare_element(BideSearch *search, BideSink *sink, const BideValue *element) {
  Seeker *seeker = (Seeker *)sink;
  if (!seeker->found)
    seeker->found = bide_search_equal(search, element, &seeker->wanted);
  sink->is_done = seeker->found;
}

static bool list_contains(BideSearch *search, BideValue list, BideValue wanted) {
  if (!bide_search_charge(search, list.length))
    return false;
  for (uint32_t i = 0; i < list.length && !search->failed; i++)
    if (bide_search_equal(search, &list.as.elements[i], &wanted))
      return true;
  return false;
}

static BideValue contains(BideSearch *search, BideValue where, BideValue wanted) {
  if (where.type == BIDE_ARRAY)
    return bide_value_boolean(list_contains(search, where, wanted));
  return bide_value_boolean(wanted.type == BIDE_STRING &&
                            bide_string_contains(search, where, wanted));
}

BideValue bide_function_contains(const BideCall *call) {
  return contains(call->search, call->arguments[0], call->arguments[1]);
}

/*
** Evaluates the second argument first, so that elements can be compared as they come. If both
** arguments fail, the failure of the second is reported.
*/
static BideValue contains_streamed(BideSearch *search, const BideNode *node,
                                   const BideValue *current) {
  BideNode *const *arguments = node->as.call.arguments;
  Seeker seeker = {.sink = {.kind = BIDE_SINK_CALL, .take = compare_element}};
  BideValue where;
  seeker.wanted = bide_search_evaluate(search, arguments[1], current);
  if (arguments[1]->kind == BIDE_NODE_REFERENCE || search->failed) {
    /* The call fails, so the value does not matter. */
    bide_function_check(search, node, 1, seeker.wanted);
    return bide_value_null();
  }
  if (bide_search_feed(search, arguments[0], current, &seeker.sink, &where))
    return bide_value_boolean(seeker.found);
  if (!bide_function_check(search, node, 0, where))
    return bide_value_null();
  return contains(search, where, seeker.wanted);
}

BideEvaluator *bide_function_contains_streamer(const BideNode *call) {
  (void)call;
  return contains_streamed;
}

/* ---- the others ---- */

BideValue bide_function_map(const BideCall *call) {
  BideSearch *search = call->search;
  BideValue list = call->arguments[1];
  BideValue *elements = bide_search_alloc(search, list.length * sizeof *elements);
  if (elements == NULL)
    return bide_value_null();
  for (uint32_t i = 0; i < list.length && !search->failed; i++)
    elements[i] = bide_function_apply(call, 0, list.as.elements[i]);
  return bide_search_made(search, call->node, bide_value_array(elements, list.length));
}

BideValue bide_function_not_null(const BideCall *call) {
  for (uint32_t i = 0; i < call->count; i++)
    if (call->arguments[i].type != BIDE_NULL)
      return call->arguments[i];
  return bide_value_null();
}

BideValue bide_function_reverse(const BideCall *call) {
  BideValue list = call->arguments[0];
  BideValue *elements;
  if (list.type == BIDE_STRING)
    return bide_function_reverse_string(call);
  elements = bide_search_alloc(call->search, list.length * sizeof *elements);
  if (elements == NULL)
    return bide_value_null();
  for (uint32_t i = 0; i < list.length; i++)
    elements[i] = list.as.elements[list.length - 1 - i];
  return bide_value_array(elements, list.length);
}

BideValue bide_function_to_array(const BideCall *call) {
  BideValue *element;
  if (call->arguments[0].type == BIDE_ARRAY)
    return call->arguments[0];
  element = bide_search_alloc(call->search, sizeof *element);
  if (element == NULL)
    return bide_value_null();
  *element = call->arguments[0];
  return bide_search_made(call->search, call->node, bide_value_array(element, 1));
}

BideValue bide_function_type(const BideCall *call) {
  const char *name = bide_value_type_name(&call->arguments[0]);
  return bide_value_string(name, strlen(name));
}
