/*
** Any bytes given to the compiler; what it takes is searched in a small document.
*/
#include "check.h"
#include "jmespath/jmespath.h"
#include "json/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char document[] =
  "{\"a\":[{\"b\":[1,2.5,null],\"c\":\"text\"},{\"b\":[[3]],\"c\":\"\"}],\"b\":{\"a\":true},\"c\":-1}";

static void check_error(const BideError *error, size_t size) {
  check(error->code == BIDE_ERROR_SYNTAX || error->code == BIDE_ERROR_UNKNOWN_FUNCTION ||
        error->code == BIDE_ERROR_ARITY || error->code == BIDE_ERROR_VALUE ||
        error->code == BIDE_ERROR_TYPE || error->code == BIDE_ERROR_LIMIT);
  check(error->offset <= size && strlen(error->message) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  BideArena arena, scratch;
  BideValue input, result;
  BideError error;
  BideExpression *expression;
  long room = 10000;
  bide_arena_init(&arena, 0);
  bide_arena_init(&scratch, 0);
  check(bide_json_read(&arena, document, sizeof document - 1, NULL, &input, NULL));
  expression = bide_jmespath_compile(&arena, (const char *)data, size, &error);
  if (expression == NULL)
    check_error(&error, size);
  else if (bide_jmespath_search(expression, &input, &scratch, &result, &error))
    check_value(&result, &room);
  else
    check_error(&error, size);
  bide_arena_free(&scratch);
  bide_arena_free(&arena);
  return 0;
}
