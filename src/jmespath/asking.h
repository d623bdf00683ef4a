/*
** What an expression asks for by name: members of values, and parts of the answer by header(),
** status() and text(). Each place in the text has a number, and the first of them a bit.
*/
#ifndef BIDE_JMESPATH_ASKING_H
#define BIDE_JMESPATH_ASKING_H

#include <stdbool.h>
#include <stdint.h>

#include "jmespath/jmespath.h"
#include "jmespath/tree.h"

/*
** The most that are distinguished. Further ones count as present, so that conditions with more are
** refused where people write them.
*/
#define BIDE_ASKING_MOST 64

/*
** Returns how many members the expression asks for; a name counts at each of its places. A call of
** header(), status() or text() counts as a member, which the answer has or lacks.
*/
uint32_t bide_asking_count(const BideExpression *expression);

/* Returns the bits of all members of the expression. */
uint64_t bide_asking_all(const BideExpression *expression);

/*
** Returns the name of the member with the number `bit`, from 0; NULL if there is none: that of the
** header, or of the function, for a call. The name lives as long as the expression.
*/
const char *bide_asking_name(const BideExpression *expression, unsigned bit, size_t *length);

/* Returns what that is: "member", "header", or "function" for a call without such a name. */
const char *bide_asking_noun(const BideExpression *expression, unsigned bit);

/*
** Reports whether an expression asks of the answer alone, as header('x-state') == 'ready' does: it
** calls header(), status() or text(), and its result does not depend on the input.
*/
bool bide_asking_is_of_answer(const BideExpression *expression);

/* Report whether a node asks for something by name, and whether it is a call about the answer. */
bool bide_asking_is_node(const BideNode *node);
bool bide_asking_is_call(const BideNode *node);

/* Returns the bit of a node that asks; 0 if it is beyond the most. */
uint64_t bide_asking_bit(const BideNode *node);

/*
** Reports whether an answer, or NULL for none, has what a call of it asks for; false for a header
** whose name is computed.
*/
bool bide_asking_has(const BideAnswer *answer, const BideNode *call);

#endif
