/*
** Searches that take nothing for a yes because a member is absent: what would be true only since no
** answer ever had that member is false. bide_asked_missing() gives such members.
*/
#ifndef BIDE_JMESPATH_ABSENCE_H
#define BIDE_JMESPATH_ABSENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "jmespath/jmespath.h"

/*
** Evaluates the expression as bide_jmespath_search does, except that a comparison by which an
** absent member could make it true is false: `!a`, `a != b`, `a == b` of two members, and one that
** is true of what is empty, as length(list[?a == 'x']) == `0`, where one of the `missing` members
** is among a and b, and ``header('x') == `null` `` where the answer has no headers; to_array(a) of
** such a member is empty. So the result is a yes only if it does not rest on their absence. Fails
** as bide_jmespath_search.
*/
bool bide_absence_search(const BideExpression *expression, uint64_t missing, const BideValue *input,
                         const BideAnswer *answer, BideArena *scratch, BideValue *result,
                         BideError *error);

/*
** Reports whether `value`, that of the expression, may be false, 0 or empty only since one of the
** `missing` members is absent: by a filter, a projection, a comparison or a function.
*/
bool bide_absence_empties(const BideExpression *expression, uint64_t missing,
                          const BideValue *value);

#endif
