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

/* A member of the "Matcher union": a row of the table in wait/matcher.h. */
typedef struct BideMatcherKind BideMatcherKind;

/* Each kind has a member of its own in `as`, or none. */
typedef struct BideMatcher {
  const BideMatcherKind *kind;
  union {
    struct {
      BideExpression *expression;
      BideComparator comparator;
      BideText expected; /* "true" or "false" for BOOLEAN_EQUALS */
    } path;              /* output, inputOutput */
    bool success;
    BideText error_type; /* the name part of the shape's id */
    struct {
      const int64_t *list;
      size_t count;
    } statuses;
  } as;
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
** Adds an acceptor after the others. `argument` is what the member of the union says,
** as JSON; nothing of it is kept. Returns false on failure: an argument of the wrong
** shape (DEFINITION), a path that does not compile (code and place as
** bide_jmespath_compile), no memory.
*/
bool bide_definition_add(BideDefinition *definition, BideState state, const BideMatcherKind *kind,
                         const BideValue *argument, BideError *error);

/* Compiles a path into the definition's arena; NULL on failure, as bide_jmespath_compile. */
BideExpression *bide_definition_compile(BideDefinition *definition, BideText path, BideError *error);

/* Watches what the path gives, as `watched`; false as bide_definition_add. */
bool bide_definition_watch(BideDefinition *definition, BideText path, BideError *error);

/*
** The name part of an error's type, as AWS's protocols have it: what stands before
** the first colon, and of that what stands behind the first '#'. `ns#Foo:http://…`
** and `Foo:http://x/#y` give `Foo`. The result lies within `type`. Nothing else in
** bide takes types of errors apart.
*/
BideText bide_error_type_name(BideText type);

#endif
