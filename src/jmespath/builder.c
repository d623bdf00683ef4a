#include "jmespath/builder.h"

#include <string.h>

#include "jmespath/search.h"

void *bide_build_fail(const BideBuilder *builder) {
  bide_error_set(builder->error, BIDE_ERROR_MEMORY, "not enough memory for the expression");
  return NULL;
}

BideNode *bide_build_node(const BideBuilder *builder, BideNodeKind kind, size_t offset) {
  BideNode *node = bide_arena_alloc(builder->arena, sizeof *node);
  if (node == NULL)
    return bide_build_fail(builder);
  memset(node, 0, sizeof *node);
  node->kind = (uint8_t)kind;
  if (kind != BIDE_NODE_CALL) /* which depends on the function */
    node->evaluate = bide_search_evaluator(node);
  node->offset = (uint32_t)offset;
  node->number = builder->expression->nodes++;
  return node;
}

/* Lists begin with room for four and double: they are full when their count is a power of two. */
static bool is_full(uint32_t count) {
  return count >= 4 && (count & (count - 1)) == 0;
}

static void *grow(const BideBuilder *builder, void *items, uint32_t count, size_t item_size) {
  size_t room = count == 0 ? 4 : (size_t)count * 2;
  void *larger;
  if (count != 0 && !is_full(count))
    return items;
  larger = bide_arena_alloc(builder->arena, room * item_size);
  if (larger == NULL)
    return bide_build_fail(builder);
  if (count > 0)
    memcpy(larger, items, count * item_size);
  return larger;
}

bool bide_build_append(const BideBuilder *builder, BideNode *list, BideNode *item) {
  BideNode **items;
  if (item == NULL)
    return false;
  items = grow(builder, list->as.list.items, list->as.list.count, sizeof(BideNode *));
  if (items == NULL)
    return false;
  items[list->as.list.count++] = item;
  list->as.list.items = items;
  list->can_raise = list->can_raise || item->can_raise;
  return true;
}

BideNode *bide_build_list(const BideBuilder *builder, BideNode *first, BideNodeKind kind) {
  BideNode *list;
  if (first->kind == kind)
    return first;
  list = bide_build_node(builder, kind, first->offset);
  if (list == NULL || !bide_build_append(builder, list, first))
    return NULL;
  return list;
}

BideNode *bide_build_step(const BideBuilder *builder, BideNode *left, BideNode *step) {
  BideNode *chain;
  if (left == NULL || step == NULL)
    return NULL;
  if (left->kind == BIDE_NODE_CURRENT)
    return step;
  if (step->kind == BIDE_NODE_CURRENT)
    return left;
  chain = bide_build_list(builder, left, BIDE_NODE_CHAIN);
  if (chain == NULL)
    return NULL;
  if (step->kind != BIDE_NODE_CHAIN)
    return bide_build_append(builder, chain, step) ? chain : NULL;
  for (uint32_t i = 0; i < step->as.list.count; i++)
    if (!bide_build_append(builder, chain, step->as.list.items[i]))
      return NULL;
  return chain;
}

BideNode *bide_build_field(const BideBuilder *builder, const BideLexer *lexer) {
  BideNode *node = bide_build_node(builder, BIDE_NODE_FIELD, lexer->offset);
  if (node == NULL)
    return NULL;
  node->as.field.name = lexer->value.as.string;
  node->as.field.length = lexer->value.length;
  node->as.field.hash = bide_name_hash(lexer->value.as.string, lexer->value.length);
  node->as.field.hint = builder->expression->hints++;
  return node;
}

BideNode *bide_build_literal(const BideBuilder *builder, const BideLexer *lexer) {
  BideNode *node = bide_build_node(builder, BIDE_NODE_LITERAL, lexer->offset);
  if (node != NULL)
    node->as.literal = lexer->value;
  return node;
}

static bool is_path(const BideNode *node) {
  if (node->kind != BIDE_NODE_CHAIN)
    return false;
  for (uint32_t i = 0; i < node->as.list.count; i++)
    if (node->as.list.items[i]->kind != BIDE_NODE_FIELD)
      return false;
  return true;
}

void bide_build_weigh(const BideBuilder *builder, BideNode *node) {
  node->weight = 1 + (builder->expression->nodes - node->number) / 8;
}

void bide_build_body(const BideBuilder *builder, BideNode *projection, const BideNode *body) {
  projection->as.project.body = body->kind == BIDE_NODE_CURRENT ? NULL : body;
  projection->as.project.body_is_path = is_path(body);
  projection->as.project.body_is_list = body->kind == BIDE_NODE_LIST;
  projection->can_raise = projection->can_raise || body->can_raise;
  bide_build_weigh(builder, projection);
}

bool bide_build_append_name(const BideBuilder *builder, BideNode *hash, const BideValue *name) {
  uint32_t count = hash->as.list.count;
  BideMember member = bide_member(name->as.string, name->length, bide_value_null());
  BideMember *names = grow(builder, hash->as.list.names, count, sizeof *names);
  if (names == NULL)
    return false;
  if (bide_object_find(names, count, member.name, member.name_length, member.name_hash) != NULL)
    hash->variant = BIDE_HASH_REPEATS;
  names[count] = member;
  hash->as.list.names = names;
  return true;
}

void bide_build_comparison(BideNode *node, BideComparator comparator, BideNode *left,
                           BideNode *right) {
  node->variant = (uint8_t)comparator;
  node->as.pair.left = left;
  node->as.pair.right = right;
  node->is_field_and_text = comparator <= BIDE_COMPARE_NOT_EQUAL &&
                            left->kind == BIDE_NODE_FIELD && right->kind == BIDE_NODE_LITERAL &&
                            right->as.literal.type == BIDE_STRING;
  node->can_raise = left->can_raise || right->can_raise;
}

/* Each of such lists multiplies what the others repeat. */
void bide_build_repetition(const BideBuilder *builder, const BideNode *list) {
  uint32_t *copies = &builder->expression->copies;
  if (__builtin_mul_overflow(*copies, list->as.list.count, copies))
    *copies = UINT32_MAX;
}
