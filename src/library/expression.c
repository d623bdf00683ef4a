#include <stdlib.h>

#include "jmespath/jmespath.h"
#include "library/inside.h"

struct bide_jmespath {
  BideArena arena; /* of the expression */
  const BideExpression *expression;
  BideArena scratch; /* of the last result */
  BideValue result;
};

bide_jmespath *bide_jmespath_new(const char *text, size_t length, bide_error **error) {
  bide_jmespath *expression = bide_library_new(sizeof *expression, error);
  BideError reason;
  if (expression == NULL)
    return NULL;
  bide_arena_init(&expression->arena, 0);
  bide_arena_init(&expression->scratch, 0);
  expression->expression = bide_jmespath_compile(&expression->arena, NULL, text, length, &reason);
  if (expression->expression != NULL)
    return expression;
  bide_library_fail(error, &reason);
  bide_jmespath_free(expression);
  return NULL;
}

void bide_jmespath_free(bide_jmespath *expression) {
  if (expression == NULL)
    return;
  bide_arena_free(&expression->scratch);
  bide_arena_free(&expression->arena);
  free(expression);
}

const bide_node *bide_jmespath_evaluate(bide_jmespath *expression, const bide_node *node,
                                        bide_error **error) {
  BideError reason;
  bide_arena_reset(&expression->scratch);
  if (bide_jmespath_search(expression->expression, bide_library_value(node), NULL,
                           &expression->scratch, &expression->result, &reason, NULL))
    return bide_library_node(&expression->result);
  bide_library_fail(error, &reason);
  return NULL;
}
