/*
** An analysis under way, as its parts share it; analyse.h is the interface.
*/
#ifndef BIDE_JMESPATH_ANALYSIS_H
#define BIDE_JMESPATH_ANALYSIS_H

#include "jmespath/analyse.h"
#include "jmespath/tree.h"

typedef struct BideAnalyser {
  const BideExpression *expression;
  BideArena *arena;
  BideProblem *problems;
  size_t count; /* of the problems */
  bool failed;  /* memory is out */
} BideAnalyser;

/* The shape of what `node` gives over `current`; never NULL. */
const BideShape *bide_analysis_of(BideAnalyser *analyser, const BideNode *node,
                                  const BideShape *current);

/* The same for calls; analyse_call.c. */
const BideShape *bide_analysis_of_call(BideAnalyser *analyser, const BideNode *node,
                                       const BideShape *current);

/* `shape`, or any where it is NULL since memory was out. */
const BideShape *bide_analysis_keep(BideAnalyser *analyser, const BideShape *shape);

void bide_analysis_report(BideAnalyser *analyser, BideSeverity severity, BideProblemKind kind,
                          const BideNode *node, const char *format, ...)
  __attribute__((format(printf, 5, 6)));

#endif
