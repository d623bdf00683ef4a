/*
** Matches attempts against the members of the "Matcher union". A value of the wrong type, a null or
** an empty list does not match; no matcher raises an error.
*/
#ifndef BIDE_WAIT_MATCHER_H
#define BIDE_WAIT_MATCHER_H

#include "jmespath/asked.h"
#include "wait/definition.h"

/* The result of an attempt: an output or an error, never both. Its pointers are borrowed. */
typedef struct BideObservation {
  const BideValue *input;   /* may be NULL unless the definition reads_input */
  const BideValue *output;  /* NULL if the operation failed with an error */
  const BideAnswer *answer; /* the answer of HTTP that the output is of; NULL without one */
  BideText error_type;      /* of that error */
  int64_t status;           /* the HTTP status of the response or of the error; 0 without one */
  bool transient;           /* the error is likely to disappear by itself */
  bool is_own;              /* not an answer: nothing was asked, or it cannot be read */
  int64_t retry_after;      /* the service's Retry-After in milliseconds; 0 without one */
  bool is_unread;           /* the output is empty since the answer was not JSON */
  BideAsked *seen;          /* what conditions saw in the wait's outputs; NULL if nothing is kept */
} BideObservation;

/* Returns the name of a comparator, as bide_state_name does that of a state. */
const char *bide_comparator_name(BideComparator comparator);

struct BideMatcherKind {
  const char *name; /* of the union's member */

  /* Compiles the member's value into `matcher`; the definition's arena owns its texts and paths.
     Fails as bide_definition_add. NULL for a matcher in Lua, which the host calls. */
  bool (*compile)(BideMatcher *matcher, const BideValue *argument, BideDefinition *definition,
                  BideError *error);

  /* Does the work of bide_matcher_matches. NULL if `compile` is NULL. */
  bool (*matches)(const BideMatcher *matcher, const BideObservation *observation,
                  BideArena *scratch, BideError *note);
};

/* All kinds. A row whose name is NULL ends the table. */
extern const BideMatcherKind bide_matcher_kinds[];

/* Reports whether the host calls this matcher, since it is written in Lua. */
static inline bool bide_matcher_is_of_host(const BideMatcher *matcher) {
  return matcher->kind->matches == NULL;
}

/* Reports whether this is the matcher that any error matches, whatever its type. */
bool bide_matcher_takes_any_error(const BideMatcher *matcher);

/*
** Reports whether `matcher`, which is not one of the host, matches the observation. `scratch` holds
** the values that evaluating a path creates; the caller resets it. If the evaluation fails, the
** matcher does not match and `note` holds the error; otherwise the code of `note` is BIDE_OK.
*/
bool bide_matcher_matches(const BideMatcher *matcher, const BideObservation *observation,
                          BideArena *scratch, BideError *note);

/*
** Adds to `seen` what the matcher, if it has conditions, asks of the output, and sets `is_blind` if
** the output cannot answer: it was not read, or a member is asked of a whole that is not an object.
*/
void bide_matcher_look(const BideMatcher *matcher, const BideObservation *observation);

/* Returns the conditions of a matcher, and their number: 0 if it has none. */
const BideCondition *bide_matcher_conditions(const BideMatcher *matcher, uint32_t *count);

/*
** Returns the numbers of the members of a condition that were asked for and that no output had, as
** bits by bide_asking_name.
*/
uint64_t bide_condition_missing(const BideCondition *condition, const BideAsked *seen);

#endif
