/*
** Splits an expression into tokens, one at a time.
*/
#ifndef BIDE_JMESPATH_LEXER_H
#define BIDE_JMESPATH_LEXER_H

#include "base/arena.h"
#include "base/error.h"
#include "json/value.h"

typedef enum BideToken {
  BIDE_TOKEN_END,
  BIDE_TOKEN_NAME,        /* foo */
  BIDE_TOKEN_QUOTED_NAME, /* "foo" */
  BIDE_TOKEN_STRING,      /* 'foo' */
  BIDE_TOKEN_LITERAL,     /* `[1]` */
  BIDE_TOKEN_INTEGER,     /* -1 */
  BIDE_TOKEN_PIPE,
  BIDE_TOKEN_OR,
  BIDE_TOKEN_AND,
  BIDE_TOKEN_EQUAL,
  BIDE_TOKEN_NOT_EQUAL,
  BIDE_TOKEN_LESS,
  BIDE_TOKEN_LESS_EQUAL,
  BIDE_TOKEN_GREATER,
  BIDE_TOKEN_GREATER_EQUAL,
  BIDE_TOKEN_FLATTEN, /* [] */
  BIDE_TOKEN_STAR,
  BIDE_TOKEN_FILTER, /* [? */
  BIDE_TOKEN_DOT,
  BIDE_TOKEN_NOT,
  BIDE_TOKEN_LEFT_BRACE,
  BIDE_TOKEN_RIGHT_BRACE,
  BIDE_TOKEN_LEFT_BRACKET,
  BIDE_TOKEN_RIGHT_BRACKET,
  BIDE_TOKEN_LEFT_PARENTHESIS,
  BIDE_TOKEN_RIGHT_PARENTHESIS,
  BIDE_TOKEN_COMMA,
  BIDE_TOKEN_COLON,
  BIDE_TOKEN_AMPERSAND,
  BIDE_TOKEN_CURRENT /* @ */
} BideToken;

typedef struct BideLexer {
  BideArena *arena; /* holds values that cannot borrow from the text */
  const char *text; /* valid UTF-8, with the padding of json/scan.h */
  size_t length;
  size_t next; /* the first byte after the token */
  BideToken token;
  size_t offset;   /* of the first byte of the token */
  BideValue value; /* of a name, string, literal or integer; an integer saturates */
  BideError *error;
} BideLexer;

/* Starts before the first token. `text` must outlive all values of tokens. */
void bide_lexer_init(BideLexer *lexer, BideArena *arena, const char *text, size_t length,
                     BideError *error);

/* Advances to the next token. Returns false and sets the error if the input is not a token. */
bool bide_lexer_advance(BideLexer *lexer);

/* Returns the first byte after the token that is not whitespace; NUL at the end. */
char bide_lexer_peek(const BideLexer *lexer);

/* Describes the token for a message: "the name 'foo'", "')'", "the end". */
#define BIDE_TOKEN_TEXT 64
void bide_lexer_describe(const BideLexer *lexer, char text[BIDE_TOKEN_TEXT]);

#endif
