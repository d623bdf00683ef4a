/*
** Parses tokens into the tree by operator precedence.
*/
#ifndef BIDE_JMESPATH_PARSER_H
#define BIDE_JMESPATH_PARSER_H

#include "jmespath/tree.h"

/*
** The limit of consecutive comparators, as in a == b == c, in a whole expression. They are the
** only left-recursive construct that is not a flat list, so they make the tree deeper.
*/
#define BIDE_JMESPATH_COMPARATORS 256

/* The longest expression, in bytes. */
#define BIDE_JMESPATH_LENGTH ((size_t)65536)

/*
** Parses `expression->text`, which must be valid UTF-8 with the padding of json/scan.h, and sets
** the other members. Returns false on failure, with the errors of bide_jmespath_compile.
*/
bool bide_parse(BideArena *arena, BideExpression *expression, BideError *error);

#endif
