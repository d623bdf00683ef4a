#include "jmespath/lexer.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "json/reader.h"
#include "json/text.h"

void bide_lexer_init(BideLexer *lexer, BideArena *arena, const char *text, size_t length,
                     BideError *error) {
  *lexer = (BideLexer){.arena = arena, .text = text, .length = length, .error = error};
}

static bool fail(BideLexer *lexer, size_t offset, const char *message) {
  bide_error_set(lexer->error, BIDE_ERROR_SYNTAX, "%s", message);
  bide_error_locate(lexer->error, lexer->text, lexer->length, offset);
  return false;
}

static bool fail_memory(BideLexer *lexer) {
  bide_error_set(lexer->error, BIDE_ERROR_MEMORY, "not enough memory for the expression");
  return false;
}

static bool begins_name(char byte) {
  return bide_is_letter(byte) || byte == '_';
}

static bool take(BideLexer *lexer, BideToken token, size_t bytes) {
  lexer->token = token;
  lexer->next = lexer->offset + bytes;
  return true;
}

/* ---- names, numbers and quotes ---- */

static bool read_name(BideLexer *lexer) {
  const char *begin = lexer->text + lexer->offset;
  const char *next = begin + 1;
  while (begins_name(*next) || bide_is_digit(*next))
    next++;
  lexer->value = bide_value_string(begin, (size_t)(next - begin));
  return take(lexer, BIDE_TOKEN_NAME, (size_t)(next - begin));
}

static int64_t add_digit(int64_t value, int digit) {
  if (__builtin_mul_overflow(value, INT64_C(10), &value) ||
      __builtin_add_overflow(value, digit, &value))
    return digit < 0 ? INT64_MIN : INT64_MAX;
  return value;
}

static bool read_integer(BideLexer *lexer) {
  const char *begin = lexer->text + lexer->offset;
  bool negative = *begin == '-';
  const char *next = begin + negative;
  int64_t value = 0;
  if (!bide_is_digit(*next))
    return fail(lexer, lexer->offset, "a minus sign must be followed by digits");
  for (; bide_is_digit(*next); next++) {
    int digit = *next - '0';
    if (value == INT64_MIN || value == INT64_MAX)
      continue;
    value = add_digit(value, negative ? -digit : digit);
  }
  lexer->value = bide_value_integer(value);
  return take(lexer, BIDE_TOKEN_INTEGER, (size_t)(next - begin));
}

/* Finds the closing `quote`, skipping each backslash with the byte after it. */
static bool find_quote(BideLexer *lexer, char quote, size_t *closing) {
  size_t at = lexer->offset + 1;
  while (at < lexer->length && lexer->text[at] != quote)
    at += lexer->text[at] == '\\' ? 2 : 1;
  *closing = at;
  return at < lexer->length;
}

static bool read_quoted_name(BideLexer *lexer) {
  size_t closing;
  const char *next = lexer->text + lexer->offset + 1;
  const char *message, *failed;
  char *copy, *to;
  if (!find_quote(lexer, '"', &closing))
    return fail(lexer, lexer->offset, "the quoted name has no closing quote");
  copy = to = bide_arena_alloc(lexer->arena, closing - lexer->offset);
  if (copy == NULL)
    return fail_memory(lexer);
  failed = bide_text_unescape(&next, &to, lexer->text + lexer->length, NULL, &message);
  if (failed != NULL)
    return fail(lexer, (size_t)(failed - lexer->text), message);
  lexer->value = bide_value_string(copy, (size_t)(to - copy));
  return take(lexer, BIDE_TOKEN_QUOTED_NAME, closing + 1 - lexer->offset);
}

/* Copies the text between quotes and unescapes only \quote. */
static char *copy_quoted(BideLexer *lexer, size_t closing, char quote, size_t *length) {
  size_t at = lexer->offset + 1;
  char *copy = bide_arena_alloc(lexer->arena, closing - at + 1);
  *length = 0;
  if (copy == NULL)
    return NULL;
  while (at < closing) {
    if (lexer->text[at] == '\\' && at + 1 < closing) {
      if (lexer->text[at + 1] != quote)
        copy[(*length)++] = '\\';
      at++;
    }
    copy[(*length)++] = lexer->text[at++];
  }
  return copy;
}

static bool read_raw_string(BideLexer *lexer) {
  size_t closing, length;
  const char *copy;
  if (!find_quote(lexer, '\'', &closing))
    return fail(lexer, lexer->offset, "the string has no closing quote");
  copy = copy_quoted(lexer, closing, '\'', &length);
  if (copy == NULL)
    return fail_memory(lexer);
  lexer->value = bide_value_string(copy, length);
  return take(lexer, BIDE_TOKEN_STRING, closing + 1 - lexer->offset);
}

static bool fail_literal(BideLexer *lexer, const char *content, size_t length,
                         const BideError *reason) {
  if (reason->code == BIDE_ERROR_MEMORY)
    return fail_memory(lexer);
  if (reason->code == BIDE_ERROR_LIMIT)
    bide_error_set(lexer->error, BIDE_ERROR_LIMIT, "in the literal %s", reason->message);
  else
    bide_error_set(lexer->error, BIDE_ERROR_SYNTAX,
                   "the literal between backquotes is not JSON: %s; a string is written '%.*s'",
                   reason->message, length < 40 ? (int)length : 40, content);
  bide_error_locate(lexer->error, lexer->text, lexer->length, lexer->offset + 1 + reason->offset);
  return false;
}

static bool read_literal(BideLexer *lexer) {
  size_t closing, length;
  const char *copy;
  BideError reason;
  if (!find_quote(lexer, '`', &closing))
    return fail(lexer, lexer->offset, "the literal has no closing backquote");
  copy = copy_quoted(lexer, closing, '`', &length);
  if (copy == NULL)
    return fail_memory(lexer);
  if (!bide_json_read(lexer->arena, copy, length, NULL, &lexer->value, &reason))
    return fail_literal(lexer, copy, length, &reason);
  return take(lexer, BIDE_TOKEN_LITERAL, closing + 1 - lexer->offset);
}

/* ---- signs ---- */

static bool fail_sign(BideLexer *lexer) {
  char found[BIDE_TEXT_FOUND], message[96];
  const char *at = lexer->text + lexer->offset;
  bide_text_found(at, lexer->length - lexer->offset, found);
  if (*at == '=')
    return fail(lexer, lexer->offset, "'=' is not a comparator; write '=='");
  snprintf(message, sizeof message, "%s cannot be part of an expression", found);
  return fail(lexer, lexer->offset, message);
}

/* Takes a sign that may begin a longer one. */
static bool take_longer(BideLexer *lexer, char wanted, BideToken longer, BideToken shorter) {
  bool is_longer = lexer->text[lexer->offset + 1] == wanted;
  return take(lexer, is_longer ? longer : shorter, is_longer ? 2 : 1);
}

static bool read_double_sign(BideLexer *lexer, char first) {
  switch (first) {
    case '|': return take_longer(lexer, '|', BIDE_TOKEN_OR, BIDE_TOKEN_PIPE);
    case '&': return take_longer(lexer, '&', BIDE_TOKEN_AND, BIDE_TOKEN_AMPERSAND);
    case '!': return take_longer(lexer, '=', BIDE_TOKEN_NOT_EQUAL, BIDE_TOKEN_NOT);
    case '<': return take_longer(lexer, '=', BIDE_TOKEN_LESS_EQUAL, BIDE_TOKEN_LESS);
    case '>': return take_longer(lexer, '=', BIDE_TOKEN_GREATER_EQUAL, BIDE_TOKEN_GREATER);
    default: break;
  }
  if (first == '=')
    return lexer->text[lexer->offset + 1] == '=' ? take(lexer, BIDE_TOKEN_EQUAL, 2)
                                                 : fail_sign(lexer);
  if (lexer->text[lexer->offset + 1] == '?')
    return take(lexer, BIDE_TOKEN_FILTER, 2);
  return take_longer(lexer, ']', BIDE_TOKEN_FLATTEN, BIDE_TOKEN_LEFT_BRACKET);
}

static bool read_sign(BideLexer *lexer, char sign) {
  switch (sign) {
    case '.': return take(lexer, BIDE_TOKEN_DOT, 1);
    case '*': return take(lexer, BIDE_TOKEN_STAR, 1);
    case '@': return take(lexer, BIDE_TOKEN_CURRENT, 1);
    case ',': return take(lexer, BIDE_TOKEN_COMMA, 1);
    case ':': return take(lexer, BIDE_TOKEN_COLON, 1);
    case '{': return take(lexer, BIDE_TOKEN_LEFT_BRACE, 1);
    case '}': return take(lexer, BIDE_TOKEN_RIGHT_BRACE, 1);
    case ']': return take(lexer, BIDE_TOKEN_RIGHT_BRACKET, 1);
    case '(': return take(lexer, BIDE_TOKEN_LEFT_PARENTHESIS, 1);
    case ')': return take(lexer, BIDE_TOKEN_RIGHT_PARENTHESIS, 1);
    case '|':
    case '&':
    case '=':
    case '!':
    case '<':
    case '>':
    case '[': return read_double_sign(lexer, sign);
    case '"': return read_quoted_name(lexer);
    case '\'': return read_raw_string(lexer);
    case '`': return read_literal(lexer);
    default: return fail_sign(lexer);
  }
}

bool bide_lexer_advance(BideLexer *lexer) {
  char byte;
  lexer->offset = lexer->next;
  while (bide_is_blank(lexer->text[lexer->offset]))
    lexer->offset++;
  byte = lexer->text[lexer->offset];
  if (begins_name(byte))
    return read_name(lexer);
  if (lexer->offset >= lexer->length)
    return take(lexer, BIDE_TOKEN_END, 0);
  if (byte == '-' || bide_is_digit(byte))
    return read_integer(lexer);
  return read_sign(lexer, byte);
}

char bide_lexer_peek(const BideLexer *lexer) {
  size_t at = lexer->next;
  while (bide_is_blank(lexer->text[at]))
    at++;
  return lexer->text[at];
}

void bide_lexer_describe(const BideLexer *lexer, char text[BIDE_TOKEN_TEXT]) {
  size_t length = lexer->next - lexer->offset;
  const char *prefix = lexer->token == BIDE_TOKEN_NAME      ? "the name "
                       : lexer->token == BIDE_TOKEN_INTEGER ? "the number "
                                                            : "";
  if (lexer->token == BIDE_TOKEN_END)
    snprintf(text, BIDE_TOKEN_TEXT, "the end");
  else if (lexer->token == BIDE_TOKEN_STRING || lexer->token == BIDE_TOKEN_LITERAL ||
           lexer->token == BIDE_TOKEN_QUOTED_NAME)
    snprintf(text, BIDE_TOKEN_TEXT, "%s",
             lexer->token == BIDE_TOKEN_STRING    ? "a string"
             : lexer->token == BIDE_TOKEN_LITERAL ? "a literal"
                                                  : "a quoted name");
  else
    snprintf(text, BIDE_TOKEN_TEXT, "%s'%.*s'", prefix, length < 40 ? (int)length : 40,
             lexer->text + lexer->offset);
}
