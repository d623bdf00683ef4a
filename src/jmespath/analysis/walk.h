/*
** Finds the results that an expression may have, for any document: what its literals, operators,
** functions and structure leave possible. Facts that a condition establishes hold for what is
** evaluated after it: in `a == 'x' && a == 'y'` the second comparison is never true.
*/
#ifndef BIDE_JMESPATH_ANALYSIS_WALK_H
#define BIDE_JMESPATH_ANALYSIS_WALK_H

#include "jmespath/analysis/results.h"
#include "jmespath/search.h"

/* How deep a walk goes. */
#define BIDE_WALK_DEPTH 200

/*
** One walk over an expression. It gives "any" once it would take too long. With an `analysis` it is
** one over the shape of an input, and reports problems: it visits all parts, evaluates nothing,
** takes nothing for impossible, and what may be of several kinds for "any".
*/
typedef struct BideWalk {
  const BideExpression *expression;
  BideSets sets;
  BideSearch search;             /* evaluates constant parts */
  BideError error;               /* of that search */
  uint32_t steps;                /* left */
  uint32_t depth;                /* left */
  struct BideAnalysis *analysis; /* of the shape of an input, or NULL */
  bool raises;                   /* what was visited may fail */
} BideWalk;

/* Begins a visit; its end adds one to the depth. Returns false if that would take too long. */
static inline bool bide_walk_enter(BideWalk *walk) {
  if (walk->sets.failed || walk->steps == 0 || walk->depth == 0)
    return false;
  walk->steps--;
  walk->depth--;
  return true;
}

/* What is known of an expression, wherever the current value is the same. */
typedef struct BideFact {
  const struct BideFact *next;
  const BideNode *node;       /* its results are among `results`, */
  const BideResults *results; /* or, if NULL, `left` and `right` are in one of `orders` */
  const BideNode *left, *right;
  unsigned orders;
} BideFact;

/* The current value, and the facts about expressions over it. */
typedef struct BideScope {
  const BideResults *current;
  const BideFact *facts;
  uint32_t count;     /* of the facts */
  bool is_impossible; /* the facts contradict each other */
} BideScope;

/* Prepares a walk. Returns false if memory is exhausted. */
bool bide_walk_init(BideWalk *walk, const BideExpression *expression, BideArena *arena);

/* Returns the units of work that a walk has used. */
uint64_t bide_walk_cost(const BideWalk *walk);

/*
** Returns the results that `node` may have; a node that always fails has none. Sets `raises` of the
** walk if its evaluation may fail instead.
*/
const BideResults *bide_walk_results(BideWalk *walk, const BideNode *node, const BideScope *scope);

/* The same for a CALL; in walk_calls.c. */
const BideResults *bide_walk_call(BideWalk *walk, const BideNode *node, const BideScope *scope);

/* Reports whether a search that was just made failed, and makes the next one possible. */
bool bide_walk_has_failed(BideWalk *walk);

/* Reports whether that search failed for want of work or memory, and says nothing of its result. */
bool bide_walk_is_short(const BideWalk *walk);

/* Returns the values of a set that a function accepts as argument number `position`. */
const BideResults *bide_walk_accepted(BideWalk *walk, const BideNode *call, uint32_t position,
                                      const BideResults *set);

/* ---- problems: analyse.c ---- */

/* Reports a node that cannot apply to the current value; then returns "any" in its place. */
const BideResults *bide_walk_check_current(BideWalk *walk, const BideNode *node,
                                           const BideResults *current);

/* Reports an ordering of what are no numbers, and returns the results of the comparison. */
const BideResults *bide_walk_check_order(BideWalk *walk, const BideNode *node,
                                         const BideResults *left, const BideResults *right);

/* Reports an argument that is never accepted. */
void bide_walk_check_argument(BideWalk *walk, const BideNode *call, uint32_t position,
                              const BideResults *found);

/* ---- facts: walk_facts.c ---- */

/* Adds what follows if `node` counts as true, or as false. */
void bide_scope_assume(BideWalk *walk, BideScope *scope, const BideNode *node, bool truth);

/* Returns those of `results` that the facts about `node` allow. */
const BideResults *bide_scope_narrow(BideWalk *walk, const BideScope *scope, const BideNode *node,
                                     const BideResults *results);

/* Returns the orders of two nodes that the facts allow. */
unsigned bide_scope_orders(BideWalk *walk, const BideScope *scope, const BideNode *left,
                           const BideNode *right);

/* Returns the orders for which an operator gives true. */
unsigned bide_operator_orders(BideOperator comparison);

/* Reports whether two nodes are the same expression, which calls no function of the host. */
bool bide_nodes_equal(BideWalk *walk, const BideNode *a, const BideNode *b);

#endif
