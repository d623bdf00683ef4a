/*
** Analyses an expression without running it: finds the shape of its result for an input of a known
** shape, and the problems that such an input would show.
*/
#ifndef BIDE_JMESPATH_ANALYSIS_ANALYSE_H
#define BIDE_JMESPATH_ANALYSIS_ANALYSE_H

#include "jmespath/analysis/shape.h"
#include "jmespath/jmespath.h"

typedef enum BideSeverity {
  BIDE_SEVERITY_WARNING, /* probably a mistake */
  BIDE_SEVERITY_DANGER,  /* the result is always null */
  BIDE_SEVERITY_ERROR    /* evaluating the node always fails */
} BideSeverity;

typedef enum BideProblemKind {
  BIDE_PROBLEM_MEMBER,     /* the object has no such member */
  BIDE_PROBLEM_ACCESS,     /* a field, an index or a projection of a value of the wrong type */
  BIDE_PROBLEM_COMPARATOR, /* an ordering comparison of values that are not numbers */
  BIDE_PROBLEM_ARGUMENT,   /* a function does not accept the type of its argument */
  BIDE_PROBLEM_PROJECTION  /* implementations disagree whether the projection ends here */
} BideProblemKind;

typedef struct BideProblem {
  struct BideProblem *next;
  BideSeverity severity;
  BideProblemKind kind;
  BideError error; /* message and place; the code is TYPE */
} BideProblem;

typedef struct BideAnalysis {
  const BideShape *shape; /* of the result */
  BideProblem *problems;  /* up to a hundred, in the order of their places; may be NULL */
  size_t count;           /* of the problems found */
} BideAnalysis;

/*
** Analyses `expression` for an input of the shape `input`. The result lives in `arena`. Returns
** false and sets `error` if memory is exhausted.
*/
bool bide_jmespath_analyse(const BideExpression *expression, const BideShape *input,
                           BideArena *arena, BideAnalysis *analysis, BideError *error);

/* Return "danger", "unknown-member" and so on; static strings. */
const char *bide_severity_name(BideSeverity severity);
const char *bide_problem_name(BideProblemKind kind);

#endif
