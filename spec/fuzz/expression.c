/*
** Any bytes given to the compiler; what it takes is analysed, printed as a tree,
** and searched in a small document.
*/
#include "check.h"
#include "jmespath/analysis/analyse.h"
#include "jmespath/print.h"
#include "json/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char document[] = "{\"a\":[{\"b\":[1,2.5,null],\"c\":\"text\"},{\"b\":[[3]],\"c\":"
                               "\"\"}],\"b\":{\"a\":true},\"c\":-1}";

static void check_error(const BideError *error, size_t size) {
  check(error->code == BIDE_ERROR_SYNTAX || error->code == BIDE_ERROR_UNKNOWN_FUNCTION ||
        error->code == BIDE_ERROR_ARITY || error->code == BIDE_ERROR_VALUE ||
        error->code == BIDE_ERROR_TYPE || error->code == BIDE_ERROR_LIMIT);
  check(error->offset <= size && strlen(error->message) > 0);
}

/* Problems stand in the order of their places, within the text. */
static void check_analysis(const BideExpression *expression, const BideValue *input,
                           BideArena *arena, size_t size) {
  const BideShape *shape = bide_shape_of_value(arena, input);
  BideAnalysis analysis;
  BideValue tree;
  BideError error;
  size_t offset = 0;
  long room = 100000;
  check(shape != NULL && bide_jmespath_analyse(expression, shape, arena, &analysis, NULL));
  check(analysis.shape != NULL);
  for (const BideProblem *problem = analysis.problems; problem != NULL; problem = problem->next) {
    check(problem->error.offset >= offset && problem->error.offset <= size);
    offset = problem->error.offset;
  }
  if (bide_jmespath_tree(expression, arena, &tree, &error))
    check_value(&tree, &room);
  else
    check(error.code == BIDE_ERROR_LIMIT); /* a tree is deeper than its expression */
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
  expression = bide_jmespath_compile(&arena, NULL, (const char *)data, size, &error);
  if (expression != NULL)
    check_analysis(expression, &input, &arena, size);
  if (expression == NULL)
    check_error(&error, size);
  else if (bide_jmespath_search(expression, &input, NULL, &scratch, &result, &error, NULL))
    check_value(&result, &room);
  else
    check_error(&error, size);
  bide_arena_free(&scratch);
  bide_arena_free(&arena);
  return 0;
}
