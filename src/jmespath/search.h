/*
** The state that the parts of the search engine share. The interface is jmespath.h.
**
** Existing values are passed by address, so a field of a document is not copied; new values are
** returned. A failure is recorded in the search, and the returned value is then meaningless. Every
** loop must check `failed` in each round; other code may continue with null.
**
** The parser evaluates what is constant, an expression calls functions, and those call expressions:
** the files of this folder need each other, as the language does.
**
** The words of these files:
**
**   evaluator     computes the value of a node for the current value
**   by reference  the same, where the value exists already and is only pointed to
**   hint          where a field was found last
**   step          a part of a chain such as a[*].b[?c].d: a field, a projection, a pipe
**   row           consecutive projections of a chain, which run as one without lists between them
**   to feed       to hand the elements of a row on, one by one
**   sink          what takes them: the stack of a list, a count, or a stage
**   stage         a projection of a row as the sink of the one before it
**   walker        feeds the elements of one projection, chosen by its condition and body
**   fold          to make a flatten ([]) a part of the projection before it
*/
#ifndef BIDE_JMESPATH_SEARCH_H
#define BIDE_JMESPATH_SEARCH_H

#include "jmespath/answer.h"
#include "jmespath/tree.h"
#include "json/scan.h"

/*
** The limit of work of a search: about one unit for each value that it reads, makes or compares,
** and for each 16 bytes of text that it makes. The fuzzers set a smaller one, so that work without
** a charge shows as a slow search.
*/
#ifndef BIDE_JMESPATH_WORK
#define BIDE_JMESPATH_WORK (UINT64_C(100) * 1000 * 1000)
#endif

/* The most bytes that a search may allocate. */
#define BIDE_JMESPATH_BYTES ((size_t)256 << 20)

/*
** The largest result when it is written out: the number of values, plus one for each 16 bytes of
** text. A value that occurs several times counts each time. Only expressions that may repeat a
** value more than BIDE_JMESPATH_COPIES times are checked.
*/
#define BIDE_JMESPATH_RESULT (UINT64_C(10) * 1000 * 1000)
#define BIDE_JMESPATH_COPIES 64

/* Where a field was found last; in the next object it is usually at the same position. */
typedef struct BideHint {
  const char *name; /* objects of one document share this pointer */
  uint32_t position;
} BideHint;

struct BideSearch {
  const BideExpression *expression;
  const BideAnswer *answer; /* may be NULL */
  BideArena *scratch;
  BideError *error;
  BideHint *hints;
  BideValue *stack; /* elements of unfinished lists */
  uint32_t top;
  uint32_t capacity;
  uint64_t work; /* units left */
  size_t room;   /* bytes left to allocate */
  bool failed;
};

/*
** A consumer of the elements of a projection, one by one, which saves making a list. The usual
** ones, which push to the stack of the search or only count, need no function call.
*/
typedef enum BideSinkKind { BIDE_SINK_STACK, BIDE_SINK_COUNT, BIDE_SINK_CALL } BideSinkKind;

struct BideSink {
  BideSinkKind kind;
  bool is_done; /* the feeder may stop if evaluating the rest cannot raise an error */
  uint32_t count;
  void (*take)(BideSearch *search, BideSink *sink, const BideValue *element);
};

/* Returns the evaluator for that kind of node; the builder stores it in the node. */
BideEvaluator *bide_search_evaluator(const BideNode *node);

/* Returns the walker for that projection, by its condition and body; stored in the node too. */
BideWalker *bide_search_walker(const BideNode *projection);

static inline BideValue bide_search_evaluate(BideSearch *search, const BideNode *node,
                                             const BideValue *current) {
  return node->evaluate(search, node, current);
}

/*
** Returns how many of `steps`, the first of which projects, form a row: consecutive projections of
** a chain, which run as one. In stream.c.
*/
uint32_t bide_search_row(const BideNode *const *steps, uint32_t count);

/* Reports whether a row is a single projection, perhaps with a flatten folded into it. */
static inline bool bide_search_is_one(const BideNode *const *row, uint32_t count) {
  return count == 1 || (count == 2 && row[0]->as.project.flatten != NULL);
}

/* Feeds the elements of a row to a sink. Returns false if the result of the row is null. */
bool bide_search_feed_row(BideSearch *search, const BideNode *const *steps, uint32_t count,
                          const BideValue *current, BideSink *sink);

/* Feeds the elements of one projection and its folded flatten. Returns false as above. */
bool bide_search_feed_value(BideSearch *search, const BideNode *projection,
                            const BideValue *current, BideSink *sink);

/* Counts the elements of an array for which a filter without a body holds. */
uint32_t bide_search_count(BideSearch *search, const BideNode *filter, const BideValue *array);

/* Returns the elements of a row as a list, or null. */
BideValue bide_search_project(BideSearch *search, const BideNode *const *steps, uint32_t count,
                              const BideValue *current);

/* Records that the work is used up. Returns false. */
bool bide_search_fail_work(BideSearch *search);

/* Charges units of work. Records a failure and returns false if they are used up. */
static inline bool bide_search_charge(BideSearch *search, uint64_t units) {
  if (units > search->work)
    return bide_search_fail_work(search);
  search->work -= units;
  return true;
}

/* Allocates from the scratch arena, within the limits. Records a failure and returns NULL. */
void *bide_search_alloc(BideSearch *search, size_t size);

/* Records a failure at `node`, if it is the first. Returns null, for use after `return`. */
BideValue bide_search_fail(BideSearch *search, BideErrorCode code, const BideNode *node,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Records that a value is too deep. Returns null. */
BideValue bide_search_fail_depth(BideSearch *search, const BideNode *node);

/* Checks the depth of a new array or object. Records a failure and returns null if too deep. */
static inline BideValue bide_search_made(BideSearch *search, const BideNode *node, BideValue made) {
  return made.depth > BIDE_DEPTH ? bide_search_fail_depth(search, node) : made;
}

/* Makes room for one more element on the stack. Records a failure and returns false. */
bool bide_search_grow(BideSearch *search);

static inline void bide_search_push(BideSearch *search, const BideValue *value) {
  if (search->top < search->capacity || bide_search_grow(search))
    search->stack[search->top++] = *value;
}

/* Pops all elements from `base` on and returns them as a list. Null after a failure. */
BideValue bide_search_pop_list(BideSearch *search, uint32_t base);

static inline void bide_sink_take(BideSearch *search, BideSink *sink, const BideValue *element) {
  if (sink->kind == BIDE_SINK_STACK)
    bide_search_push(search, element);
  else if (sink->kind == BIDE_SINK_COUNT)
    sink->count++;
  else
    sink->take(search, sink, element);
}

/* The null that missing values evaluate to. */
extern const BideValue bide_search_nothing;

/* Finds a field whose hint did not match, and updates the hint. */
const BideValue *bide_search_find(const BideNode *node, const BideValue *object, BideHint *hint);

static inline const BideValue *bide_search_field(BideSearch *search, const BideNode *node,
                                                 const BideValue *current) {
  BideHint *hint = &search->hints[node->as.field.hint];
  if (current->type != BIDE_OBJECT)
    return &bide_search_nothing;
  if (hint->position < current->length && current->as.members[hint->position].name == hint->name)
    return &current->as.members[hint->position].value;
  return bide_search_find(node, current, hint);
}

/*
** Evaluates `node` by reference: returns a pointer to the result where it is already stored,
** in the document or in the expression. A result that must be built is stored in `*room`.
*/
static inline const BideValue *bide_search_by_reference(BideSearch *search, const BideNode *node,
                                                        const BideValue *current, BideValue *room) {
  if (node->kind == BIDE_NODE_FIELD)
    return bide_search_field(search, node, current);
  if (node->kind == BIDE_NODE_LITERAL)
    return &node->as.literal;
  *room = bide_search_evaluate(search, node, current);
  return room;
}

/* Reports whether `value` is the string `text`. Compares types and lengths as one word. */
static inline bool bide_search_is_text(const BideValue *value, const BideValue *text) {
  return bide_load_word((const char *)value) == bide_load_word((const char *)text) &&
         bide_bytes_equal(value->as.string, text->as.string, text->length);
}

/* Evaluates state == 'running', the most frequent comparison in filters. */
static inline bool bide_search_text_holds(BideSearch *search, const BideNode *node,
                                          const BideValue *current) {
  const BideValue *value = bide_search_field(search, node->as.pair.left, current);
  return bide_search_is_text(value, &node->as.pair.right->as.literal) ==
         (node->variant == BIDE_OPERATOR_EQUAL);
}

/* Charges for contiguous elements and feeds them through a projection. */
static inline void bide_search_walk(BideSearch *search, const BideNode *projection,
                                    const BideValue *elements, uint32_t count, BideSink *sink) {
  if (bide_search_charge(search, (uint64_t)count * projection->weight))
    projection->as.project.walk(search, projection, elements, count, sink);
}

/* Feeds one projection; handles filters, the most frequent ones, without a call. */
static inline bool bide_search_feed_one(BideSearch *search, const BideNode *projection,
                                        const BideValue *current, BideSink *sink) {
  if (projection->variant != BIDE_PROJECT_FILTER || current->type != BIDE_ARRAY)
    return bide_search_feed_value(search, projection, current, sink);
  bide_search_walk(search, projection, current->as.elements, current->length, sink);
  return !search->failed;
}

/* Does bide_search_feed for a node that is not a field and a row of projections. */
bool bide_search_feed_other(BideSearch *search, const BideNode *node, const BideValue *current,
                            BideSink *sink, BideValue *value);

/*
** Evaluates `node`. If the result is a list that would have to be made, feeds its elements to
** `sink` and returns true. Otherwise sets `*value` to the result and returns false.
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

/* Reports whether the result of `node` counts as true; for conditions. */
bool bide_search_holds(BideSearch *search, const BideNode *node, const BideValue *current);

/* Compares two values deeply and charges for it. */
bool bide_search_equal_deeply(BideSearch *search, const BideValue *a, const BideValue *b);

/* Compares two values; handles the most frequent types without a call. */
static inline bool bide_search_equal(BideSearch *search, const BideValue *a, const BideValue *b) {
  if (a->type <= BIDE_TRUE || b->type <= BIDE_TRUE)
    return a->type == b->type;
  if (a->type == BIDE_INTEGER && b->type == BIDE_INTEGER)
    return a->as.integer == b->as.integer;
  if (a->type == BIDE_STRING && b->type == BIDE_STRING)
    return a->length == b->length && bide_bytes_equal(a->as.string, b->as.string, a->length);
  return bide_search_equal_deeply(search, a, b);
}

#endif
