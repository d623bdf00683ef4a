/*
** What a waiter is: its delays and its acceptors, as the Smithy trait has them,
** compiled. A definition is built once and never changes; any number of waits
** use it at a time.
*/
#ifndef BIDE_WAIT_DEFINITION_H
#define BIDE_WAIT_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "jmespath/jmespath.h"
#include "wait/backoff.h"

/* "AcceptorState enum" */
typedef enum BideState { BIDE_SUCCESS, BIDE_FAILURE, BIDE_RETRY } BideState;

/* "Matcher union"; the last is ours: a matcher that the host asks, written in Lua. */
typedef enum BideMatcherKind {
  BIDE_MATCHER_OUTPUT,
  BIDE_MATCHER_INPUT_OUTPUT,
  BIDE_MATCHER_SUCCESS,
  BIDE_MATCHER_ERROR_TYPE,
  BIDE_MATCHER_HOST
} BideMatcherKind;

/* "PathComparator enum" */
typedef enum BideComparator {
  BIDE_STRING_EQUALS,
  BIDE_BOOLEAN_EQUALS,
  BIDE_ALL_STRING_EQUALS,
  BIDE_ANY_STRING_EQUALS
} BideComparator;

typedef struct BideText {
  const char *bytes;
  size_t length;
} BideText;

typedef struct BideMatcher {
  BideMatcherKind kind;
  BideExpression *path;      /* OUTPUT, INPUT_OUTPUT */
  BideComparator comparator; /* OUTPUT, INPUT_OUTPUT */
  BideText expected;         /* OUTPUT, INPUT_OUTPUT; "true" or "false" for BOOLEAN_EQUALS */
  bool success;              /* SUCCESS */
  BideText error_type;       /* ERROR_TYPE: the name part of the shape's id */
} BideMatcher;

typedef struct BideAcceptor {
  BideState state;
  BideMatcher matcher;
} BideAcceptor;

/* How long something goes on: for so many attempts in a row, or for so long; 0 is not asked for. */
typedef struct BideSpan {
  uint64_t attempts;
  int64_t time; /* milliseconds */
} BideSpan;

typedef struct BideDefinition {
  BideArena arena; /* owns what the acceptors point to */
  BideBackoff backoff;
  BideAcceptor *acceptors;
  size_t count;
  size_t capacity;
  const BideFunction *functions; /* of the host, for paths that are added; NULL for none */
  uint32_t depth;                /* of the deepest path, as bide_jmespath_depth */

  /* Beyond the specification; an empty definition asks for none of it. */
  BideSpan hold;           /* how long a success has to last before it is one */
  BideExpression *watched; /* over outputs: where its value changes, the backoff starts anew */
} BideDefinition;

/* Makes an empty definition; false, with the code DEFINITION, where the delays break a rule. */
bool bide_definition_init(BideDefinition *definition, BideBackoff backoff, BideError *error);
void bide_definition_free(BideDefinition *definition);

/*
** Adds an acceptor behind the others. What the texts point to is copied. Both
** return false on failure: a path that does not compile (code and place as
** bide_jmespath_compile), an expected value that is no boolean, no memory.
*/
bool bide_definition_add(BideDefinition *definition, BideState state, BideMatcher matcher,
                         BideError *error);
bool bide_definition_add_path(BideDefinition *definition, BideState state, BideMatcher matcher,
                              BideText path, BideError *error);

/* Watches what the path gives, as `watched`; false as bide_definition_add_path. */
bool bide_definition_watch(BideDefinition *definition, BideText path, BideError *error);

/*
** The name part of an error's type, as AWS's protocols have it: what stands before
** the first colon, and of that what stands behind the first '#'. `ns#Foo:http://…`
** and `Foo:http://x/#y` give `Foo`. The result lies within `type`. Nothing else in
** bide takes types of errors apart.
*/
BideText bide_error_type_name(BideText type);

#endif
