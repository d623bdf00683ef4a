#include <string.h>

#include "base/utf8.h"
#include "jmespath/parser.h"
#include "json/scan.h"

static BideExpression *fail(BideError *error, BideErrorCode code, const char *message) {
  bide_error_set(error, code, "%s", message);
  return NULL;
}

/* Our own text, with the padding that the scanning of strings wants. */
static bool copy_text(BideArena *arena, BideExpression *expression, const char *text,
                      size_t length) {
  char *copy = bide_arena_alloc(arena, length + BIDE_JSON_PADDING);
  if (copy == NULL)
    return false;
  if (length > 0)
    memcpy(copy, text, length);
  memset(copy + length, 0, BIDE_JSON_PADDING);
  expression->text = copy;
  expression->length = length;
  return true;
}

static BideExpression *fail_utf8(BideError *error, const char *text, size_t length, size_t at) {
  fail(error, BIDE_ERROR_SYNTAX, "the expression is not UTF-8");
  bide_error_locate(error, text, length, at);
  return NULL;
}

BideExpression *bide_jmespath_compile(BideArena *arena, const char *text, size_t length,
                                      BideError *error) {
  return bide_jmespath_compile_with(arena, NULL, text, length, error);
}

BideExpression *bide_jmespath_compile_with(BideArena *arena, const BideFunction *functions,
                                           const char *text, size_t length, BideError *error) {
  size_t valid = bide_utf8_check(text, length);
  BideExpression *expression;
  if (length > BIDE_JMESPATH_LENGTH)
    return fail(error, BIDE_ERROR_LIMIT, "the expression is longer than 65536 bytes");
  if (valid < length)
    return fail_utf8(error, text, length, valid);
  expression = bide_arena_alloc(arena, sizeof *expression);
  if (expression == NULL || !copy_text(arena, expression, text, length))
    return fail(error, BIDE_ERROR_MEMORY, "not enough memory for the expression");
  expression->hints = 0;
  expression->copies = 1;
  expression->functions = functions;
  return bide_parse(arena, expression, error) ? expression : NULL;
}

const char *bide_jmespath_text(const BideExpression *expression, size_t *length) {
  if (length != NULL)
    *length = expression->length;
  return expression->text;
}
