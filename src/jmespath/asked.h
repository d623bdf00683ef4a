/*
** Finds which of the members that an expression asks for by name a value has. A condition
** that is true because a member is absent says nothing if no answer ever had that member: its name
** may be misspelt, or another program may have answered.
*/
#ifndef BIDE_JMESPATH_ASKED_H
#define BIDE_JMESPATH_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "jmespath/jmespath.h"

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
** Adds what the expression asks of `value`. Elements that a filter drops count too. Stops early
** after a million steps, and leaves the rest unasked. `answer` is that of bide_jmespath_search.
*/
void bide_asked_add(const BideExpression *expression, const BideValue *value,
                    const BideAnswer *answer, BideAsked *asked);

#endif
