/*
** Whether a matcher matches what an attempt has shown. A value of the wrong
** type, a null, an empty list does not match; nothing here raises.
*/
#ifndef BIDE_WAIT_MATCHER_H
#define BIDE_WAIT_MATCHER_H

#include "wait/definition.h"

/* What came of an attempt: an output or an error, never both. Borrowed. */
typedef struct BideObservation {
  const BideValue *input;
  const BideValue *output; /* NULL where the operation raised an operation error */
  BideText error_type;     /* of that error */
  bool transient;          /* whether that error is of a kind that passes */
  int64_t retry_after;     /* how long the service asked to wait, in milliseconds; 0 for not */
} BideObservation;

/*
** Asks one matcher; never one of the kind BIDE_MATCHER_HOST. `scratch` holds
** what the path's evaluation makes; the caller resets it. Where the evaluation
** fails there is no match, and `note` says why (its code is BIDE_OK else).
*/
bool bide_matcher_matches(const BideMatcher *matcher, const BideObservation *observation,
                          BideArena *scratch, BideError *note);

#endif
