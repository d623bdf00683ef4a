/*
** A search under way, as the parts of the engine share it. Not for others:
** jmespath.h is the interface.
**
** Values are passed and returned by value: 16 bytes, two registers. A failure
** is noted in the search, with what is returned then of no use; whoever loops
** looks at `failed` once a turn, everybody else may go on with null.
*/
#ifndef BIDE_JMESPATH_SEARCH_H
#define BIDE_JMESPATH_SEARCH_H

#include "jmespath/tree.h"

/*
** What one search may cost: about one unit for each value that it looks at,
** makes or compares, and for each 16 bytes of text that it makes.
*/
#define BIDE_JMESPATH_WORK (UINT64_C(100) * 1000 * 1000)

/* Where a field was found last: in the next object it is mostly at the same place. */
typedef struct BideHint {
  const char *name; /* the pointer that objects of one document share */
  uint32_t position;
} BideHint;

typedef struct BideSearch {
  const BideExpression *expression;
  BideArena *scratch;
  BideError *error;
  BideHint *hints;
  BideValue *stack; /* elements of lists that are being made */
  uint32_t top;
  uint32_t capacity;
  uint64_t work;
  bool failed;
} BideSearch;

/* Who takes the elements of a projection, one by one, in place of a list of them. */
typedef struct BideSink BideSink;
struct BideSink {
  void (*take)(BideSearch *search, BideSink *sink, BideValue element);
  bool is_done; /* whoever feeds it may stop, if nothing that is left can raise */
};

BideValue bide_search_evaluate(BideSearch *search, const BideNode *node, BideValue current);

/*
** Evaluates `node`; where it gives a list that would have to be made, its
** elements go to `sink` instead and true is returned. Otherwise `*value` is what
** it gives.
*/
bool bide_search_feed(BideSearch *search, const BideNode *node, BideValue current,
                      BideSink *sink, BideValue *value);

/*
** Of stream.c. Projections that stand in a row in a chain run as one; how many
** of `steps`, the first of which projects, do so:
*/
uint32_t bide_search_row(BideNode *const *steps, uint32_t count);

/* Runs such a row into a sink; false where its result is null. */
bool bide_search_feed_row(BideSearch *search, BideNode *const *steps, uint32_t count,
                          BideValue current, BideSink *sink);

/* Runs such a row into a list. */
BideValue bide_search_project(BideSearch *search, BideNode *const *steps, uint32_t count,
                              BideValue current);

/* Takes units of work; notes the failure when they are used up. */
bool bide_search_charge(BideSearch *search, uint64_t units);

/* Memory from the scratch arena, paid for; NULL with the failure noted. */
void *bide_search_alloc(BideSearch *search, size_t size);

/* Notes a failure at `node`, if it is the first; returns null for `return`. */
BideValue bide_search_fail(BideSearch *search, BideErrorCode code, const BideNode *node,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Makes room for one more element on the stack; false with the failure noted. */
bool bide_search_grow(BideSearch *search);

static inline void bide_search_push(BideSearch *search, BideValue value) {
  if (search->top < search->capacity || bide_search_grow(search))
    search->stack[search->top++] = value;
}

/* The list of what stands on the stack from `base` on, which it takes off. */
BideValue bide_search_pop_list(BideSearch *search, uint32_t base);

static inline bool bide_value_is_false(BideValue value) {
  return value.type <= BIDE_FALSE || (value.type >= BIDE_STRING && value.length == 0);
}

#endif
