/*
** Matchers: what each member of the "Matcher union" expects of an attempt. A value of
** the wrong type, a null, an empty list does not match; no matcher raises an error.
*/
#ifndef BIDE_WAIT_MATCHER_H
#define BIDE_WAIT_MATCHER_H

#include "wait/definition.h"

/* What came of an attempt: an output or an error, never both. Borrowed. */
typedef struct BideObservation {
  const BideValue *input;
  const BideValue *output; /* NULL where the operation raised an operation error */
  BideText error_type;     /* of that error */
  int64_t status;          /* the HTTP status of the answer or of the error; 0 for none */
  bool transient;          /* whether that error is of a kind that passes */
  int64_t retry_after;     /* how long the service asked to wait, in milliseconds; 0 for not */
} BideObservation;

struct BideMatcherKind {
  const char *name; /* of the member */

  /* Reads the member's value into `matcher`, whose texts and paths the definition's arena
     holds; as bide_definition_add. NULL for a matcher that the host asks, written in Lua. */
  bool (*compile)(BideMatcher *matcher, const BideValue *argument, BideDefinition *definition,
                  BideError *error);

  /* As bide_matcher_matches; NULL where `compile` is. */
  bool (*matches)(const BideMatcher *matcher, const BideObservation *observation,
                  BideArena *scratch, BideError *note);
};

/* Every kind; the name of the last row is NULL. */
extern const BideMatcherKind bide_matcher_kinds[];

/* Whether the host asks it: bide_matcher_matches never does. */
static inline bool bide_matcher_is_of_host(const BideMatcher *matcher) {
  return matcher->kind->matches == NULL;
}

/*
** Asks one matcher, which is not the host's. `scratch` holds what the path's
** evaluation makes; the caller resets it. Where the evaluation fails there is no
** match, and `note` says why (its code is BIDE_OK else).
*/
bool bide_matcher_matches(const BideMatcher *matcher, const BideObservation *observation,
                          BideArena *scratch, BideError *note);

#endif
