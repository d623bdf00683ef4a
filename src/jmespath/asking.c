#include "jmespath/asking.h"

#include <string.h>

#include "jmespath/function.h"
#include "jmespath/search.h"

bool bide_asking_is_call(const BideNode *node) {
  return node->kind == BIDE_NODE_CALL && bide_function_asks_answer(node->as.call.function);
}

bool bide_asking_is_node(const BideNode *node) {
  return node->kind == BIDE_NODE_FIELD || bide_asking_is_call(node);
}

static uint32_t number_of(const BideNode *node) {
  return node->kind == BIDE_NODE_FIELD ? node->as.field.hint : node->as.call.hint;
}

uint64_t bide_asking_bit(const BideNode *node) {
  uint32_t number = number_of(node);
  return number < BIDE_ASKING_MOST ? UINT64_C(1) << number : 0;
}

/* Returns the name that a call of header() has in the expression itself; NULL otherwise. */
static const BideValue *header_name(const BideNode *call) {
  const BideNode *name = call->as.call.count == 1 ? call->as.call.arguments[0] : NULL;
  return name != NULL && name->kind == BIDE_NODE_LITERAL && name->as.literal.type == BIDE_STRING
           ? &name->as.literal
           : NULL;
}

bool bide_asking_has(const BideAnswer *answer, const BideNode *call) {
  BideError error;
  BideArena scratch;
  BideSearch search = {.answer = answer,
                       .scratch = &scratch,
                       .error = &error,
                       .work = BIDE_JMESPATH_WORK,
                       .room = BIDE_JMESPATH_BYTES};
  BideCall of = {&search, call, header_name(call), call->as.call.count};
  bool has;
  if (call->as.call.count > 0 && of.arguments == NULL)
    return false;
  if (call->as.call.function->call == bide_function_text)
    return answer != NULL && answer->text != NULL;
  bide_arena_init(&scratch, 0);
  has = call->as.call.function->call(&of).type != BIDE_NULL;
  bide_arena_free(&scratch);
  return has;
}

uint32_t bide_asking_count(const BideExpression *expression) {
  return expression->hints;
}

uint64_t bide_asking_all(const BideExpression *expression) {
  uint32_t count = expression->hints;
  return count >= BIDE_ASKING_MOST ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

bool bide_asking_is_of_answer(const BideExpression *expression) {
  return expression->asks_answer && !bide_node_reads_input(expression->root);
}

static bool has_number(const BideNode *node, const void *argument) {
  const unsigned *number = argument;
  return bide_asking_is_node(node) && number_of(node) == *number;
}

/* Returns the field or the call that has this number; NULL if there is none. */
static const BideNode *node_of(const BideExpression *expression, unsigned bit) {
  return bit < BIDE_ASKING_MOST ? bide_node_find(expression->root, has_number, &bit) : NULL;
}

const char *bide_asking_name(const BideExpression *expression, unsigned bit, size_t *length) {
  const BideNode *node = node_of(expression, bit);
  const BideValue *header = node != NULL && bide_asking_is_call(node) ? header_name(node) : NULL;
  const char *name;
  if (node == NULL)
    return NULL;
  if (node->kind == BIDE_NODE_FIELD) {
    *length = node->as.field.length;
    return node->as.field.name;
  }
  name = header != NULL ? header->as.string : node->as.call.function->name;
  *length = header != NULL ? header->length : strlen(name);
  return name;
}

const char *bide_asking_noun(const BideExpression *expression, unsigned bit) {
  const BideNode *node = node_of(expression, bit);
  if (node == NULL || node->kind == BIDE_NODE_FIELD)
    return "member";
  return header_name(node) != NULL ? "header" : "function";
}
