#include "base/utf8.h"
#include "jmespath/parser.h"
#include "json/text.h"

static BideExpression *fail(BideError *error, BideErrorCode code, const char *message) {
  bide_error_set(error, code, "%s", message);
  return NULL;
}

static BideExpression *fail_utf8(BideError *error, const char *text, size_t length, size_t at) {
  fail(error, BIDE_ERROR_SYNTAX, "the expression is not UTF-8");
  bide_error_locate(error, text, length, at);
  return NULL;
}

BideExpression *bide_jmespath_compile(BideArena *arena, const BideFunction *functions,
                                      const char *text, size_t length, BideError *error) {
  size_t valid = bide_utf8_check(text, length);
  BideExpression *expression;
  const char *copy;
  if (length > BIDE_JMESPATH_LENGTH)
    return fail(error, BIDE_ERROR_LIMIT, "the expression is longer than 65536 bytes");
  if (valid < length)
    return fail_utf8(error, text, length, valid);
  expression = bide_arena_alloc(arena, sizeof *expression);
  copy = bide_text_copy(arena, text, length);
  if (expression == NULL || copy == NULL)
    return fail(error, BIDE_ERROR_MEMORY, "not enough memory for the expression");
  *expression = (BideExpression){
    .text = copy, .length = length, .functions = functions, .copies = 1};
  return bide_parse(arena, expression, error) ? expression : NULL;
}

uint32_t bide_jmespath_depth(const BideExpression *expression) {
  return expression->depth + expression->leaning;
}

bool bide_jmespath_has_own(const BideExpression *expression) {
  return expression->has_own;
}

bool bide_jmespath_asks_answer(const BideExpression *expression) {
  return expression->asks_answer;
}

const char *bide_jmespath_text(const BideExpression *expression, size_t *length) {
  if (length != NULL)
    *length = expression->length;
  return expression->text;
}
