/*
** Looks for bare words in comparisons; the interface is condition.h.
*/
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "jmespath/analysis/condition.h"
#include "jmespath/function.h"
#include "jmespath/tree.h"

/* The most bytes of the text that a message repeats. */
#define MOST_TEXT 50
#define MOST_WORD 30

typedef struct Finder {
  const BideExpression *expression;
  BideError *mistake;
} Finder;

static bool is_bare(const BideNode *node) {
  return node->kind == BIDE_NODE_FIELD && !node->is_of_current;
}

/* Reports whether a node is a member that is written with @, as a message here says. */
static bool is_marked(const BideNode *node) {
  if (node->kind == BIDE_NODE_CHAIN)
    node = node->as.list.items[0];
  return node->kind == BIDE_NODE_FIELD && node->is_of_current;
}

/* Reports whether a node is made of literals only: no member can be meant as a text beside it. */
static bool is_constant(const BideNode *node) {
  if (node->kind != BIDE_NODE_LIST)
    return node->kind == BIDE_NODE_LITERAL;
  for (uint32_t i = 0; i < node->as.list.count; i++)
    if (!is_constant(node->as.list.items[i]))
      return false;
  return true;
}

/* Reports whether the name of a field is a value of JSON. */
static bool is_json(const BideNode *field) {
  static const char *const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (bide_is_word(field->as.field.name, field->as.field.length, words[i]))
      return true;
  return false;
}

static bool report(const Finder *finder, const BideNode *word, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

static bool report(const Finder *finder, const BideNode *word, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  bide_expression_blame(finder->expression, word, finder->mistake, BIDE_ERROR_TYPE, format,
                        arguments);
  va_end(arguments);
  return true;
}

/* Copies the text of the side of a comparison that is not the word; "A" if it is too long. */
static void copy_side(const Finder *finder, const BideNode *node, const BideNode *word,
                      char side[MOST_TEXT + 1]) {
  const char *text = finder->expression->text;
  const BideNode *other = word == node->as.pair.right ? node->as.pair.left : node->as.pair.right;
  size_t begin = other->offset, end = finder->expression->length;
  int open = 0;
  if (other->offset < word->offset) {
    end = word->offset;
    while (end > begin && strchr("=!<> \t\n(", text[end - 1]) != NULL)
      end--;
  } else if (finder->expression->root != node)
    end = begin;
  while (end > begin && strchr(" \t\n", text[end - 1]) != NULL)
    end--;
  for (size_t i = begin; i < end && open >= 0; i++)
    open += (text[i] == '(') - (text[i] == ')');
  if (is_marked(other) || end == begin || end - begin > MOST_TEXT || open != 0)
    snprintf(side, MOST_TEXT + 1, "A");
  else
    snprintf(side, MOST_TEXT + 1, "%.*s", (int)(end - begin), text + begin);
}

static bool report_comparison(const Finder *finder, const BideNode *node, const BideNode *word) {
  const char *symbol = bide_operator_text((BideOperator)node->variant);
  const char *name = word->as.field.name;
  int length = word->as.field.length <= MOST_WORD ? (int)word->as.field.length : MOST_WORD;
  char side[MOST_TEXT + 1];
  copy_side(finder, node, word, side);
  if (is_json(word))
    return report(finder, word,
                  "%.*s is a member here: write %s %s `%.*s` with backticks for the value, "
                  "@.%.*s for the member",
                  length, name, side, symbol, length, name, length, name);
  if (finder->expression->root == node && node->variant == BIDE_OPERATOR_EQUAL)
    return report(finder, word,
                  "%.*s is a member here, not a text: write %s=%.*s or %s == '%.*s' for the text, "
                  "@.%.*s for the member",
                  length, name, side, length, name, side, length, name, length, name);
  return report(finder, word,
                "%.*s is a member here, not a text: write %s %s '%.*s' for the text, @.%.*s for "
                "the member",
                length, name, side, symbol, length, name, length, name);
}

static bool find_beside(const Finder *finder, const BideNode *node) {
  const BideNode *left = node->as.pair.left, *right = node->as.pair.right;
  if (is_bare(right) && is_json(right))
    return report_comparison(finder, node, right);
  if (is_bare(left) && is_json(left))
    return report_comparison(finder, node, left);
  if (is_bare(right) && !is_constant(left))
    return report_comparison(finder, node, right);
  if (is_bare(left) && !is_constant(right) && !is_marked(right))
    return report_comparison(finder, node, left);
  return false;
}

/* Returns the argument of a call that is mostly written as a text; NULL if there is none. */
static const BideNode *text_of_call(const BideNode *node) {
  const BideFunction *function = node->as.call.function;
  bool compares = function->call == bide_function_contains ||
                  function->call == bide_function_starts_with ||
                  function->call == bide_function_ends_with;
  if (function->call == bide_function_header)
    return node->as.call.arguments[0];
  return compares && !is_constant(node->as.call.arguments[0]) ? node->as.call.arguments[1] : NULL;
}

static bool find_as_argument(const Finder *finder, const BideNode *node) {
  const BideNode *word = text_of_call(node);
  if (word != NULL && is_bare(word)) {
    int length = word->as.field.length <= MOST_WORD ? (int)word->as.field.length : MOST_WORD;
    const char *name = word->as.field.name, *quote = is_json(word) ? "`" : "'";
    return report(finder, word,
                  "%.*s is a member here, not a %s: write %s%.*s%s for the %s, @.%.*s for the "
                  "member",
                  length, name, is_json(word) ? "value" : "text", quote, length, name, quote,
                  is_json(word) ? "value" : "text", length, name);
  }
  return false;
}

static bool is_mistaken(const BideNode *node, const void *finder) {
  return (node->kind == BIDE_NODE_COMPARE && find_beside(finder, node)) ||
         (node->kind == BIDE_NODE_CALL && find_as_argument(finder, node));
}

bool bide_condition_bare_word(const BideExpression *expression, BideError *mistake) {
  Finder finder = {expression, mistake};
  return bide_node_find(expression->root, is_mistaken, &finder) != NULL;
}
