/*
** The compiled definition of a waiter: its delays and its acceptors, as in the Smithy trait.
** A definition is built once and then does not change; any number of waits may use it at a time.
*/
#ifndef BIDE_WAIT_DEFINITION_H
#define BIDE_WAIT_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "jmespath/jmespath.h"
#include "jmespath/yes.h"
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

/*
** Returns the name of a state, as a definition has it; NULL beyond the last one, so that a loop
** from 0 sees all of them. The compiler warns of a state without a name.
*/
const char *bide_state_name(BideState state);

/* A condition on the output: a path gives a text or, without one, a yes. */
typedef struct BideCondition {
  BideExpression *expression;
  BideText text; /* its bytes are NULL if a yes is required */
  BideYesRule rule;
  uint32_t first; /* the number of its first member among those of all conditions */
} BideCondition;

/* A member of the "Matcher union": a row of the table in wait/matcher.h. */
typedef struct BideMatcherKind BideMatcherKind;

/* A compiled matcher. `kind` determines which member of `as` is valid, if any. */
typedef struct BideMatcher {
  const BideMatcherKind *kind;
  union {
    struct {
      BideExpression *expression;
      BideComparator comparator;
      BideText expected; /* "true" or "false" for BOOLEAN_EQUALS */
    } path;              /* output, inputOutput */
    BideCondition expect;
    struct {
      BideCondition *list; /* all of them must hold */
      uint32_t count;
      bool allows_missing; /* a condition may rest on a member that no answer has had */
    } conditions;
    bool success;
    BideText error_type; /* the name part of the shape ID */
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

/* A length in consecutive attempts or, if that is 0, in time. {0, 0} disables the option. */
typedef struct BideSpan {
  uint64_t attempts;
  int64_t time; /* milliseconds */
} BideSpan;

typedef struct BideDefinition {
  BideArena arena; /* owns the memory that the acceptors point to */
  BideBackoff backoff;
  BideAcceptor *acceptors;
  size_t count;
  size_t capacity;
  const BideFunction *functions; /* of the host, for paths that are added; may be NULL */
  uint32_t depth;                /* bide_jmespath_depth of the deepest path */
  uint32_t members;              /* how many members the conditions ask for by name */
  bool reads_input;              /* a matcher reads the input of an observation */

  /*
  ** The position, from 1, of the acceptor that is tried last: it decides on an output which no
  ** failure acceptor matched. If there are other acceptors for success, one of them must match too.
  ** 0 if there is none.
  */
  size_t until;

  /* Options beyond the specification; off in an empty definition. */
  BideSpan hold;           /* how long a success has to last before it ends the wait */
  BideExpression *watched; /* evaluated on outputs: a new value restarts the backoff */
} BideDefinition;

/* Initialises an empty definition. Returns false, with the code DEFINITION, for invalid delays. */
bool bide_definition_init(BideDefinition *definition, BideBackoff backoff, BideError *error);
void bide_definition_free(BideDefinition *definition);

/*
** Adds an acceptor after the others. `argument` is the value of the union's member, as JSON; it is
** copied. Returns false and sets `error` on failure: DEFINITION if the argument has the wrong
** shape, the code and place of bide_jmespath_compile if a path does not compile, or MEMORY.
*/
bool bide_definition_add(BideDefinition *definition, BideState state, const BideMatcherKind *kind,
                         const BideValue *argument, BideError *error);

/* Makes the acceptor that was added last, one for success, the one that is tried last. */
void bide_definition_set_until(BideDefinition *definition);

/* Reports whether there are acceptors for success besides that one. */
bool bide_definition_has_other_success(const BideDefinition *definition);

/* Compiles a path into the definition's arena. Fails as bide_jmespath_compile. */
BideExpression *bide_definition_compile(BideDefinition *definition, BideText path,
                                        BideError *error);

/* Compiles the path into `watched`. Returns false on failure, as bide_definition_add. */
bool bide_definition_watch(BideDefinition *definition, BideText path, BideError *error);

/*
** Returns the name part of an error type, by the rule of AWS's protocols: cuts the text at the
** first colon, and removes everything up to the first '#' from the rest. `ns#Foo:http://…` and
** `Foo:http://x/#y` give `Foo`. The result points into `type`. All of bide uses this function.
*/
BideText bide_error_type_name(BideText type);

#endif
