/*
** The verdict comes from the set of the results; the sentence from the smallest part of the
** expression that explains it.
*/
#include "jmespath/analysis/condition.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "jmespath/analysis/analyse.h"
#include "jmespath/analysis/walk.h"
#include "jmespath/function.h"
#include "jmespath/yes.h"
#include "json/number.h"
#include "json/writer.h"

const char *bide_verdict_name(BidePossibility verdict) {
  switch (verdict) {
    case BIDE_VERDICT_MAYBE: return "maybe";
    case BIDE_VERDICT_NEVER_YES: return "never-yes";
    case BIDE_VERDICT_NEVER_NO: return "never-no";
  }
  return "maybe";
}

/* ---- yes and no ---- */

/* Reports whether a scalar has the JSON text of the condition. */
static bool has_text(const BideValue *value, const BideWanted *wanted) {
  return bide_yes_reads_as(value, wanted->text, wanted->length);
}

static bool is_message(const BideValue *value) {
  if (value->type == BIDE_STRING)
    return value->length > 0;
  for (uint32_t i = 0; value->type == BIDE_ARRAY && i < value->length; i++)
    if (value->as.elements[i].type == BIDE_STRING)
      return true;
  return false;
}

/* Reports whether a value is a yes. */
static bool is_yes(const BideWanted *wanted, const BideValue *value) {
  switch (wanted->yes) {
    case BIDE_YES_SUCCESS: return bide_yes(value, BIDE_YES_OF_SUCCESS);
    case BIDE_YES_FAILURE: return bide_yes(value, BIDE_YES_OF_FAILURE);
    case BIDE_YES_TRUTH: return bide_yes(value, BIDE_YES_OF_PATH);
    case BIDE_YES_TEXT: return has_text(value, wanted);
    case BIDE_YES_VALUE: return value->type < BIDE_ARRAY && bide_value_equal(value, &wanted->value);
    case BIDE_YES_STRING_EQUALS: return bide_value_is_text(value, wanted->text, wanted->length);
    case BIDE_YES_BOOLEAN_EQUALS: return value->type <= BIDE_TRUE && has_text(value, wanted);
    case BIDE_YES_ALL_STRING_EQUALS:
      return bide_yes_has_element(value, wanted->text, wanted->length, true);
    case BIDE_YES_ANY_STRING_EQUALS:
      return bide_yes_has_element(value, wanted->text, wanted->length, false);
    case BIDE_YES_MESSAGE: return is_message(value);
  }
  return true;
}

/* Returns a set with the string of the condition. */
static const BideResults *text_of(BideWalk *walk, const BideWanted *wanted) {
  return bide_results_of_value(&walk->sets, bide_value_string(wanted->text, wanted->length));
}

/* Returns the scalars with the JSON text of the condition. */
static const BideResults *scalars_of(BideWalk *walk, const BideWanted *wanted) {
  BideValue values[2], word = bide_value_string(wanted->text, wanted->length);
  const char *end, *copy = bide_arena_copy(walk->sets.arena, wanted->text, wanted->length);
  size_t count = 1;
  values[0] = word;
  if (copy == NULL) {
    walk->sets.failed = true;
    return &bide_results_any;
  }
  if (bide_number_read(copy, &end, &values[1]) == BIDE_NUMBER_OK && end == copy + wanted->length)
    count = has_text(&values[1], wanted) ? 2 : 1;
  else if (wanted->length == 4 && memcmp(copy, "true", 4) == 0)
    values[count++] = bide_value_boolean(true);
  else if (wanted->length == 5 && memcmp(copy, "false", 5) == 0)
    values[count++] = bide_value_boolean(false);
  return bide_results_of_values(&walk->sets, values, count);
}

/* Returns the orders that the numbers of a set, which is not listed, may have with zero. */
static unsigned orders_with_zero(const BideResults *set) {
  BideRange zero = {0, 0, true};
  return (set->types & BIDE_RESULT_NUMBER) == 0 ? 0 : bide_range_orders(&set->range, &zero);
}

/* Reports whether a set, which is not listed, may have a yes. */
static bool may_be_yes(BideWalk *walk, const BideWanted *wanted, const BideResults *set) {
  switch (wanted->yes) {
    case BIDE_YES_SUCCESS:
      return bide_results_may_be(
        bide_results_select(&walk->sets, set,
                            BIDE_RESULT_TRUE | BIDE_RESULT_ARRAY | BIDE_RESULT_OBJECT),
        true);
    case BIDE_YES_FAILURE:
      return (orders_with_zero(set) & (BIDE_ORDER_LESS | BIDE_ORDER_MORE)) != 0 ||
             bide_results_may_be(
               bide_results_select(&walk->sets, set, BIDE_RESULT_ANY & ~BIDE_RESULT_NUMBER), true);
    case BIDE_YES_TRUTH: return bide_results_may_be(set, true);
    case BIDE_YES_TEXT: return bide_results_may_equal(set, scalars_of(walk, wanted));
    case BIDE_YES_VALUE:
      return wanted->value.type < BIDE_ARRAY && bide_results_may_contain(set, &wanted->value);
    case BIDE_YES_STRING_EQUALS: return bide_results_may_equal(set, text_of(walk, wanted));
    case BIDE_YES_BOOLEAN_EQUALS:
      return (set->types & (wanted->length == 4 ? BIDE_RESULT_TRUE : BIDE_RESULT_FALSE)) != 0;
    case BIDE_YES_ALL_STRING_EQUALS:
      return bide_results_may_equal(
        set, bide_results_arrays(&walk->sets, text_of(walk, wanted), 1, UINT32_MAX));
    case BIDE_YES_ANY_STRING_EQUALS: return bide_results_may_hold(set, text_of(walk, wanted));
    case BIDE_YES_MESSAGE:
      return (set->types & BIDE_RESULT_STRING) != 0 ||
             bide_results_may_hold(set, bide_results_of_types(&walk->sets, BIDE_RESULT_STRINGS));
  }
  return true;
}

/* Reports whether a set, which is not listed, may have a no. */
static bool may_be_no(const BideWanted *wanted, const BideResults *set) {
  if (wanted->yes > BIDE_YES_TRUTH)
    return true; /* a set with one value only is listed */
  if (bide_results_may_be(set, false))
    return true;
  if (wanted->yes == BIDE_YES_SUCCESS)
    return (set->types & (BIDE_RESULT_NUMBER | BIDE_RESULT_STRING)) != 0;
  if (wanted->yes == BIDE_YES_TRUTH)
    return false;
  return (set->types & BIDE_RESULT_STRING) != 0 || (orders_with_zero(set) & BIDE_ORDER_EQUAL) != 0;
}

/* Reports whether a set may have a yes, or a no. */
static bool may_be(BideWalk *walk, const BideWanted *wanted, const BideResults *set, bool yes) {
  if (set->values == NULL)
    return yes ? may_be_yes(walk, wanted, set) : may_be_no(wanted, set);
  for (uint32_t i = 0; i < set->count; i++)
    if (is_yes(wanted, &set->values[i]) == yes)
      return true;
  return false;
}

/* ---- words ---- */

#define WORDS 96

static void append(char *text, size_t room, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t room, const char *format, ...) {
  size_t length = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + length, room - length, format, arguments);
  va_end(arguments);
}

/* Writes a value as JSON, if it is short. */
static bool describe_value(const BideValue *value, char text[WORDS]) {
  BideBuffer buffer;
  bool fits;
  bide_buffer_init(&buffer, WORDS - 1);
  bide_json_write(&buffer, value, BIDE_JSON_REDACT, NULL);
  fits = !buffer.failed && buffer.length <= 40;
  snprintf(text, WORDS, "%.*s", fits ? (int)buffer.length : 0, fits ? buffer.bytes : "");
  bide_buffer_free(&buffer);
  return fits;
}

/* Describes the values of a set: "a number or null". */
static void describe(const BideResults *set, char text[WORDS]) {
  static const struct {
    unsigned types;
    const char *words;
  } rows[] = {{BIDE_RESULT_STRINGS, "a text"},     {BIDE_RESULT_NUMBER, "a number"},
              {BIDE_RESULT_ARRAY, "a list"},       {BIDE_RESULT_OBJECTS, "an object"},
              {BIDE_RESULT_BOOLEANS, "a boolean"}, {BIDE_RESULT_NULL, "null"}};
  const BideValue *only = bide_results_only(set);
  unsigned left = set->types;
  *text = '\0';
  if (only != NULL && describe_value(only, text))
    return;
  *text = '\0';
  if ((set->types & BIDE_RESULT_ANY) == BIDE_RESULT_ANY) {
    append(text, WORDS, "any value");
    return;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *words = rows[i].words;
    if ((left & rows[i].types) == 0)
      continue;
    if (rows[i].types == BIDE_RESULT_BOOLEANS && (left & rows[i].types) == BIDE_RESULT_FALSE)
      words = "false";
    if (rows[i].types == BIDE_RESULT_BOOLEANS && (left & rows[i].types) == BIDE_RESULT_TRUE)
      words = "true";
    if (rows[i].types == BIDE_RESULT_ARRAY && set->most == 0)
      words = "an empty list";
    left &= ~rows[i].types;
    append(text, WORDS, "%s%s", *text == '\0' ? "" : left == 0 ? " or " : ", ", words);
  }
}

/* Says what is a yes. */
static const char *words_of(BideYes yes) {
  switch (yes) {
    case BIDE_YES_SUCCESS: return "only true, and a list or an object that is not empty, is a yes";
    case BIDE_YES_FAILURE:
      return "what is false, null, 0, empty or a text such as \"no\" is no failure";
    case BIDE_YES_TRUTH: return "what is empty, false or null does not match";
    case BIDE_YES_MESSAGE: return "a message is a text, or a list of texts";
    case BIDE_YES_BOOLEAN_EQUALS: return "booleanEquals compares a boolean";
    case BIDE_YES_ALL_STRING_EQUALS:
    case BIDE_YES_ANY_STRING_EQUALS: return "the comparator needs a list with the string";
    case BIDE_YES_TEXT:
    case BIDE_YES_VALUE:
    case BIDE_YES_STRING_EQUALS: break;
  }
  return "it can never equal what it is compared with";
}

/* ---- the reason ---- */

typedef struct Judge {
  BideWalk walk;
  const BideWanted *wanted;
  BideError *reason;
} Judge;

static void explain(Judge *judge, const BideNode *node, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

static void explain(Judge *judge, const BideNode *node, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  bide_expression_blame(judge->walk.expression, node, judge->reason, BIDE_ERROR_TYPE, format,
                        arguments);
  va_end(arguments);
}

/* Uses the first problem that the analysis finds for any document, if there is one. */
static bool explain_by_problem(Judge *judge) {
  BideAnalysis analysis;
  BideError error;
  const BideProblem *problem;
  if (!bide_jmespath_analyse(judge->walk.expression, &bide_shape_any, judge->walk.sets.arena,
                             &analysis, &error))
    return false;
  problem = analysis.problems;
  while (problem != NULL && problem->kind == BIDE_PROBLEM_PROJECTION)
    problem = problem->next;
  if (problem != NULL)
    *judge->reason = problem->error;
  return problem != NULL;
}

static void explain_comparison(Judge *judge, const BideNode *node, const BideScope *scope) {
  const BideResults *left = bide_walk_results(&judge->walk, node->as.pair.left, scope);
  const BideResults *right = bide_walk_results(&judge->walk, node->as.pair.right, scope);
  const BideResults *sides[] = {left, right};
  char one[WORDS], other[WORDS];
  if (bide_nodes_equal(&judge->walk, node->as.pair.left, node->as.pair.right)) {
    explain(judge, node, "'%s' is never true here: both sides are the same",
            bide_operator_text((BideOperator)node->variant));
    return;
  }
  for (int i = 0; i < 2 && node->variant > BIDE_OPERATOR_NOT_EQUAL; i++)
    if ((sides[i]->types & BIDE_RESULT_NUMBER) == 0) {
      describe(sides[i], one);
      explain(judge, node, "'%s' compares numbers, but an operand is %s: the result is null",
              bide_operator_text((BideOperator)node->variant), one);
      return;
    }
  describe(left, one);
  describe(right, other);
  explain(judge, node, "'%s' is never true here: the left side is %s, the right side %s",
          bide_operator_text((BideOperator)node->variant), one, other);
}

static void explain_truth(Judge *judge, const BideNode *node, const BideScope *scope, bool truth);

/* Explains it by the last step of a chain, for what the steps before it give. */
static void explain_last_step(Judge *judge, const BideNode *chain, const BideScope *scope,
                              bool truth) {
  uint32_t last = chain->as.list.count - 1;
  BideNode before = *chain;
  BideScope step = {.current = NULL};
  before.as.list.count = last;
  step.current = bide_walk_results(&judge->walk, last == 1 ? chain->as.list.items[0] : &before,
                                   scope);
  if (bide_results_is_empty(step.current))
    explain(judge, chain, "this can never be evaluated");
  else
    explain_truth(judge, chain->as.list.items[last], &step, truth);
}

/* Explains why a node can never count as true, or as false. */
static void explain_truth(Judge *judge, const BideNode *node, const BideScope *scope, bool truth) {
  bool is_list = node->kind == BIDE_NODE_AND || node->kind == BIDE_NODE_OR;
  BideScope inner = *scope, bare = {.current = &bide_results_any};
  const BideResults *results;
  char words[WORDS];
  if (node->kind == BIDE_NODE_CHAIN) {
    explain_last_step(judge, node, scope, truth);
    return;
  }
  if (node->kind == BIDE_NODE_NOT) {
    explain_truth(judge, node->as.pair.left, scope, !truth);
    return;
  }
  for (uint32_t i = 0; is_list && i < node->as.list.count; i++) {
    const BideNode *operand = node->as.list.items[i];
    bool decides = (node->kind == BIDE_NODE_AND) == truth;
    if (!bide_results_may_be(bide_walk_results(&judge->walk, operand, &inner), truth) && decides) {
      if (i > 0 && bide_results_may_be(bide_walk_results(&judge->walk, operand, &bare), truth))
        explain(judge, operand, "this contradicts what is before it: both never hold at once");
      else
        explain_truth(judge, operand, &inner, truth);
      return;
    }
    if (!decides) {
      explain_truth(judge, operand, &inner, truth);
      return;
    }
    bide_scope_assume(&judge->walk, &inner, operand, truth);
    if (inner.is_impossible) {
      explain(judge, operand, "this contradicts what is before it: both never hold at once");
      return;
    }
  }
  if (node->kind == BIDE_NODE_COMPARE && truth) {
    explain_comparison(judge, node, scope);
    return;
  }
  results = bide_walk_results(&judge->walk, node, scope);
  describe(results, words);
  if (bide_results_is_empty(results))
    explain(judge, node, "this can never be evaluated");
  else if (truth)
    explain(judge, node, "this is always %s", words);
  else
    explain(judge, node, "this is %s, and never counts as false", words);
}

/* Returns what to write in place of an expression whose result is not a yes; may be "". */
static void suggest(const Judge *judge, const BideResults *results, char text[WORDS * 2]) {
  const BideExpression *expression = judge->walk.expression;
  int length = (int)expression->length;
  *text = '\0';
  if (expression->length > 60 || memchr(expression->text, '\n', expression->length) != NULL ||
      bide_results_only(results) != NULL)
    return;
  if (judge->wanted->yes == BIDE_YES_TEXT && (results->types & BIDE_RESULT_ARRAY) != 0)
    snprintf(text, WORDS * 2, "; write contains(%.*s, 'TEXT') for one element", length,
             expression->text);
  if (judge->wanted->yes > BIDE_YES_FAILURE || expression->root->kind != BIDE_NODE_CALL)
    return;
  if ((results->types & BIDE_RESULT_NUMBER) != 0)
    snprintf(text, WORDS * 2, "; write %.*s > `0`", length, expression->text);
  else if ((results->types & BIDE_RESULT_STRINGS) != 0)
    snprintf(text, WORDS * 2, "; write %.*s=TEXT", length, expression->text);
}

static void explain_never_yes(Judge *judge, const BideResults *results) {
  const BideNode *root = judge->walk.expression->root;
  BideScope scope = {.current = &bide_results_any};
  bool wants_truth = judge->wanted->yes <= BIDE_YES_TRUTH;
  char words[WORDS], hint[WORDS * 2];
  if (explain_by_problem(judge))
    return;
  if (bide_results_is_empty(results)) {
    explain(judge, root, "this can never be evaluated");
    return;
  }
  if (wants_truth && !bide_results_may_be(results, true)) {
    explain_truth(judge, root, &scope, true);
    return;
  }
  describe(results, words);
  suggest(judge, results, hint);
  explain(judge, root, "this is %s%s: %s%s", bide_results_only(results) != NULL ? "always " : "",
          words, words_of(judge->wanted->yes), hint);
}

static void explain_never_no(Judge *judge, const BideResults *results) {
  const BideNode *root = judge->walk.expression->root;
  char words[WORDS];
  describe(results, words);
  explain(judge, root, "this is %s%s, whatever the answer: it can never be a no",
          bide_results_only(results) != NULL ? "always " : "", words);
}

bool bide_condition_judge(const BideExpression *expression, const BideWanted *wanted,
                          BideArena *arena, BidePossibility *verdict, uint64_t *steps,
                          BideError *reason) {
  Judge judge = {.wanted = wanted, .reason = reason};
  BideScope scope = {.current = &bide_results_any};
  const BideResults *results;
  *verdict = BIDE_VERDICT_MAYBE;
  *steps = 0;
  if (bide_walk_init(&judge.walk, expression, arena)) {
    results = bide_walk_results(&judge.walk, expression->root, &scope);
    if (!may_be(&judge.walk, wanted, results, true)) {
      *verdict = BIDE_VERDICT_NEVER_YES;
      explain_never_yes(&judge, results);
    } else if (wanted->yes != BIDE_YES_MESSAGE) {
      judge.walk.raises = false;
      scope.current = bide_results_of_types(&judge.walk.sets, BIDE_RESULT_ANY & ~BIDE_RESULT_NULL);
      results = bide_walk_results(&judge.walk, expression->root, &scope);
      if (!judge.walk.raises && !may_be(&judge.walk, wanted, results, false)) {
        *verdict = BIDE_VERDICT_NEVER_NO;
        explain_never_no(&judge, results);
      }
    }
    *steps = bide_walk_cost(&judge.walk);
    if (!judge.walk.sets.failed)
      return true;
  }
  bide_error_set(reason, BIDE_ERROR_MEMORY, "not enough memory for the analysis");
  return false;
}
