/*
** The tree of an expression as a JSON value, for people who want to see how it
** was understood.
*/
#ifndef BIDE_JMESPATH_PRINT_H
#define BIDE_JMESPATH_PRINT_H

#include "jmespath/jmespath.h"

/*
** Makes the value in `arena`: an object with "type" and "at", the offset in the
** text, for each node. It borrows from the expression. False where memory is out.
*/
bool bide_jmespath_tree(const BideExpression *expression, BideArena *arena, BideValue *value,
                        BideError *error);

#endif
