/*
** JMESPath: compile once, search many times. The whole language of the
** specification; where implementations disagree, docs/jmespath.md says what
** this one answers.
*/
#ifndef BIDE_JMESPATH_H
#define BIDE_JMESPATH_H

#include "base/arena.h"
#include "base/error.h"
#include "json/value.h"

typedef struct BideExpression BideExpression;

/* A function that the host adds to the language's own; see function.h. */
typedef struct BideFunction BideFunction;

/*
** Compiles `text`. The expression lives in `arena`; it does not borrow `text`.
** Returns NULL on failure: code SYNTAX, UNKNOWN_FUNCTION, ARITY, VALUE (a slice
** whose step is 0), LIMIT or MEMORY, with the place in the expression.
*/
BideExpression *bide_jmespath_compile(BideArena *arena, const char *text, size_t length,
                                      BideError *error);

/*
** The same where the host has functions of its own: `functions` is the first of
** them, NULL for none. They must outlive the expression.
*/
BideExpression *bide_jmespath_compile_with(BideArena *arena, const BideFunction *functions,
                                           const char *text, size_t length, BideError *error);

/*
** Evaluates against `input`. The result borrows from `input`, from the
** expression's literals and from `scratch`, which the caller resets when it is
** done with the result. Returns false on failure: TYPE, VALUE, LIMIT (work or
** size), MEMORY, or HOST where a function of the host failed; the error's offset
** is the place in the expression.
** An expression holds no state of a search: it may be used for any number.
*/
bool bide_jmespath_search(const BideExpression *expression, const BideValue *input,
                          BideArena *scratch, BideValue *result, BideError *error);

/* The same, and how many steps it took. */
bool bide_jmespath_search_counting(const BideExpression *expression, const BideValue *input,
                                   BideArena *scratch, BideValue *result, BideError *error,
                                   uint64_t *steps);

/* How deeply it is nested, and so its search: at most BIDE_DEPTH, and as many comparators in a row. */
uint32_t bide_jmespath_depth(const BideExpression *expression);

/* The text the expression was compiled from; lives as long as it does. */
const char *bide_jmespath_text(const BideExpression *expression, size_t *length);

#endif
