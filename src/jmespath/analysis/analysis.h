/*
** The state that the parts of an analysis share. The interface is analyse.h.
*/
#ifndef BIDE_JMESPATH_ANALYSIS_ANALYSIS_H
#define BIDE_JMESPATH_ANALYSIS_ANALYSIS_H

#include "jmespath/analysis/analyse.h"
#include "jmespath/tree.h"

typedef struct BideAnalyser {
  const BideExpression *expression;
  BideArena *arena;
  BideProblem *problems;
  size_t count; /* problems found so far */
  bool failed;  /* memory is exhausted */
} BideAnalyser;

/* Returns the shape of the result of `node` for `current`; never NULL. */
const BideShape *bide_analysis_of(BideAnalyser *analyser, const BideNode *node,
                                  const BideShape *current);

/* Returns the common shape of all members of an object. */
const BideShape *bide_analysis_of_members(BideAnalyser *analyser, const BideShape *object);

/* Returns the shape of the result of a CALL; in analyse_call.c. */
const BideShape *bide_analysis_of_call(BideAnalyser *analyser, const BideNode *node,
                                       const BideShape *current);

/* Returns `shape`. If it is NULL, notes that memory is exhausted and returns "any". */
const BideShape *bide_analysis_keep(BideAnalyser *analyser, const BideShape *shape);

/* Adds a problem at `node`, with a message as by printf. */
void bide_analysis_report(BideAnalyser *analyser, BideSeverity severity, BideProblemKind kind,
                          const BideNode *node, const char *format, ...)
  __attribute__((format(printf, 5, 6)));

#endif
