/*
** Finds which members an expression asks for by name, and which of them a value has. A condition
** that is true because a member is absent says nothing if no answer ever had that member: its name
** may be misspelt, or another program may have answered.
*/
#ifndef BIDE_JMESPATH_ASKED_H
#define BIDE_JMESPATH_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "jmespath/jmespath.h"

/*
** The most members of an expression that are distinguished. Further ones count as present, so
** that conditions with more are refused where people write them.
*/
#define BIDE_ASKED_MOST 64

/*
** The members of an expression, a bit for each in the order of the text. `asked` has those that
** were asked of a value that is not null, or of an element that a list does not have, `had` those
** that an object had. A member of a member that is absent was not asked.
*/
typedef struct BideAsked {
  uint64_t asked;
  uint64_t had;
  bool is_blind; /* a member was asked of a whole value that is not an object, such as a number */
} BideAsked;

/* Returns the members that were asked for, and that no value had. */
static inline uint64_t bide_asked_missing(const BideAsked *asked) {
  return asked->asked & ~asked->had;
}

/*
** Returns how many members the expression asks for; a name counts at each of its places. A call of
** header(), status() or text() counts as a member, which the answer has or lacks.
*/
uint32_t bide_asked_count(const BideExpression *expression);

/* Returns the bits of all members of the expression. */
uint64_t bide_asked_all(const BideExpression *expression);

/*
** Adds what the expression asks of `value`. Elements that a filter drops count too. Stops early
** after a million steps, and leaves the rest unasked. `answer` is that of bide_jmespath_search.
*/
void bide_asked_add(const BideExpression *expression, const BideValue *value,
                    const BideAnswer *answer, BideAsked *asked);

/*
** Reports whether an expression asks of the answer alone, as header('x-state') == 'ready' does: it
** calls header(), status() or text(), and its result does not depend on the input.
*/
bool bide_asked_is_of_answer(const BideExpression *expression);

/*
** Returns the name of the member with the number `bit`, from 0; NULL if there is none: that of the
** header, or of the function, for a call. The name lives as long as the expression.
*/
const char *bide_asked_name(const BideExpression *expression, unsigned bit, size_t *length);

/* Returns what that is: "member", "header", or "function" for a call without such a name. */
const char *bide_asked_noun(const BideExpression *expression, unsigned bit);

/*
** Evaluates the expression as bide_jmespath_search does, except that a comparison by which an
** absent member could make it true is false: `!a`, `a != b`, `a == b` of two members, and one that
** is true of what is empty, as length(list[?a == 'x']) == `0`, where one of the `missing` members
** is among a and b, and ``header('x') == `null` `` where the answer has no headers; to_array(a) of
** such a member is empty. So the result is a yes only if it does not rest on their absence. Fails
** as bide_jmespath_search.
*/
bool bide_asked_search_without(const BideExpression *expression, uint64_t missing,
                               const BideValue *input, const BideAnswer *answer, BideArena *scratch,
                               BideValue *result, BideError *error);

/*
** Reports whether `value`, that of the expression, may be false, 0 or empty only since one of the
** `missing` members is absent: by a filter, a projection, a comparison or a function.
*/
bool bide_asked_is_emptied(const BideExpression *expression, uint64_t missing,
                           const BideValue *value);

#endif
