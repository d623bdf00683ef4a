/*
** A search under way, as the parts of the engine share it. Not for others:
** jmespath.h is the interface.
**
** Values are handed on by their address, so that a field of a document costs no
** copy; what is made new is returned. A failure is noted in the search, with what
** is returned then of no use; whoever loops looks at `failed` once a turn,
** everybody else may go on with null.
*/
#ifndef BIDE_JMESPATH_SEARCH_H
#define BIDE_JMESPATH_SEARCH_H

#include "jmespath/tree.h"
#include "json/scan.h"

/*
** What one search may cost: about one unit for each value that it looks at,
** makes or compares, and for each 16 bytes of text that it makes. The fuzzers have
** less, so that what costs nothing shows as what takes long.
*/
#ifndef BIDE_JMESPATH_WORK
#define BIDE_JMESPATH_WORK (UINT64_C(100) * 1000 * 1000)
#endif

/* What one search may allocate. */
#define BIDE_JMESPATH_BYTES ((size_t)256 << 20)

/*
** How large a result may be once it is written out: in values, and 16 bytes of
** text as one more. A value that is part of it several times counts each time;
** only an expression that repeats values this often is looked after.
*/
#define BIDE_JMESPATH_RESULT (UINT64_C(10) * 1000 * 1000)
#define BIDE_JMESPATH_COPIES 64

/* Where a field was found last: in the next object it is mostly at the same place. */
typedef struct BideHint {
  const char *name; /* the pointer that objects of one document share */
  uint32_t position;
} BideHint;

struct BideSearch {
  const BideExpression *expression;
  BideArena *scratch;
  BideError *error;
  BideHint *hints;
  BideValue *stack; /* elements of lists that are being made */
  uint32_t top;
  uint32_t capacity;
  uint64_t work; /* that is left */
  size_t room;   /* to allocate */
  bool failed;
};

/*
** Who takes the elements of a projection, one by one, in place of a list of them.
** Most often they go on the search's stack, or are only counted; that needs no
** call.
*/
typedef enum BideSinkKind {
  BIDE_SINK_STACK,
  BIDE_SINK_COUNT,
  BIDE_SINK_CALL
} BideSinkKind;

struct BideSink {
  BideSinkKind kind;
  bool is_done; /* whoever feeds it may stop, if nothing that is left can raise */
  uint32_t count;
  void (*take)(BideSearch *search, BideSink *sink, const BideValue *element);
};

/* What evaluates nodes of that kind; the parser leaves it in each. */
BideEvaluator *bide_search_evaluator(const BideNode *node);

/* What walks that projection, by its condition and body; the parser leaves it there too. */
BideWalker *bide_search_walker(const BideNode *projection);

static inline BideValue bide_search_evaluate(BideSearch *search, const BideNode *node,
                                             const BideValue *current) {
  return node->evaluate(search, node, current);
}

/*
** Of stream.c. Projections that stand in a row in a chain run as one; how many
** of `steps`, the first of which projects, do so:
*/
uint32_t bide_search_row(const BideNode *const *steps, uint32_t count);

/* Whether such a row is one projection, with the flatten that may be folded into it. */
static inline bool bide_search_is_one(const BideNode *const *row, uint32_t count) {
  return count == 1 || (count == 2 && row[0]->as.project.flatten != NULL);
}

/* Runs such a row into a sink; false where its result is null. */
bool bide_search_feed_row(BideSearch *search, const BideNode *const *steps, uint32_t count,
                          const BideValue *current, BideSink *sink);

/* The same for one projection, with what is folded into it. */
bool bide_search_feed_value(BideSearch *search, const BideNode *projection,
                            const BideValue *current, BideSink *sink);

/* How many elements of an array a filter without a body gives. */
uint32_t bide_search_count(BideSearch *search, const BideNode *filter, const BideValue *array);

/* Runs such a row into a list. */
BideValue bide_search_project(BideSearch *search, const BideNode *const *steps, uint32_t count,
                              const BideValue *current);

/* Notes that the work is used up; returns false. */
bool bide_search_fail_work(BideSearch *search);

/* Takes units of work; false, with the failure noted, when they are used up. */
static inline bool bide_search_charge(BideSearch *search, uint64_t units) {
  if (units > search->work)
    return bide_search_fail_work(search);
  search->work -= units;
  return true;
}

/* Memory from the scratch arena, within the limits; NULL with the failure noted. */
void *bide_search_alloc(BideSearch *search, size_t size);

/* Notes a failure at `node`, if it is the first; returns null for `return`. */
BideValue bide_search_fail(BideSearch *search, BideErrorCode code, const BideNode *node,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Notes that a value is too deep; returns null. */
BideValue bide_search_fail_depth(BideSearch *search, const BideNode *node);

/* An array or object that the search has made: null, with the failure noted, where it is too deep. */
static inline BideValue bide_search_made(BideSearch *search, const BideNode *node, BideValue made) {
  return made.depth > BIDE_DEPTH ? bide_search_fail_depth(search, node) : made;
}

/* Makes room for one more element on the stack; false with the failure noted. */
bool bide_search_grow(BideSearch *search);

static inline void bide_search_push(BideSearch *search, const BideValue *value) {
  if (search->top < search->capacity || bide_search_grow(search))
    search->stack[search->top++] = *value;
}

/* The list of what stands on the stack from `base` on, which it takes off. */
BideValue bide_search_pop_list(BideSearch *search, uint32_t base);

static inline void bide_sink_take(BideSearch *search, BideSink *sink,
                                  const BideValue *element) {
  if (sink->kind == BIDE_SINK_STACK)
    bide_search_push(search, element);
  else if (sink->kind == BIDE_SINK_COUNT)
    sink->count++;
  else
    sink->take(search, sink, element);
}

/* What is not there. */
extern const BideValue bide_search_nothing;

/* Finds a field whose hint was of no use, and leaves a better one. */
const BideValue *bide_search_find(const BideNode *node, const BideValue *object, BideHint *hint);

static inline const BideValue *bide_search_field(BideSearch *search, const BideNode *node,
                                                 const BideValue *current) {
  BideHint *hint = &search->hints[node->as.field.hint];
  if (current->type != BIDE_OBJECT)
    return &bide_search_nothing;
  if (hint->position < current->length &&
      current->as.members[hint->position].name == hint->name)
    return &current->as.members[hint->position].value;
  return bide_search_find(node, current, hint);
}

/*
** Evaluates `node` by reference: returns a pointer to the result where it is already stored,
** in the document or in the expression. A result that must be built is stored in `*room`.
*/
static inline const BideValue *bide_search_by_reference(BideSearch *search, const BideNode *node,
                                                        const BideValue *current,
                                                        BideValue *room) {
  if (node->kind == BIDE_NODE_FIELD)
    return bide_search_field(search, node, current);
  if (node->kind == BIDE_NODE_LITERAL)
    return &node->as.literal;
  *room = bide_search_evaluate(search, node, current);
  return room;
}

/* Whether `value` is the string `text`; their types and lengths are compared as one word. */
static inline bool bide_search_is_text(const BideValue *value, const BideValue *text) {
  return bide_load_word((const char *)value) == bide_load_word((const char *)text) &&
         bide_bytes_equal(value->as.string, text->as.string, text->length);
}

/* state == 'running': the comparison that filters consist of most. */
static inline bool bide_search_text_holds(BideSearch *search, const BideNode *node,
                                          const BideValue *current) {
  const BideValue *value = bide_search_field(search, node->as.pair.left, current);
  return bide_search_is_text(value, &node->as.pair.right->as.literal) ==
         (node->variant == BIDE_OPERATOR_EQUAL);
}

/* Takes elements that stand side by side through a projection; pays for them. */
static inline void bide_search_walk(BideSearch *search, const BideNode *projection,
                                    const BideValue *elements, uint32_t count, BideSink *sink) {
  if (bide_search_charge(search, (uint64_t)count * projection->weight))
    projection->as.project.walk(search, projection, elements, count, sink);
}

/* What runs most is a filter, and needs no more than this. */
static inline bool bide_search_feed_one(BideSearch *search, const BideNode *projection,
                                        const BideValue *current, BideSink *sink) {
  if (projection->variant != BIDE_PROJECT_FILTER || current->type != BIDE_ARRAY)
    return bide_search_feed_value(search, projection, current, sink);
  bide_search_walk(search, projection, current->as.elements, current->length, sink);
  return !search->failed;
}

/* bide_search_feed for what is no field and a row of projections. */
bool bide_search_feed_other(BideSearch *search, const BideNode *node, const BideValue *current,
                            BideSink *sink, BideValue *value);

/*
** Evaluates `node`; where it gives a list that would have to be made, its
** elements go to `sink` instead and true is returned. Otherwise `*value` is what
** it gives.
*/
static inline bool bide_search_feed(BideSearch *search, const BideNode *node,
                                    const BideValue *current, BideSink *sink, BideValue *value) {
  const BideNode *const *steps = bide_node_items(node);
  uint32_t row = node->as.list.count - 1;
  if (!node->is_field_and_row)
    return bide_search_feed_other(search, node, current, sink, value);
  current = bide_search_field(search, steps[0], current);
  if (bide_search_is_one(steps + 1, row)
        ? bide_search_feed_one(search, steps[1], current, sink)
        : bide_search_feed_row(search, steps + 1, row, current, sink))
    return true;
  *value = bide_value_null();
  return false;
}

/* Whether what `node` gives counts as true; for conditions, whose value nobody wants. */
bool bide_search_holds(BideSearch *search, const BideNode *node, const BideValue *current);

/* Whether two values are equal; pays for what is compared. */
bool bide_search_equal_deeply(BideSearch *search, const BideValue *a, const BideValue *b);

/* The same; what is compared most is compared without a call. */
static inline bool bide_search_equal(BideSearch *search, const BideValue *a, const BideValue *b) {
  if (a->type <= BIDE_TRUE || b->type <= BIDE_TRUE)
    return a->type == b->type;
  if (a->type == BIDE_INTEGER && b->type == BIDE_INTEGER)
    return a->as.integer == b->as.integer;
  if (a->type == BIDE_STRING && b->type == BIDE_STRING)
    return a->length == b->length && bide_bytes_equal(a->as.string, b->as.string, a->length);
  return bide_search_equal_deeply(search, a, b);
}

static inline bool bide_value_is_false(const BideValue *value) {
  return value->type <= BIDE_FALSE || (value->type >= BIDE_STRING && value->length == 0);
}

#endif
