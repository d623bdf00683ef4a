/* Checks of src/jmespath whose memory runs out at a place of their choice. */
#include "jmespath/analysis/analyse.h"
#include "jmespath/analysis/condition.h"

#include "spec/support/check.h"

/*
** A set that was not made is "any", which filters nothing: a function was then called with an
** argument that it does not accept, and read beside it. The sanitizer sees that.
*/
static void check_analysis_without_memory(void) {
  static const char *const texts[] = {"avg('text') > `1`", "sum(`[\"a\"]`)", "max('abc')",
                                      "sort_by(a, &b)[0].c == 'x' && length(a) < `3`",
                                      "type(a) == 'x' || {b: c, d: [a, `1`]}.d[1] > `2`"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    BideArena compiled;
    BideError error;
    const BideExpression *expression;
    bool judged = false, analysed = false;
    bide_arena_init(&compiled, 0);
    expression = bide_jmespath_compile(&compiled, NULL, texts[i], strlen(texts[i]), &error);
    CHECK(expression != NULL);
    for (size_t limit = 1; limit < 100000 && !(judged && analysed); limit += 64) {
      BideArena arena;
      BideWanted wanted = {.yes = BIDE_YES_SUCCESS};
      BidePossibility verdict;
      BideAnalysis analysis;
      uint64_t steps;
      bide_arena_init(&arena, limit);
      judged = bide_condition_judge(expression, &wanted, &arena, &verdict, &steps, &error);
      CHECK(judged || error.code == BIDE_ERROR_MEMORY);
      bide_arena_reset(&arena);
      analysed = bide_jmespath_analyse(expression, &bide_shape_any, &arena, &analysis, &error);
      CHECK(analysed || error.code == BIDE_ERROR_MEMORY);
      bide_arena_free(&arena);
    }
    CHECK(judged && analysed);
    bide_arena_free(&compiled);
  }
}

int main(int argc, char **argv) {
  static const Check checks[] = {
    {"analysis: one whose memory runs out ends with that error", check_analysis_without_memory},
    {NULL, NULL},
  };
  return main_of_checks(checks, argc, argv);
}
