/*
** Projections. Elements stream: each goes through filter and body into the sink
** of whoever wants the projection, and a projection over a projection is fed by
** it directly, so that no list in between is made.
*/
#include "jmespath/search.h"

/* How many projections in a row feed each other; of a longer row the first ones make lists. */
#define FUSED 16

/* What a projection does to the elements that another one feeds it. */
typedef struct Stage {
  BideSink sink;
  const BideNode *node;
  BideSink *next;
} Stage;

/* ---- one element ---- */

static inline bool passes(BideSearch *search, const BideNode *node, const BideValue *element) {
  const BideNode *condition = node->as.project.condition;
  if (condition == NULL)
    return true;
  return condition->is_field_and_text ? bide_search_text_holds(search, condition, element)
                                      : bide_search_holds(search, condition, element);
}

static inline const BideValue *body_of(BideSearch *search, const BideNode *node,
                                       const BideValue *element, BideValue *room) {
  const BideNode *body = node->as.project.body;
  if (body == NULL)
    return element;
  if (!node->as.project.body_is_path)
    return bide_search_look(search, body, element, room);
  for (uint32_t i = 0; i < body->as.list.count; i++)
    element = bide_search_field(search, body->as.list.items[i], element);
  return element;
}

static void project_items(BideSearch *search, const BideNode *list, const BideValue *current,
                          BideSink *sink);

/* Through filter and body; what is null then is dropped. */
static inline void project_element(BideSearch *search, const BideNode *node,
                                   const BideValue *element, BideSink *sink) {
  BideValue room;
  if (!passes(search, node, element))
    return;
  if (node->as.project.body_is_list && sink->kind == BIDE_SINK_FLATTEN) {
    project_items(search, node->as.project.body, element, sink);
    return;
  }
  element = body_of(search, node, element, &room);
  if (element->type != BIDE_NULL)
    bide_sink_take(search, sink, element);
}

/* ---- the elements of a value ---- */

static bool may_stop(const BideNode *node, const BideSink *sink) {
  return sink->is_done && !node->can_raise;
}

/* Whether a loop that cannot raise itself has to go on. */
static inline bool goes_on(const BideSearch *search, const BideSink *sink) {
  return sink->kind < BIDE_SINK_CALL || !(sink->is_done || search->failed);
}

/*
** A field of objects in a row, with its hint in registers. The elements' own loop
** keeps it: what it says is written back when it changes.
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

static inline bool is_text(const BideValue *value, const char *bytes, uint32_t length) {
  return value->type == BIDE_STRING && value->length == length &&
         bide_bytes_equal(value->as.string, bytes, length);
}

/* length(a[?state == 'running']): what has such a field is no null, which would be dropped. */
static uint32_t count_by_text(BideSearch *search, const BideNode *condition,
                              const BideValue *elements, uint32_t count) {
  Cursor cursor = cursor_at(search, condition->as.pair.left);
  const char *bytes = condition->as.pair.right->as.literal.as.string;
  uint32_t length = condition->as.pair.right->as.literal.length;
  uint32_t equal = 0;
  for (uint32_t i = 0; i < count; i++)
    equal += is_text(cursor_field(&cursor, &elements[i]), bytes, length);
  return equal;
}

/* a[?state == 'running'] */
static void project_by_text(BideSearch *search, const BideNode *node, const BideValue *elements,
                            uint32_t count, BideSink *sink) {
  const BideNode *condition = node->as.project.condition;
  BideValue room;
  if (sink->kind == BIDE_SINK_COUNT && node->as.project.body == NULL &&
      condition->variant == BIDE_COMPARE_EQUAL) {
    sink->count += count_by_text(search, condition, elements, count);
    return;
  }
  for (uint32_t i = 0; i < count && goes_on(search, sink); i++) {
    const BideValue *element;
    if (!bide_search_text_holds(search, condition, &elements[i]))
      continue;
    element = body_of(search, node, &elements[i], &room);
    if (element->type != BIDE_NULL)
      bide_sink_take(search, sink, element);
  }
}

/* a[].b.c */
static void project_path(BideSearch *search, const BideNode *node, const BideValue *elements,
                         uint32_t count, BideSink *sink) {
  const BideNode *const *fields = bide_node_items(node->as.project.body);
  uint32_t depth = node->as.project.body->as.list.count;
  for (uint32_t i = 0; i < count && goes_on(search, sink); i++) {
    const BideValue *element = bide_search_field(search, fields[0], &elements[i]);
    for (uint32_t j = 1; j < depth; j++)
      element = bide_search_field(search, fields[j], element);
    if (element->type != BIDE_NULL)
      bide_sink_take(search, sink, element);
  }
}

/* a[].b */
static void project_field(BideSearch *search, const BideNode *node, const BideValue *elements,
                          uint32_t count, BideSink *sink) {
  Cursor cursor = cursor_at(search, node->as.project.body);
  for (uint32_t i = 0; i < count && goes_on(search, sink); i++) {
    const BideValue *element = cursor_field(&cursor, &elements[i]);
    if (element->type != BIDE_NULL)
      bide_sink_take(search, sink, element);
  }
}

static void project_elements(BideSearch *search, const BideNode *node, const BideValue *elements,
                             uint32_t count, BideSink *sink) {
  const BideNode *condition = node->as.project.condition;
  const BideNode *body = node->as.project.body;
  if (!bide_search_charge(search, (uint64_t)count * node->weight))
    return;
  if (condition == NULL && body == NULL) {
    for (uint32_t i = 0; i < count && goes_on(search, sink); i++)
      if (elements[i].type != BIDE_NULL)
        bide_sink_take(search, sink, &elements[i]);
  } else if (condition == NULL && body->kind == BIDE_NODE_FIELD) {
    project_field(search, node, elements, count, sink);
  } else if (condition == NULL && node->as.project.body_is_path) {
    project_path(search, node, elements, count, sink);
  } else if (condition != NULL && condition->is_field_and_text && !node->can_raise) {
    project_by_text(search, node, elements, count, sink);
  } else {
    for (uint32_t i = 0; i < count && !search->failed && !may_stop(node, sink); i++)
      project_element(search, node, &elements[i], sink);
  }
}

/* An element that another projection feeds, which so far only paid for its own. */
static void project_fed(BideSearch *search, const BideNode *node, const BideValue *element,
                        BideSink *sink) {
  if (bide_search_charge(search, node->weight))
    project_element(search, node, element, sink);
}

static void project_flat(BideSearch *search, const BideNode *node, const BideValue *element,
                         BideSink *sink) {
  if (element->type == BIDE_ARRAY)
    project_elements(search, node, element->as.elements, element->length, sink);
  else
    project_fed(search, node, element, sink);
}

/* What is no array stands for itself; mostly they all are none. */
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
      project_elements(search, node, element, flat, sink);
    else if (bide_search_charge(search, 1))
      project_elements(search, node, element->as.elements, element->length, sink);
    i += flat > 0 ? flat : 1;
  }
}

static void project_members(BideSearch *search, const BideNode *node, const BideValue *object,
                            BideSink *sink) {
  if (!bide_search_charge(search, (uint64_t)object->length * node->weight))
    return;
  for (uint32_t i = 0; i < object->length && !search->failed && !may_stop(node, sink); i++)
    project_element(search, node, &object->as.members[i].value, sink);
}

/* ---- slices ---- */

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* A bound as Python has it: from the end where it is negative, then within what there is. */
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
  int64_t start = slice->has_start ? bound(slice->start, length, low, high)
                                   : forward ? low : high;
  int64_t stop = slice->has_stop ? bound(slice->stop, length, low, high)
                                 : forward ? high : low;
  int64_t step = clamp(slice->step, -length - 1, length + 1);
  if (!bide_search_charge(search, (uint64_t)array->length * node->weight))
    return;
  for (int64_t i = start; forward ? i < stop : i > stop; i += step) {
    if (search->failed || may_stop(node, sink))
      return;
    project_element(search, node, &array->as.elements[i], sink);
  }
}

/* False where `value` is nothing that this projection goes over: its result is null then. */
static bool project_value(BideSearch *search, const BideNode *node, const BideValue *value,
                          BideSink *sink) {
  BideProjection variant = (BideProjection)node->variant;
  if (value->type != (variant == BIDE_PROJECT_VALUES ? BIDE_OBJECT : BIDE_ARRAY))
    return false;
  switch (variant) {
    case BIDE_PROJECT_LIST:
    case BIDE_PROJECT_FILTER:
      project_elements(search, node, value->as.elements, value->length, sink);
      break;
    case BIDE_PROJECT_FLATTEN: project_flattened(search, node, value, sink); break;
    case BIDE_PROJECT_VALUES: project_members(search, node, value, sink); break;
    case BIDE_PROJECT_SLICE: project_slice(search, node, value, sink); break;
  }
  return true;
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

/* [a, b] that would be flattened at once: its items are taken without a list of them. */
static void project_items(BideSearch *search, const BideNode *list, const BideValue *current,
                          BideSink *sink) {
  Stage *stage = (Stage *)sink;
  BideValue room;
  if (current->type == BIDE_NULL)
    return;
  for (uint32_t i = 0; i < list->as.list.count && !search->failed; i++)
    project_fed(search, stage->node,
                bide_search_look(search, list->as.list.items[i], current, &room), stage->next);
  sink->is_done = may_stop(stage->node, stage->next);
}

/* A slice has to know how many elements there are. */
static bool can_be_fed(const BideNode *node) {
  return node->variant == BIDE_PROJECT_LIST || node->variant == BIDE_PROJECT_FLATTEN ||
         node->variant == BIDE_PROJECT_FILTER;
}

uint32_t bide_search_row(const BideNode *const *steps, uint32_t count) {
  uint32_t row = 1;
  while (row < count && row < FUSED && steps[row]->kind == BIDE_NODE_PROJECT &&
         can_be_fed(steps[row]))
    row++;
  return row;
}

/* From the last one, which feeds the sink, back to the first. */
static bool feed_stages(BideSearch *search, const BideNode *const *steps, uint32_t count,
                        const BideValue *current, BideSink *sink) {
  Stage stages[FUSED];
  for (uint32_t i = count - 1; i > 0; i--) {
    bool flattens = steps[i]->variant == BIDE_PROJECT_FLATTEN;
    stages[i] = (Stage){.sink = {.kind = flattens ? BIDE_SINK_FLATTEN : BIDE_SINK_CALL,
                                 .take = flattens ? take_flat : take_element},
                        .node = steps[i],
                        .next = sink};
    sink = &stages[i].sink;
  }
  return project_value(search, steps[0], current, sink) && !search->failed;
}

bool bide_search_feed_row(BideSearch *search, const BideNode *const *steps, uint32_t count,
                          const BideValue *current, BideSink *sink) {
  if (count > 1)
    return feed_stages(search, steps, count, current, sink);
  return project_value(search, steps[0], current, sink) && !search->failed;
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
