/*
** Conditions: what an expression is compared with to decide whether a wait is over, and whether
** any document can make it so.
*/
#ifndef BIDE_JMESPATH_ANALYSIS_CONDITION_H
#define BIDE_JMESPATH_ANALYSIS_CONDITION_H

#include "jmespath/jmespath.h"

/* The results of an expression that count as a yes. */
typedef enum BideYes {
  BIDE_YES_SUCCESS,       /* true, and a list or an object that is not empty */
  BIDE_YES_FAILURE,       /* all but false, null, what is empty, 0 and texts such as "false" */
  BIDE_YES_TRUTH,         /* what counts as true in JMESPath */
  BIDE_YES_TEXT,          /* the string `text`, or a number or a boolean with that JSON text */
  BIDE_YES_VALUE,         /* a scalar that equals `value` */
  BIDE_YES_STRING_EQUALS, /* Smithy's comparators with `text` */
  BIDE_YES_BOOLEAN_EQUALS,
  BIDE_YES_ALL_STRING_EQUALS,
  BIDE_YES_ANY_STRING_EQUALS,
  BIDE_YES_MESSAGE /* a text that is not empty, or a list with one */
} BideYes;

/* What the results of a condition have to be. */
typedef struct BideWanted {
  BideYes yes;
  const char *text; /* TEXT and the comparators */
  size_t length;
  BideValue value; /* VALUE */
} BideWanted;

typedef enum BidePossibility {
  BIDE_VERDICT_MAYBE,
  BIDE_VERDICT_NEVER_YES, /* no document makes the expression a yes */
  BIDE_VERDICT_NEVER_NO   /* every document but null does */
} BidePossibility;

/*
** Decides whether the expression may be a yes. If not, or if it always is, sets `reason` to a
** sentence and its place in the expression. Uses `arena` for its work, and sets `*steps` to the
** units of work that were used, as a search does. Returns false and sets `reason` if memory is
** exhausted.
*/
bool bide_condition_judge(const BideExpression *expression, const BideWanted *wanted,
                          BideArena *arena, BidePossibility *verdict, uint64_t *steps,
                          BideError *reason);

/*
** Finds a comparison of a bare word with what is not constant, as in `status == done`, or a bare
** word as the second argument of contains(), starts_with() or ends_with(): such a word is a member,
** and was probably meant as a text. Returns false if there is none, and otherwise sets `mistake`.
*/
bool bide_condition_bare_word(const BideExpression *expression, BideError *mistake);

/* Returns "maybe", "never-yes" or "never-no"; static strings. */
const char *bide_verdict_name(BidePossibility verdict);

#endif
