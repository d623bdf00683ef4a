/*
** Binding powers of operators, from the grammar of the specification: `a || b && c` is
** `a || (b && c)`, since && binds more tightly.
*/
#ifndef BIDE_JMESPATH_POWER_H
#define BIDE_JMESPATH_POWER_H

#include "jmespath/lexer.h"

/* How tightly a token binds to the expression on its left; 0 for tokens that cannot follow one. */
enum {
  POWER_PIPE = 1,
  POWER_OR = 2,
  POWER_AND = 3,
  POWER_COMPARATOR = 5,
  POWER_FLATTEN = 9,
  PROJECTION_STOP = 10, /* operators that bind less end a projection */
  POWER_STAR = 20,
  POWER_FILTER = 21,
  POWER_DOT = 40,
  POWER_NOT = 45,
  POWER_BRACE = 50,
  POWER_BRACKET = 55,
  POWER_PARENTHESIS = 60
};

static inline int power_of(BideToken token) {
  switch (token) {
    case BIDE_TOKEN_PIPE: return POWER_PIPE;
    case BIDE_TOKEN_OR: return POWER_OR;
    case BIDE_TOKEN_AND: return POWER_AND;
    case BIDE_TOKEN_EQUAL:
    case BIDE_TOKEN_NOT_EQUAL:
    case BIDE_TOKEN_LESS:
    case BIDE_TOKEN_LESS_EQUAL:
    case BIDE_TOKEN_GREATER:
    case BIDE_TOKEN_GREATER_EQUAL: return POWER_COMPARATOR;
    case BIDE_TOKEN_FLATTEN: return POWER_FLATTEN;
    case BIDE_TOKEN_STAR: return POWER_STAR;
    case BIDE_TOKEN_FILTER: return POWER_FILTER;
    case BIDE_TOKEN_DOT: return POWER_DOT;
    case BIDE_TOKEN_NOT: return POWER_NOT;
    case BIDE_TOKEN_LEFT_BRACE: return POWER_BRACE;
    case BIDE_TOKEN_LEFT_BRACKET: return POWER_BRACKET;
    case BIDE_TOKEN_LEFT_PARENTHESIS: return POWER_PARENTHESIS;
    case BIDE_TOKEN_END:
    case BIDE_TOKEN_NAME:
    case BIDE_TOKEN_QUOTED_NAME:
    case BIDE_TOKEN_STRING:
    case BIDE_TOKEN_LITERAL:
    case BIDE_TOKEN_INTEGER:
    case BIDE_TOKEN_RIGHT_BRACE:
    case BIDE_TOKEN_RIGHT_BRACKET:
    case BIDE_TOKEN_RIGHT_PARENTHESIS:
    case BIDE_TOKEN_COMMA:
    case BIDE_TOKEN_COLON:
    case BIDE_TOKEN_AMPERSAND:
    case BIDE_TOKEN_CURRENT: break;
  }
  return 0;
}

#endif
