/*
** An expression, a NUL byte, a document: searched twice, which must give the
** same, since an expression holds no state of a search.
*/
#include "check.h"
#include "jmespath/jmespath.h"
#include "json/reader.h"
#include "json/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Answer {
  BideArena scratch;
  BideValue result;
  BideError error;
  bool found;
} Answer;

static void search(const BideExpression *expression, const BideValue *input, Answer *answer) {
  long room = 10000;
  bide_arena_init(&answer->scratch, (size_t)256 << 20);
  answer->found = bide_jmespath_search(expression, input, NULL, &answer->scratch, &answer->result,
                                       &answer->error, NULL);
  if (answer->found)
    check_value(&answer->result, &room);
}

/* A result may be larger than all memory once it is written: parts of it are shared. */
static void check_same(const Answer *first, const Answer *second) {
  BideBuffer texts[2];
  uint64_t work = 1000000;
  check(first->found == second->found);
  if (!first->found) {
    check(first->error.code == second->error.code);
    check(strcmp(first->error.message, second->error.message) == 0);
    return;
  }
  check(bide_value_equal_within(&first->result, &second->result, &work) || work == 0);
  bide_buffer_init(&texts[0], 1 << 16);
  bide_buffer_init(&texts[1], 1 << 16);
  bide_json_write(&texts[0], &first->result, 0, NULL);
  bide_json_write(&texts[1], &second->result, 0, NULL);
  check(texts[0].length == texts[1].length &&
        (texts[0].length == 0 || memcmp(texts[0].bytes, texts[1].bytes, texts[0].length) == 0));
  bide_buffer_free(&texts[0]);
  bide_buffer_free(&texts[1]);
}

static void search_twice(const BideExpression *expression, const BideValue *input) {
  Answer first, second;
  search(expression, input, &first);
  search(expression, input, &second);
  check_same(&first, &second);
  bide_arena_free(&second.scratch);
  bide_arena_free(&first.scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  const char *separator = size == 0 ? NULL : memchr(text, '\0', size);
  BideArena arena;
  BideValue input;
  BideExpression *expression;
  if (separator == NULL)
    return 0;
  bide_arena_init(&arena, 0);
  expression = bide_jmespath_compile(&arena, NULL, text, (size_t)(separator - text), NULL);
  if (expression != NULL &&
      bide_json_read(&arena, separator + 1, size - (size_t)(separator + 1 - text), NULL, &input,
                     NULL))
    search_twice(expression, &input);
  bide_arena_free(&arena);
  return 0;
}
