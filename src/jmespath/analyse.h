/*
** What can be told of an expression before it runs: the shape of its result over
** an input of a known shape, and what is wrong with it there.
*/
#ifndef BIDE_JMESPATH_ANALYSE_H
#define BIDE_JMESPATH_ANALYSE_H

#include "jmespath/jmespath.h"
#include "jmespath/shape.h"

typedef enum BideSeverity {
  BIDE_SEVERITY_WARNING, /* it makes no sense */
  BIDE_SEVERITY_DANGER,  /* it finds nothing, ever */
  BIDE_SEVERITY_ERROR    /* it fails, whenever it gets there */
} BideSeverity;

typedef enum BideProblemKind {
  BIDE_PROBLEM_MEMBER,     /* a member that does not exist */
  BIDE_PROBLEM_ACCESS,     /* a field, an index or a projection of what has none */
  BIDE_PROBLEM_COMPARATOR, /* an order of what has none */
  BIDE_PROBLEM_ARGUMENT,   /* a function is given what it does not take */
  BIDE_PROBLEM_PROJECTION  /* implementations disagree on whether a projection ends here */
} BideProblemKind;

typedef struct BideProblem {
  struct BideProblem *next;
  BideSeverity severity;
  BideProblemKind kind;
  BideError error; /* message and place; the code is TYPE */
} BideProblem;

typedef struct BideAnalysis {
  const BideShape *shape; /* of the result */
  BideProblem *problems;  /* the first hundred, in the order of their places; NULL for none */
} BideAnalysis;

/*
** Analyses `expression` over an input of the shape `input`. What is found lives in
** `arena`. False where memory is out.
*/
bool bide_jmespath_analyse(const BideExpression *expression, const BideShape *input,
                           BideArena *arena, BideAnalysis *analysis, BideError *error);

/* "danger", "unknown-member", …; static strings. */
const char *bide_severity_name(BideSeverity severity);
const char *bide_problem_name(BideProblemKind kind);

#endif
