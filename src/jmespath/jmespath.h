/*
** JMESPath: compiles an expression once and searches many times. Implements the whole language of
** the specification (jmespath.org/specification.html); docs/jmespath.md lists the answers where
** implementations disagree.
*/
#ifndef BIDE_JMESPATH_H
#define BIDE_JMESPATH_H

#include "base/arena.h"
#include "base/error.h"
#include "json/value.h"

typedef struct BideExpression BideExpression;

/* A function of the language or of the host; see function.h. */
typedef struct BideFunction BideFunction;

/* The answer that header(), status() and text() ask of; see answer.h. */
typedef struct BideAnswer BideAnswer;

/*
** Compiles `text`. The expression lives in `arena` and does not borrow from `text`. `functions` is
** the first of a linked list of functions of the host, which must outlive the expression; NULL for
** none. On failure returns NULL and sets the place in the expression and the code: SYNTAX,
** UNKNOWN_FUNCTION, ARITY, VALUE (a slice whose step is 0), LIMIT or MEMORY.
*/
BideExpression *bide_jmespath_compile(BideArena *arena, const BideFunction *functions,
                                      const char *text, size_t length, BideError *error);

/*
** Evaluates the expression for `input`, and for the answer of HTTP that `input` is of; NULL without
** one. The result borrows from both, from the expression's literals and from `scratch`, which the
** caller resets when it is done with the result. Sets `*steps` to the units of work that were used,
** if it is not NULL. On failure returns false and sets the place in the expression and the code:
** TYPE, VALUE, LIMIT (work or size), MEMORY, or HOST if a function of the host failed.
** An expression stores no state of a search, so any number of searches may use it.
*/
bool bide_jmespath_search(const BideExpression *expression, const BideValue *input,
                          const BideAnswer *answer, BideArena *scratch, BideValue *result,
                          BideError *error, uint64_t *steps);

/* Reports whether the expression calls header(), status() or text(). */
bool bide_jmespath_asks_answer(const BideExpression *expression);

/* Reports whether the expression calls a function of bide's own, which no Smithy model has. */
bool bide_jmespath_has_own(const BideExpression *expression);

/* Reports whether a value counts as false: null, false, and an empty string, array or object. */
static inline bool bide_jmespath_is_false(const BideValue *value) {
  return value->type <= BIDE_FALSE || (value->type >= BIDE_STRING && value->length == 0);
}

/*
** Returns the depth of the expression and of its search: at most BIDE_DEPTH plus
** 256, for comparators in a row.
*/
uint32_t bide_jmespath_depth(const BideExpression *expression);

/* Returns the text of the expression, which lives as long as the expression. */
const char *bide_jmespath_text(const BideExpression *expression, size_t *length);

#endif
