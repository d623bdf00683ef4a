/*
** Results: the set of values that an expression may have, as far as its text determines it. A set
** is never too small: a value that is not in it cannot be the result, whatever the document.
**
** A set lives in an arena and does not change once it is made. It borrows the values and the sets
** that it is made of.
*/
#ifndef BIDE_JMESPATH_ANALYSIS_RESULTS_H
#define BIDE_JMESPATH_ANALYSIS_RESULTS_H

#include <math.h>

#include "base/arena.h"
#include "jmespath/analysis/shape.h"

/* The types of the values, as bits. Strings and objects that are empty count as false. */
enum {
  BIDE_RESULT_NULL = 1,
  BIDE_RESULT_FALSE = 2,
  BIDE_RESULT_TRUE = 4,
  BIDE_RESULT_NUMBER = 8,
  BIDE_RESULT_EMPTY_STRING = 16,
  BIDE_RESULT_STRING = 32, /* one that is not empty */
  BIDE_RESULT_ARRAY = 64,  /* with `least` to `most` elements */
  BIDE_RESULT_EMPTY_OBJECT = 128,
  BIDE_RESULT_OBJECT = 256, /* one that is not empty */
  BIDE_RESULT_BOOLEANS = BIDE_RESULT_FALSE | BIDE_RESULT_TRUE,
  BIDE_RESULT_STRINGS = BIDE_RESULT_EMPTY_STRING | BIDE_RESULT_STRING,
  BIDE_RESULT_OBJECTS = BIDE_RESULT_EMPTY_OBJECT | BIDE_RESULT_OBJECT,
  BIDE_RESULT_ANY = 511
};

/* The most values that are listed one by one. */
#define BIDE_RESULTS_LISTED 16

/*
** The numbers from `low` to `high`; without a bound, from -INFINITY or to INFINITY. A bound that no
** double holds is the next double outside.
*/
typedef struct BideRange {
  double low, high;
  bool is_whole; /* all of them are whole numbers */
} BideRange;

typedef struct BideResults BideResults;

/* What the lookup of a name gives: null if the object lacks it. */
typedef struct BideResultMember {
  const char *name;
  uint32_t length;
  const BideResults *results;
} BideResultMember;

struct BideResults {
  unsigned types;
  const BideValue *values; /* if not NULL, exactly these `count` values are in the set */
  uint32_t count;
  BideRange range;                 /* of the numbers */
  uint32_t least, most;            /* numbers of elements of the arrays */
  const BideResults *element;      /* of the arrays; NULL is any value */
  const BideResults *const *items; /* of an array of known length, `least`; may be NULL */
  const BideResultMember *members; /* of the objects */
  uint32_t member_count;
  bool is_closed;            /* the objects have no other members */
  const BideResults *others; /* their other members; NULL is any value */
  const BideShape *shape;    /* if not NULL, that of the arrays and objects */
};

/* What the values of a kind are: the name that type() gives, their types, and the set with null. */
typedef struct BideShapeRow {
  const char *name;
  unsigned types;
  BideResults values;
} BideShapeRow;

/* By BideShapeKind. Those from NULL to OBJECT are in the order of the bits from BIDE_TAKES_NULL. */
extern const BideShapeRow bide_shape_rows[];

/* The sets of all values, and of none. */
extern const BideResults bide_results_any;
extern const BideResults bide_results_none;

/*
** Where sets are made. Once memory is exhausted it has failed, and what is made there is the set of
** all values: one check at the end of an analysis suffices.
*/
typedef struct BideSets {
  BideArena *arena;
  bool failed;
  bool of_shapes;    /* closed objects may lack members; joins of kinds are "any" */
  uint32_t joinable; /* members that a join may still visit */
} BideSets;

/* Allocates what a set is made of. If memory is exhausted, sets `failed` and returns NULL. */
void *bide_results_take(BideSets *sets, size_t size);

/* Returns all values of these types, for a caller that says more of them and then keeps the set. */
static inline BideResults bide_results_all(unsigned types) {
  return (BideResults){.types = types, .range = {-INFINITY, INFINITY, false}, .most = UINT32_MAX};
}

const BideResults *bide_results_keep(BideSets *sets, BideResults set);

const BideResults *bide_results_of_types(BideSets *sets, unsigned types);
const BideResults *bide_results_of_value(BideSets *sets, BideValue value);

/* Makes the set of `count` values, which it copies; there may be more than are listed. */
const BideResults *bide_results_of_values(BideSets *sets, const BideValue *values, size_t count);

/* Makes the set of the values of a shape, and null: anything may be absent. */
const BideResults *bide_results_of_shape(BideSets *sets, const BideShape *shape);

/* Makes the set of the values that are built as a literal is; a null in an object is any value. */
const BideResults *bide_results_of_literal(BideSets *sets, const BideValue *literal);

/* Returns a set with the parts that its shape has, each of which keeps its own shape. */
BideResults bide_results_unfolded(BideSets *sets, const BideResults *set);

/* Returns the shape of a set: "any" if its values, but for null, have several types. */
const BideShape *bide_results_shape(BideSets *sets, const BideResults *set);
BideShapeKind bide_results_kind(const BideResults *set);

/* Makes the set of the arrays of `least` to `most` elements, which are among `element`. */
const BideResults *bide_results_arrays(BideSets *sets, const BideResults *element, uint32_t least,
                                       uint32_t most);

/* Returns a set that contains the values of both. */
const BideResults *bide_results_join(BideSets *sets, const BideResults *a, const BideResults *b);

/* Returns a set, and null. */
const BideResults *bide_results_or_null(BideSets *sets, const BideResults *set);

/* Returns a set that contains all values that are in both. */
const BideResults *bide_results_meet(BideSets *sets, const BideResults *a, const BideResults *b);

/* Returns the values of these types, or those that count as true or as false. */
const BideResults *bide_results_select(BideSets *sets, const BideResults *set, unsigned types);
const BideResults *bide_results_select_truth(BideSets *sets, const BideResults *set, bool truth);

/* Report whether a set has no value, may have a true or false one, and may contain `value`. */
bool bide_results_is_empty(const BideResults *set);
bool bide_results_may_be(const BideResults *set, bool truth);
bool bide_results_may_contain(const BideResults *set, const BideValue *value);

/* Reports whether a value of one set may equal a value of the other. */
bool bide_results_may_equal(const BideResults *a, const BideResults *b);

/* Reports whether an element of the arrays of a set may be among `elements`. */
bool bide_results_may_hold(const BideResults *set, const BideResults *elements);

/* Returns the only value of a set, or NULL. */
const BideValue *bide_results_only(const BideResults *set);

/* Orders of two numbers that may occur, as bits; OTHER is that of values that have none. */
enum {
  BIDE_ORDER_LESS = 1,
  BIDE_ORDER_EQUAL = 2,
  BIDE_ORDER_MORE = 4,
  BIDE_ORDER_OTHER = 8,
  BIDE_ORDER_ANY = 15
};

/* Returns the orders that numbers of two ranges may have. */
unsigned bide_range_orders(const BideRange *a, const BideRange *b);

/* Returns what any element of the arrays of a set may be. */
const BideResults *bide_results_elements(BideSets *sets, const BideResults *set);

/* Returns the results of an element at an index that may be out of bounds, and of a member. */
const BideResults *bide_results_element(BideSets *sets, const BideResults *set, int64_t index);
const BideResults *bide_results_member(BideSets *sets, const BideResults *set, const char *name,
                                       uint32_t length);

/* Reports whether an object of a set may have a member of that name. */
bool bide_results_may_have(BideSets *sets, const BideResults *set, const char *name,
                           uint32_t length);

/* Returns what any member of the objects of a set may be. */
const BideResults *bide_results_any_member(BideSets *sets, const BideResults *set);

/* Returns the type of a value as one of the bits. */
unsigned bide_result_type(const BideValue *value);

#endif
