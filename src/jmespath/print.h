/*
** Converts the tree of an expression to a JSON value, which shows people how it was parsed.
*/
#ifndef BIDE_JMESPATH_PRINT_H
#define BIDE_JMESPATH_PRINT_H

#include "jmespath/jmespath.h"

/*
** Makes the value in `arena`: an object for each node, with "type" and "at", the offset in the
** text. The value borrows from the expression. Returns false if memory is exhausted (MEMORY) or
** the value would be too deep (LIMIT).
*/
bool bide_jmespath_tree(const BideExpression *expression, BideArena *arena, BideValue *value,
                        BideError *error);

#endif
