/*
** From tokens to the tree: operator precedence parsing, with the binding powers
** of the specification.
*/
#ifndef BIDE_JMESPATH_PARSER_H
#define BIDE_JMESPATH_PARSER_H

#include "jmespath/tree.h"

/*
** Comparators in a row, as in a == b == c: the one thing that leans left and is no
** list, and so makes a tree deeper. All rows of an expression count as one.
*/
#define BIDE_JMESPATH_COMPARATORS 256

/* Bytes of an expression. */
#define BIDE_JMESPATH_LENGTH ((size_t)65536)

/*
** Parses `expression->text`, which is valid UTF-8 with the padding of
** json/scan.h, and fills in the rest. False on failure, as bide_jmespath_compile.
*/
bool bide_parse(BideArena *arena, BideExpression *expression, BideError *error);

#endif
