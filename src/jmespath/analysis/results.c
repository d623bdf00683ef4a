#include "jmespath/analysis/results.h"

#include <string.h>

/* Sets within sets are compared to this depth; beyond it anything is possible. */
#define DEPTH 8

/* The most members of an object that are known. */
#define MOST_MEMBERS 32

/* The most members that one join visits: shapes may be huge, and may contain themselves. */
#define MOST_JOINABLE 4096

/* The range of no number: joined with another range it is the other one. */
static const BideRange no_numbers = {INFINITY, -INFINITY, true};

const BideResults bide_results_any = {
  .types = BIDE_RESULT_ANY, .range = {-INFINITY, INFINITY, false}, .most = UINT32_MAX};
const BideResults bide_results_none = {.range = {INFINITY, -INFINITY, true}};

unsigned bide_result_type(const BideValue *value) {
  switch ((BideType)value->type) {
    case BIDE_NULL: return BIDE_RESULT_NULL;
    case BIDE_FALSE: return BIDE_RESULT_FALSE;
    case BIDE_TRUE: return BIDE_RESULT_TRUE;
    case BIDE_INTEGER:
    case BIDE_UNSIGNED:
    case BIDE_DOUBLE: return BIDE_RESULT_NUMBER;
    case BIDE_STRING: return value->length == 0 ? BIDE_RESULT_EMPTY_STRING : BIDE_RESULT_STRING;
    case BIDE_ARRAY: return BIDE_RESULT_ARRAY;
    case BIDE_OBJECT: return value->length == 0 ? BIDE_RESULT_EMPTY_OBJECT : BIDE_RESULT_OBJECT;
  }
  return 0;
}

/* ---- ranges ---- */

/* Moves the bounds of whole numbers inward to such a number. */
static BideRange tighten(BideRange range) {
  if (range.is_whole) {
    range.low = ceil(range.low);
    range.high = floor(range.high);
  }
  return range;
}

static BideRange range_of_number(const BideValue *number) {
  double nearest = number->type == BIDE_DOUBLE     ? number->as.number
                   : number->type == BIDE_UNSIGNED ? (double)number->as.unsigned_integer
                                                   : (double)number->as.integer;
  BideValue rounded = bide_value_double(nearest);
  int order = bide_value_compare_numbers(number, &rounded);
  return (BideRange){.low = order < 0 ? nextafter(nearest, -INFINITY) : nearest,
                     .high = order > 0 ? nextafter(nearest, INFINITY) : nearest,
                     .is_whole = number->type != BIDE_DOUBLE || floor(nearest) == nearest};
}

static bool is_empty_range(const BideRange *range) {
  return range->low > range->high;
}

static BideRange join_ranges(const BideRange *a, const BideRange *b) {
  return (BideRange){fmin(a->low, b->low), fmax(a->high, b->high), a->is_whole && b->is_whole};
}

static BideRange meet_ranges(const BideRange *a, const BideRange *b) {
  return tighten(
    (BideRange){fmax(a->low, b->low), fmin(a->high, b->high), a->is_whole || b->is_whole});
}

unsigned bide_range_orders(const BideRange *a, const BideRange *b) {
  BideRange both = meet_ranges(a, b);
  return (is_empty_range(&both) ? 0u : BIDE_ORDER_EQUAL) |
         (a->low < b->high ? BIDE_ORDER_LESS : 0u) | (b->low < a->high ? BIDE_ORDER_MORE : 0u);
}

/* ---- making ---- */

void *bide_results_take(BideSets *sets, size_t size) {
  void *memory = bide_arena_alloc(sets->arena, size);
  sets->failed = sets->failed || memory == NULL;
  return memory;
}

const BideResults *bide_results_keep(BideSets *sets, BideResults set) {
  BideResults *kept = bide_results_take(sets, sizeof *kept);
  if (kept == NULL)
    return &bide_results_any;
  *kept = set;
  if ((set.types & BIDE_RESULT_NUMBER) == 0)
    kept->range = no_numbers;
  return kept;
}

const BideResults *bide_results_arrays(BideSets *sets, const BideResults *element, uint32_t least,
                                       uint32_t most) {
  return bide_results_keep(sets, (BideResults){.types = BIDE_RESULT_ARRAY,
                                               .element = element,
                                               .least = least,
                                               .most = sets->of_shapes ? UINT32_MAX : most});
}

/* Returns a set by the types, the numbers and the lengths of values. */
static BideResults summary(const BideValue *values, size_t count) {
  BideResults set = {.range = no_numbers, .least = UINT32_MAX};
  for (size_t i = 0; i < count; i++) {
    set.types |= bide_result_type(&values[i]);
    if (bide_value_is_number(&values[i])) {
      BideRange one = range_of_number(&values[i]);
      set.range = join_ranges(&set.range, &one);
    }
    if (values[i].type == BIDE_ARRAY) {
      set.least = values[i].length < set.least ? values[i].length : set.least;
      set.most = values[i].length > set.most ? values[i].length : set.most;
    }
  }
  return set;
}

const BideResults *bide_results_of_values(BideSets *sets, const BideValue *values, size_t count) {
  BideResults set = summary(values, count);
  BideValue *copy;
  if (count > BIDE_RESULTS_LISTED)
    return bide_results_keep(sets, set);
  copy = bide_results_take(sets, (count + 1) * sizeof *copy);
  if (copy == NULL)
    return &bide_results_any;
  for (size_t i = 0; i < count; i++) {
    bool is_known = false;
    for (uint32_t j = 0; j < set.count && !is_known; j++)
      is_known = bide_value_equal(&copy[j], &values[i]);
    if (!is_known)
      copy[set.count++] = values[i];
  }
  set.values = copy;
  return bide_results_keep(sets, set);
}

/* Keeps a set, and lists its values if its types determine them. */
static const BideResults *keep_listed(BideSets *sets, BideResults set) {
  const unsigned types_of_one = BIDE_RESULT_NULL | BIDE_RESULT_BOOLEANS | BIDE_RESULT_EMPTY_STRING;
  BideValue values[4];
  size_t count = 0;
  if ((set.types & ~types_of_one) != 0)
    return bide_results_keep(sets, set);
  if ((set.types & BIDE_RESULT_NULL) != 0)
    values[count++] = bide_value_null();
  if ((set.types & BIDE_RESULT_FALSE) != 0)
    values[count++] = bide_value_boolean(false);
  if ((set.types & BIDE_RESULT_TRUE) != 0)
    values[count++] = bide_value_boolean(true);
  if ((set.types & BIDE_RESULT_EMPTY_STRING) != 0)
    values[count++] = bide_value_string("", 0);
  return bide_results_of_values(sets, values, count);
}

const BideResults *bide_results_of_types(BideSets *sets, unsigned types) {
  return keep_listed(sets, bide_results_all(types));
}

const BideResults *bide_results_of_value(BideSets *sets, BideValue value) {
  return bide_results_of_values(sets, &value, 1);
}

static const BideResultMember *member_of(const BideResults *set, const char *name,
                                         uint32_t length) {
  for (uint32_t i = 0; i < set->member_count; i++)
    if (set->members[i].length == length && memcmp(set->members[i].name, name, length) == 0)
      return &set->members[i];
  return NULL;
}

/* ---- joining ---- */

static const BideResults *join_within(BideSets *sets, const BideResults *a, const BideResults *b,
                                      int depth);

static const BideResults *join_listed(BideSets *sets, const BideResults *a, const BideResults *b) {
  BideValue values[2 * BIDE_RESULTS_LISTED];
  memcpy(values, a->values, a->count * sizeof *values);
  memcpy(values + a->count, b->values, b->count * sizeof *values);
  return bide_results_of_values(sets, values, a->count + b->count);
}

/* Returns what is known of a set without its list of values, or a shape. */
static BideResults plain(BideSets *sets, const BideResults *set) {
  return set->values == NULL ? bide_results_unfolded(sets, set) : summary(set->values, set->count);
}

static const BideResults *join_elements(BideSets *sets, const BideResults *a, const BideResults *b,
                                        int depth) {
  if (a->most == 0)
    return b->element;
  if (b->most == 0)
    return a->element;
  if (a->element == NULL || b->element == NULL || depth == DEPTH)
    return NULL;
  return join_within(sets, a->element, b->element, depth + 1);
}

static void join_arrays(BideSets *sets, BideResults *to, const BideResults *a, const BideResults *b,
                        int depth) {
  if ((a->types & BIDE_RESULT_ARRAY) == 0 || (b->types & BIDE_RESULT_ARRAY) == 0) {
    const BideResults *from = (a->types & BIDE_RESULT_ARRAY) != 0 ? a : b;
    to->least = from->least;
    to->most = from->most;
    to->element = from->element;
    to->items = from->items;
    return;
  }
  to->least = a->least < b->least ? a->least : b->least;
  to->most = a->most > b->most ? a->most : b->most;
  to->element = join_elements(sets, a, b, depth);
}

/* Returns what the members of objects may be that are not known by name. */
static const BideResults *others_of(const BideResults *set) {
  if (set->is_closed)
    return &bide_results_none;
  return set->others == NULL ? &bide_results_any : set->others;
}

/* Returns what a member of that name may be; an empty set if the objects do not have it. */
static const BideResults *part(BideSets *sets, const BideResults *set, const char *name,
                               uint32_t length) {
  const BideShape *of = set->shape == NULL ? NULL : bide_shape_member(set->shape, name, length);
  const BideResultMember *member = member_of(set, name, length);
  if (set->shape != NULL)
    return of == NULL ? &bide_results_none : bide_results_of_shape(sets, of);
  return member != NULL ? member->results : others_of(set);
}

static void join_members(BideSets *sets, BideResults *to, const BideResults *a,
                         const BideResults *b, int depth) {
  uint32_t most = a->member_count + b->member_count;
  BideResultMember *members = NULL;
  if (depth < DEPTH && most <= sets->joinable)
    members = bide_results_take(sets, (most + 1) * sizeof *members);
  if (members == NULL)
    return;
  sets->joinable -= most;
  to->members = members;
  for (uint32_t i = 0; i < most; i++) {
    bool is_of_a = i < a->member_count;
    BideResultMember member = is_of_a ? a->members[i] : b->members[i - a->member_count];
    const BideResults *other = part(sets, is_of_a ? b : a, member.name, member.length);
    if (!is_of_a && member_of(a, member.name, member.length) != NULL)
      continue;
    if (bide_results_is_empty(other))
      member.results = bide_results_or_null(sets, member.results);
    member.results = join_within(sets, member.results, other, depth + 1);
    members[to->member_count++] = member;
  }
  to->others = join_within(sets, others_of(a), others_of(b), depth + 1);
  to->is_closed = a->is_closed && b->is_closed && (sets->of_shapes || 2 * to->member_count == most);
}

static void join_objects(BideSets *sets, BideResults *to, const BideResults *a,
                         const BideResults *b, int depth) {
  const BideResults *from = (a->types & BIDE_RESULT_OBJECTS) != 0 ? a : b;
  if ((a->types & BIDE_RESULT_OBJECTS) != 0 && (b->types & BIDE_RESULT_OBJECTS) != 0) {
    join_members(sets, to, a, b, depth);
    return;
  }
  to->members = from->members;
  to->member_count = from->member_count;
  to->is_closed = from->is_closed;
  to->others = from->others;
}

static const BideResults *join_within(BideSets *sets, const BideResults *a, const BideResults *b,
                                      int depth) {
  BideResults one, other, set;
  if (a->types == 0 || a == b || b == &bide_results_any)
    return b;
  if (b->types == 0 || a == &bide_results_any ||
      (a->shape != NULL && a->shape == b->shape && a->types == b->types))
    return a;
  if (sets->of_shapes && bide_results_kind(a) != bide_results_kind(b))
    return &bide_results_any;
  if (a->values != NULL && b->values != NULL)
    return join_listed(sets, a, b);
  one = plain(sets, a);
  other = plain(sets, b);
  set = bide_results_all(one.types | other.types);
  set.range = join_ranges(&one.range, &other.range);
  join_arrays(sets, &set, &one, &other, depth);
  join_objects(sets, &set, &one, &other, depth);
  return bide_results_keep(sets, set);
}

const BideResults *bide_results_join(BideSets *sets, const BideResults *a, const BideResults *b) {
  sets->joinable = MOST_JOINABLE;
  return join_within(sets, a, b, 0);
}

const BideResults *bide_results_or_null(BideSets *sets, const BideResults *set) {
  BideResults with = *set;
  if ((set->types & BIDE_RESULT_NULL) != 0)
    return set;
  if (set->values != NULL && !sets->of_shapes)
    return bide_results_join(sets, set, bide_results_of_types(sets, BIDE_RESULT_NULL));
  with.values = NULL;
  with.types |= BIDE_RESULT_NULL;
  return keep_listed(sets, with);
}

/* ---- meeting ---- */

static const BideResults *meet_within(BideSets *sets, const BideResults *a, const BideResults *b,
                                      int depth);

/* Returns the listed values that `other` may contain. */
static const BideResults *filter(BideSets *sets, const BideResults *listed,
                                 const BideResults *other) {
  BideValue values[BIDE_RESULTS_LISTED];
  size_t count = 0;
  for (uint32_t i = 0; i < listed->count; i++)
    if (bide_results_may_contain(other, &listed->values[i]))
      values[count++] = listed->values[i];
  return bide_results_of_values(sets, values, count);
}

/* Adds the members of both; a name that both have gets what both allow. */
static void meet_members(BideSets *sets, BideResults *to, const BideResults *a,
                         const BideResults *b, int depth) {
  uint32_t most = a->member_count + b->member_count, count = 0;
  BideResultMember *members = bide_results_take(sets, (most + 1) * sizeof *members);
  if (members == NULL)
    return;
  for (uint32_t i = 0; i < a->member_count; i++) {
    const BideResultMember *other = member_of(b, a->members[i].name, a->members[i].length);
    members[count] = a->members[i];
    if (other != NULL && depth < DEPTH)
      members[count].results = meet_within(sets, a->members[i].results, other->results, depth + 1);
    /* No object has a member that cannot be. */
    if (bide_results_is_empty(members[count].results))
      to->types &= ~(unsigned)BIDE_RESULT_OBJECTS;
    count++;
  }
  for (uint32_t i = 0; i < b->member_count && count < MOST_MEMBERS; i++)
    if (member_of(a, b->members[i].name, b->members[i].length) == NULL)
      members[count++] = b->members[i];
  to->members = members;
  to->member_count = count;
  to->is_closed = (a->is_closed || b->is_closed) && count >= b->member_count;
  to->others = a->others == NULL ? b->others : a->others;
}

/* Reports whether the items of an array may be among its elements. */
static bool may_hold_items(const BideResults *array) {
  if (array->items == NULL || array->element == NULL)
    return true;
  for (uint32_t i = 0; i < array->least; i++)
    if (!bide_results_may_equal(array->items[i], array->element))
      return false;
  return true;
}

static void meet_arrays(BideSets *sets, BideResults *to, const BideResults *a, const BideResults *b,
                        int depth) {
  to->least = a->least > b->least ? a->least : b->least;
  to->most = a->most < b->most ? a->most : b->most;
  to->items = a->items != NULL ? a->items : b->items;
  to->element = a->element == NULL ? b->element : a->element;
  if (a->element != NULL && b->element != NULL && depth < DEPTH)
    to->element = meet_within(sets, a->element, b->element, depth + 1);
  if (to->element != NULL && bide_results_is_empty(to->element))
    to->most = 0;
  if (to->least > to->most || !may_hold_items(to))
    to->types &= ~(unsigned)BIDE_RESULT_ARRAY;
}

static const BideResults *meet_within(BideSets *sets, const BideResults *a, const BideResults *b,
                                      int depth) {
  BideResults set, one, other;
  if (a == b || b == &bide_results_any)
    return a;
  if (a == &bide_results_any)
    return b;
  if (a->values != NULL)
    return filter(sets, a, b);
  if (b->values != NULL)
    return filter(sets, b, a);
  set = bide_results_all(a->types & b->types);
  set.range = meet_ranges(&a->range, &b->range);
  if (is_empty_range(&set.range))
    set.types &= ~(unsigned)BIDE_RESULT_NUMBER;
  one = bide_results_unfolded(sets, a);
  other = bide_results_unfolded(sets, b);
  meet_arrays(sets, &set, &one, &other, depth);
  meet_members(sets, &set, &one, &other, depth);
  return keep_listed(sets, set);
}

const BideResults *bide_results_meet(BideSets *sets, const BideResults *a, const BideResults *b) {
  return meet_within(sets, a, b, 0);
}

const BideResults *bide_results_select(BideSets *sets, const BideResults *set, unsigned types) {
  BideResults kept = *set;
  if (set->values != NULL)
    return bide_results_meet(sets, set, bide_results_keep(sets, bide_results_all(types)));
  kept.types &= types;
  return keep_listed(sets, kept);
}

static const unsigned types_of_true = BIDE_RESULT_TRUE | BIDE_RESULT_NUMBER | BIDE_RESULT_STRING |
                                      BIDE_RESULT_ARRAY | BIDE_RESULT_OBJECT;
static const unsigned types_of_false = BIDE_RESULT_NULL | BIDE_RESULT_FALSE |
                                       BIDE_RESULT_EMPTY_STRING | BIDE_RESULT_ARRAY |
                                       BIDE_RESULT_EMPTY_OBJECT;

const BideResults *bide_results_select_truth(BideSets *sets, const BideResults *set, bool truth) {
  BideResults of_truth = bide_results_all(truth ? types_of_true : types_of_false);
  of_truth.least = truth ? 1 : 0;
  of_truth.most = truth ? UINT32_MAX : 0;
  return bide_results_meet(sets, set, bide_results_keep(sets, of_truth));
}

/* ---- asking ---- */

bool bide_results_is_empty(const BideResults *set) {
  return set->types == 0;
}

bool bide_results_may_be(const BideResults *set, bool truth) {
  unsigned types = set->types & (truth ? types_of_true : types_of_false);
  if ((types & ~(unsigned)BIDE_RESULT_ARRAY) != 0)
    return true;
  return types != 0 && (truth ? set->most > 0 : set->least == 0);
}

const BideValue *bide_results_only(const BideResults *set) {
  return set->values != NULL && set->count == 1 ? set->values : NULL;
}

static bool may_contain(const BideResults *set, const BideValue *value, int depth);

static bool may_contain_array(const BideResults *set, const BideValue *array, int depth) {
  if (array->length < set->least || array->length > set->most)
    return false;
  for (uint32_t i = 0; i < array->length && i < BIDE_RESULTS_LISTED && depth < DEPTH; i++) {
    const BideResults *element = set->items != NULL ? set->items[i] : set->element;
    if (element != NULL && !may_contain(element, &array->as.elements[i], depth + 1))
      return false;
  }
  return true;
}

static bool may_contain_object(const BideResults *set, const BideValue *object, int depth) {
  uint32_t present = 0;
  for (uint32_t i = 0; i < set->member_count && depth < DEPTH; i++) {
    const BideResultMember *member = &set->members[i];
    const BideValue *value = bide_value_member(object, member->name, member->length);
    BideValue absent = bide_value_null();
    present += value != NULL;
    if (!may_contain(member->results, value == NULL ? &absent : value, depth + 1))
      return false;
  }
  return !set->is_closed || depth == DEPTH || present == object->length;
}

static bool may_contain(const BideResults *set, const BideValue *value, int depth) {
  BideRange one;
  if ((set->types & bide_result_type(value)) == 0)
    return false;
  if (set->values != NULL) {
    for (uint32_t i = 0; i < set->count; i++)
      if (bide_value_equal(&set->values[i], value))
        return true;
    return false;
  }
  if (value->type == BIDE_ARRAY)
    return may_contain_array(set, value, depth);
  if (value->type == BIDE_OBJECT)
    return may_contain_object(set, value, depth);
  if (!bide_value_is_number(value))
    return true;
  one = range_of_number(value);
  return (bide_range_orders(&set->range, &one) & BIDE_ORDER_EQUAL) != 0;
}

bool bide_results_may_contain(const BideResults *set, const BideValue *value) {
  return may_contain(set, value, 0);
}

static bool may_equal(const BideResults *a, const BideResults *b, int depth);

static bool may_equal_arrays(const BideResults *a, const BideResults *b, int depth) {
  uint32_t least = a->least > b->least ? a->least : b->least;
  if (least > (a->most < b->most ? a->most : b->most))
    return false;
  if (a->items != NULL && b->items != NULL) {
    for (uint32_t i = 0; i < least; i++)
      if (!may_equal(a->items[i], b->items[i], depth))
        return false;
    return true;
  }
  return least == 0 || a->element == NULL || b->element == NULL ||
         may_equal(a->element, b->element, depth);
}

static bool may_equal_any(const BideResults *listed, const BideResults *other) {
  for (uint32_t i = 0; i < listed->count; i++)
    if (bide_results_may_contain(other, &listed->values[i]))
      return true;
  return false;
}

static bool may_equal(const BideResults *a, const BideResults *b, int depth) {
  unsigned both = a->types & b->types;
  if (a->values != NULL || b->values != NULL)
    return a->values != NULL ? may_equal_any(a, b) : may_equal_any(b, a);
  if (depth == DEPTH || (both & ~(unsigned)(BIDE_RESULT_NUMBER | BIDE_RESULT_ARRAY)) != 0)
    return both != 0;
  if ((both & BIDE_RESULT_NUMBER) != 0 &&
      (bide_range_orders(&a->range, &b->range) & BIDE_ORDER_EQUAL) != 0)
    return true;
  return (both & BIDE_RESULT_ARRAY) != 0 && may_equal_arrays(a, b, depth + 1);
}

bool bide_results_may_equal(const BideResults *a, const BideResults *b) {
  return may_equal(a, b, 0);
}

bool bide_results_may_hold(const BideResults *set, const BideResults *elements) {
  if ((set->types & BIDE_RESULT_ARRAY) == 0 || set->most == 0)
    return false;
  if (set->values == NULL && set->items == NULL)
    return set->element == NULL || bide_results_may_equal(set->element, elements);
  for (uint32_t i = 0; set->values != NULL && i < set->count; i++)
    for (uint32_t j = 0; set->values[i].type == BIDE_ARRAY && j < set->values[i].length; j++)
      if (bide_results_may_contain(elements, &set->values[i].as.elements[j]))
        return true;
  for (uint32_t i = 0; set->items != NULL && i < set->least; i++)
    if (bide_results_may_equal(set->items[i], elements))
      return true;
  return false;
}

/* ---- parts ---- */

const BideResults *bide_results_elements(BideSets *sets, const BideResults *set) {
  const BideResults *joined = &bide_results_none;
  if ((set->types & BIDE_RESULT_ARRAY) == 0 || set->most == 0)
    return sets->of_shapes ? &bide_results_any : joined;
  if (set->shape != NULL)
    return bide_results_of_shape(sets, set->shape->element);
  if (set->values == NULL && (set->items == NULL || set->element != NULL))
    return set->element == NULL ? &bide_results_any : set->element;
  for (uint32_t i = 0; set->values != NULL && i < set->count; i++)
    if (set->values[i].type == BIDE_ARRAY)
      joined = bide_results_join(
        sets, joined,
        bide_results_of_values(sets, set->values[i].as.elements, set->values[i].length));
  for (uint32_t i = 0; set->items != NULL && i < set->least; i++)
    joined = bide_results_join(sets, joined, set->items[i]);
  return joined;
}

const BideResults *bide_results_element(BideSets *sets, const BideResults *set, int64_t index) {
  const BideResults *null = bide_results_of_types(sets, BIDE_RESULT_NULL);
  int64_t from_start = index < 0 ? -(index + 1) : index;
  BideResults of = bide_results_unfolded(sets, set);
  const BideResults *element = of.element == NULL ? &bide_results_any : of.element;
  if (sets->of_shapes)
    return bide_results_or_null(sets, element);
  if ((set->types & BIDE_RESULT_ARRAY) == 0 || from_start >= set->most)
    return set->types == 0 ? &bide_results_none : null;
  if (set->items != NULL)
    element = set->items[index < 0 ? set->least - 1 - from_start : index];
  if (set->types == BIDE_RESULT_ARRAY && from_start < set->least)
    return element;
  return bide_results_or_null(sets, element);
}

const BideResults *bide_results_member(BideSets *sets, const BideResults *set, const char *name,
                                       uint32_t length) {
  const BideResults *null = bide_results_of_types(sets, BIDE_RESULT_NULL), *member;
  if ((set->types & BIDE_RESULT_OBJECT) == 0)
    return set->types == 0 ? &bide_results_none : null;
  member = part(sets, set, name, length);
  return set->types == BIDE_RESULT_OBJECT && !bide_results_is_empty(member)
           ? member
           : bide_results_or_null(sets, member);
}

bool bide_results_may_have(BideSets *sets, const BideResults *set, const char *name,
                           uint32_t length) {
  return !bide_results_is_empty(part(sets, set, name, length));
}

const BideResults *bide_results_any_member(BideSets *sets, const BideResults *set) {
  BideResults of = bide_results_unfolded(sets, set);
  const BideResults *common = others_of(&of);
  for (uint32_t i = 0; i < of.member_count; i++)
    common = bide_results_join(sets, common, of.members[i].results);
  return sets->of_shapes && bide_results_is_empty(common) ? &bide_results_any : common;
}
