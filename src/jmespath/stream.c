/*
** Evaluates projections by streaming: each element passes the filter and the body and goes to the
** sink of the caller. A projection over a projection is fed directly, without a list in between.
*/
#include "jmespath/search.h"

/* The longest row of projections that feed each other; longer rows make lists in between. */
#define FUSED 16

/* A projection as the sink of the one before it. */
typedef struct Stage {
  BideSink sink;
  const BideNode *node;
  BideSink *next;
} Stage;

/* ---- one element ---- */

static inline bool passes(BideSearch *search, const BideNode *node, const BideValue *element) {
  const BideNode *condition = node->as.project.condition;
  return condition == NULL || bide_search_holds(search, condition, element);
}

static inline const BideValue *each_of(BideSearch *search, const BideNode *node,
                                       const BideValue *element, BideValue *room) {
  const BideNode *each = node->as.project.each;
  if (each == NULL)
    return element;
  if (!node->as.project.each_is_path)
    return bide_search_by_reference(search, each, element, room);
  for (uint32_t i = 0; i < each->as.list.count; i++)
    element = bide_search_field(search, each->as.list.items[i], element);
  return element;
}

/* Applies filter and body to an element; drops a null result. */
static inline void project_element(BideSearch *search, const BideNode *node,
                                   const BideValue *element, BideSink *sink) {
  BideValue room;
  if (!passes(search, node, element))
    return;
  element = each_of(search, node, element, &room);
  if (element->type != BIDE_NULL)
    bide_sink_take(search, sink, element);
}

/* ---- the elements of a value ---- */

static bool may_stop(const BideNode *node, const BideSink *sink) {
  return sink->is_done && !node->can_raise;
}

/* Reports whether a loop must continue that cannot raise an error itself. */
static inline bool continues(const BideSearch *search, const BideSink *sink) {
  return sink->kind < BIDE_SINK_CALL || !(sink->is_done || search->failed);
}

/*
** Reads one field of consecutive objects with its hint in registers. The loop over the elements
** owns the cursor; a changed hint is written back.
*/
typedef struct Cursor {
  const BideNode *field;
  BideHint *hint;
  const char *name;
  uint32_t position;
} Cursor;

static inline Cursor cursor_at(BideSearch *search, const BideNode *field) {
  BideHint *hint = &search->hints[field->as.field.hint];
  return (Cursor){field, hint, hint->name, hint->position};
}

static inline const BideValue *cursor_field(Cursor *cursor, const BideValue *object) {
  const BideValue *found;
  if (object->type != BIDE_OBJECT)
    return &bide_search_nothing;
  if (cursor->position < object->length &&
      object->as.members[cursor->position].name == cursor->name)
    return &object->as.members[cursor->position].value;
  found = bide_search_find(cursor->field, object, cursor->hint);
  cursor->name = cursor->hint->name;
  cursor->position = cursor->hint->position;
  return found;
}

/* ---- walks over contiguous elements, which were charged before ---- */

/* Walks a[]. */
static void walk_all(BideSearch *search, const BideNode *node, const BideValue *elements,
                     uint32_t count, BideSink *sink) {
  (void)node;
  for (uint32_t i = 0; i < count && continues(search, sink); i++)
    if (elements[i].type != BIDE_NULL)
      bide_sink_take(search, sink, &elements[i]);
}

/* Walks a[].b. */
static void walk_field(BideSearch *search, const BideNode *node, const BideValue *elements,
                       uint32_t count, BideSink *sink) {
  Cursor cursor = cursor_at(search, node->as.project.each);
  for (uint32_t i = 0; i < count && continues(search, sink); i++) {
    const BideValue *element = cursor_field(&cursor, &elements[i]);
    if (element->type != BIDE_NULL)
      bide_sink_take(search, sink, element);
  }
}

/* Walks a[].b.c. */
static void walk_path(BideSearch *search, const BideNode *node, const BideValue *elements,
                      uint32_t count, BideSink *sink) {
  const BideNode *const *fields = bide_node_items(node->as.project.each);
  uint32_t depth = node->as.project.each->as.list.count;
  for (uint32_t i = 0; i < count && continues(search, sink); i++) {
    const BideValue *element = bide_search_field(search, fields[0], &elements[i]);
    for (uint32_t j = 1; j < depth; j++)
      element = bide_search_field(search, fields[j], element);
    if (element->type != BIDE_NULL)
      bide_sink_take(search, sink, element);
  }
}

/* Walks a[?state == 'running']. */
static void walk_by_text(BideSearch *search, const BideNode *node, const BideValue *elements,
                         uint32_t count, BideSink *sink) {
  const BideNode *condition = node->as.project.condition;
  BideValue room;
  for (uint32_t i = 0; i < count && continues(search, sink); i++) {
    const BideValue *element;
    if (!bide_search_text_holds(search, condition, &elements[i]))
      continue;
    element = each_of(search, node, &elements[i], &room);
    if (element->type != BIDE_NULL)
      bide_sink_take(search, sink, element);
  }
}

/* Projects b and c of one element of a[].[b, c][]. */
static inline void project_items(BideSearch *search, const BideNode *node, const BideValue *element,
                                 BideSink *sink) {
  const BideNode *list = node->as.project.body;
  BideValue room;
  for (uint32_t i = 0; i < list->as.list.count && !search->failed; i++)
    project_element(search, node->as.project.flatten,
                    bide_search_by_reference(search, list->as.list.items[i], element, &room), sink);
}

static void walk_items(BideSearch *search, const BideNode *node, const BideValue *elements,
                       uint32_t count, BideSink *sink) {
  for (uint32_t i = 0; i < count && !search->failed && !may_stop(node, sink); i++)
    if (passes(search, node, &elements[i]) && elements[i].type != BIDE_NULL)
      project_items(search, node, &elements[i], sink);
}

/* Walks a[].[b][]. */
static void walk_item(BideSearch *search, const BideNode *node, const BideValue *elements,
                      uint32_t count, BideSink *sink) {
  const BideNode *item = node->as.project.each;
  for (uint32_t i = 0; i < count && !search->failed && !may_stop(node, sink); i++) {
    BideValue value;
    if (!passes(search, node, &elements[i]) || elements[i].type == BIDE_NULL)
      continue;
    value = bide_search_evaluate(search, item, &elements[i]);
    if (value.type != BIDE_NULL)
      bide_sink_take(search, sink, &value);
  }
}

static void walk_each(BideSearch *search, const BideNode *node, const BideValue *elements,
                      uint32_t count, BideSink *sink) {
  for (uint32_t i = 0; i < count && !search->failed && !may_stop(node, sink); i++)
    project_element(search, node, &elements[i], sink);
}

/* Returns the walker of a projection with a folded flatten. Fields may skip the check for null. */
static BideWalker *walker_of_folded(const BideNode *projection) {
  const BideNode *each = projection->as.project.each;
  if (each == projection->as.project.body)
    return walk_items;
  if (projection->as.project.condition != NULL)
    return walk_item;
  if (projection->as.project.each_is_path)
    return walk_path;
  return each->kind == BIDE_NODE_FIELD ? walk_field : walk_item;
}

BideWalker *bide_search_walker(const BideNode *projection) {
  const BideNode *condition = projection->as.project.condition;
  const BideNode *each = projection->as.project.each;
  if (projection->as.project.flatten != NULL)
    return walker_of_folded(projection);
  if (condition != NULL)
    return condition->is_field_and_text && !projection->can_raise ? walk_by_text : walk_each;
  if (each == NULL)
    return walk_all;
  if (projection->as.project.each_is_path)
    return walk_path;
  return each->kind == BIDE_NODE_FIELD ? walk_field : walk_each;
}

static void project_one(BideSearch *search, const BideNode *node, const BideValue *element,
                        BideSink *sink) {
  node->as.project.walk(search, node, element, 1, sink);
}

/* Charges for this projection before running it on one element. */
static void project_fed(BideSearch *search, const BideNode *node, const BideValue *element,
                        BideSink *sink) {
  if (bide_search_charge(search, node->weight))
    project_one(search, node, element, sink);
}

static void project_flat(BideSearch *search, const BideNode *node, const BideValue *element,
                         BideSink *sink) {
  if (element->type == BIDE_ARRAY)
    bide_search_walk(search, node, element->as.elements, element->length, sink);
  else
    project_fed(search, node, element, sink);
}

/* Counts the leading elements that are not arrays, usually all; flatten keeps them as they are. */
static uint32_t count_flat(const BideValue *elements, uint32_t count) {
  uint32_t flat = 0;
  while (flat < count && elements[flat].type != BIDE_ARRAY)
    flat++;
  return flat;
}

static void project_flattened(BideSearch *search, const BideNode *node, const BideValue *array,
                              BideSink *sink) {
  uint32_t i = 0;
  while (i < array->length && !search->failed && !may_stop(node, sink)) {
    const BideValue *element = &array->as.elements[i];
    uint32_t flat = count_flat(element, array->length - i);
    if (flat > 0)
      bide_search_walk(search, node, element, flat, sink);
    else if (bide_search_charge(search, 1))
      bide_search_walk(search, node, element->as.elements, element->length, sink);
    i += flat > 0 ? flat : 1;
  }
}

static void project_members(BideSearch *search, const BideNode *node, const BideValue *object,
                            BideSink *sink) {
  if (!bide_search_charge(search, (uint64_t)object->length * node->weight))
    return;
  for (uint32_t i = 0; i < object->length && !search->failed && !may_stop(node, sink); i++)
    project_one(search, node, &object->as.members[i].value, sink);
}

/* ---- slices ---- */

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* Converts a bound as Python does: negative ones count from the end; clamps it to the array. */
static int64_t bound(int64_t value, int64_t length, int64_t low, int64_t high) {
  if (value < 0)
    value = value < -length ? low : value + length;
  return clamp(value, low, high);
}

static void project_slice(BideSearch *search, const BideNode *node, const BideValue *array,
                          BideSink *sink) {
  const BideSlice *slice = node->as.project.slice;
  int64_t length = array->length;
  bool forward = slice->step > 0;
  int64_t low = forward ? 0 : -1, high = forward ? length : length - 1;
  int64_t start = slice->has_start ? bound(slice->start, length, low, high) : forward ? low : high;
  int64_t stop = slice->has_stop ? bound(slice->stop, length, low, high) : forward ? high : low;
  int64_t step = clamp(slice->step, -length - 1, length + 1);
  if (!bide_search_charge(search, (uint64_t)array->length * node->weight))
    return;
  for (int64_t i = start; forward ? i < stop : i > stop; i += step) {
    if (search->failed || may_stop(node, sink))
      return;
    project_one(search, node, &array->as.elements[i], sink);
  }
}

bool bide_search_feed_value(BideSearch *search, const BideNode *node, const BideValue *value,
                            BideSink *sink) {
  BideProjection variant = (BideProjection)node->variant;
  if (value->type != (variant == BIDE_PROJECT_VALUES ? BIDE_OBJECT : BIDE_ARRAY))
    return false;
  switch (variant) {
    case BIDE_PROJECT_LIST:
    case BIDE_PROJECT_FILTER:
      bide_search_walk(search, node, value->as.elements, value->length, sink);
      break;
    case BIDE_PROJECT_FLATTEN: project_flattened(search, node, value, sink); break;
    case BIDE_PROJECT_VALUES: project_members(search, node, value, sink); break;
    case BIDE_PROJECT_SLICE: project_slice(search, node, value, sink); break;
  }
  return !search->failed;
}

/* ---- projections in a row ---- */

static void take_element(BideSearch *search, BideSink *sink, const BideValue *element) {
  Stage *stage = (Stage *)sink;
  project_fed(search, stage->node, element, stage->next);
  sink->is_done = may_stop(stage->node, stage->next);
}

static void take_flat(BideSearch *search, BideSink *sink, const BideValue *element) {
  Stage *stage = (Stage *)sink;
  project_flat(search, stage->node, element, stage->next);
  sink->is_done = may_stop(stage->node, stage->next);
}

/* Reports whether a projection can be fed one by one; a slice must know the number of elements. */
static bool can_be_fed(const BideNode *node) {
  return node->variant == BIDE_PROJECT_LIST || node->variant == BIDE_PROJECT_FLATTEN ||
         node->variant == BIDE_PROJECT_FILTER;
}

uint32_t bide_search_row(const BideNode *const *steps, uint32_t count) {
  uint32_t row = 1;
  while (row < count && (row < FUSED || steps[row - 1]->as.project.flatten != NULL) &&
         steps[row]->kind == BIDE_NODE_PROJECT && can_be_fed(steps[row]))
    row++;
  return row;
}

/*
** Connects the projections from the last, which feeds the sink, back to the first. Skips a flatten
** that is folded into the one before it.
*/
static bool feed_stages(BideSearch *search, const BideNode *const *steps, uint32_t count,
                        const BideValue *current, BideSink *sink) {
  Stage stages[FUSED];
  for (uint32_t i = count - 1; i > 0; i--) {
    if (steps[i - 1]->as.project.flatten != NULL)
      continue;
    stages[i] = (Stage){
      .sink = {.kind = BIDE_SINK_CALL,
               .take = steps[i]->variant == BIDE_PROJECT_FLATTEN ? take_flat : take_element},
      .node = steps[i],
      .next = sink};
    sink = &stages[i].sink;
  }
  return bide_search_feed_value(search, steps[0], current, sink);
}

bool bide_search_feed_row(BideSearch *search, const BideNode *const *steps, uint32_t count,
                          const BideValue *current, BideSink *sink) {
  if (bide_search_is_one(steps, count))
    return bide_search_feed_value(search, steps[0], current, sink);
  return feed_stages(search, steps, count, current, sink);
}

/* ---- the length of a filter ---- */

/* Counts a[?state == 'running']. No null can pass, so none needs to be dropped. */
static uint32_t count_by_text(BideSearch *search, const BideNode *condition,
                              const BideValue *elements, uint32_t count) {
  Cursor cursor = cursor_at(search, condition->as.pair.left);
  const BideValue *text = &condition->as.pair.right->as.literal;
  uint32_t equal = 0;
  for (uint32_t i = 0; i < count; i++)
    equal += bide_search_is_text(cursor_field(&cursor, &elements[i]), text);
  return equal;
}

static uint32_t count_each(BideSearch *search, const BideNode *condition, const BideValue *elements,
                           uint32_t count) {
  uint32_t passing = 0;
  for (uint32_t i = 0; i < count && !search->failed; i++)
    passing += bide_search_holds(search, condition, &elements[i]) && elements[i].type != BIDE_NULL;
  return passing;
}

uint32_t bide_search_count(BideSearch *search, const BideNode *filter, const BideValue *array) {
  const BideNode *condition = filter->as.project.condition;
  if (!bide_search_charge(search, (uint64_t)array->length * filter->weight))
    return 0;
  if (condition->is_field_and_text && condition->variant == BIDE_OPERATOR_EQUAL)
    return count_by_text(search, condition, array->as.elements, array->length);
  return count_each(search, condition, array->as.elements, array->length);
}

/* ---- lists ---- */

BideValue bide_search_project(BideSearch *search, const BideNode *const *steps, uint32_t count,
                              const BideValue *current) {
  BideSink sink = {.kind = BIDE_SINK_STACK};
  uint32_t base = search->top;
  if (!bide_search_feed_row(search, steps, count, current, &sink)) {
    search->top = base;
    return bide_value_null();
  }
  return bide_search_pop_list(search, base);
}
