#include "jmespath/builder.h"

#include <string.h>

#include "jmespath/function.h"
#include "jmespath/search.h"

static void *fail(const BideBuilder *builder) {
  bide_error_set(builder->error, BIDE_ERROR_MEMORY, "not enough memory for the expression");
  return NULL;
}

static void note_mistake(BideBuilder *builder, const BideError *mistake, size_t offset) {
  if (builder->mistake.code != BIDE_OK)
    return;
  builder->mistake = *mistake;
  bide_error_locate(&builder->mistake, builder->expression->text, builder->expression->length,
                    offset);
}

bool bide_build_is_right(const BideBuilder *builder) {
  if (builder->mistake.code != BIDE_OK && builder->error != NULL)
    *builder->error = builder->mistake;
  return builder->mistake.code == BIDE_OK;
}

BideNode *bide_build_node(const BideBuilder *builder, BideNodeKind kind, size_t offset) {
  BideNode *node = bide_arena_alloc(builder->arena, sizeof *node);
  if (node == NULL)
    return fail(builder);
  memset(node, 0, sizeof *node);
  node->kind = (uint8_t)kind;
  if (kind != BIDE_NODE_CALL && kind != BIDE_NODE_COMPARE) /* their evaluator depends on more */
    node->evaluate = bide_search_evaluator(node);
  node->offset = (uint32_t)offset;
  node->number = builder->expression->nodes++;
  return node;
}

/* Reports whether a list is full. Lists start with room for four and double. */
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
    return fail(builder);
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

static bool is_path(const BideNode *node) {
  if (node->kind != BIDE_NODE_CHAIN)
    return false;
  for (uint32_t i = 0; i < node->as.list.count; i++)
    if (node->as.list.items[i]->kind != BIDE_NODE_FIELD)
      return false;
  return true;
}

static void set_each(BideNode *projection, const BideNode *each) {
  projection->as.project.each = each;
  projection->as.project.each_is_path = is_path(each);
}

/* Reports whether a step is a[].[b, c], into which nothing has been folded. */
static bool takes_flatten(const BideNode *step) {
  return step->kind == BIDE_NODE_PROJECT && step->as.project.flatten == NULL &&
         step->as.project.body != NULL && step->as.project.body->kind == BIDE_NODE_LIST;
}

/* Only a flatten without a folded one may be folded, which bounds the stack of a search. */
static bool is_foldable(const BideNode *step) {
  return step->kind == BIDE_NODE_PROJECT && step->variant == BIDE_PROJECT_FLATTEN &&
         step->as.project.flatten == NULL;
}

static bool is_folded(const BideNode *chain, const BideNode *last) {
  uint32_t count = chain->as.list.count;
  const BideNode *before = count > 1 ? chain->as.list.items[count - 2] : NULL;
  return before != NULL && before->kind == BIDE_NODE_PROJECT && before->as.project.flatten == last;
}

/*
** Folds the flatten of a[].[b, c][] into the projection before it: b and c of each element are
** projected without a list of them, so a[].[b][] is a[].b.
*/
static void fold(const BideNode *chain, const BideNode *step) {
  BideNode *last = chain->as.list.items[chain->as.list.count - 1];
  if (!takes_flatten(last) || !is_foldable(step) || is_folded(chain, last))
    return;
  last->as.project.flatten = step;
  if (last->as.project.body->as.list.count == 1 && step->as.project.body == NULL)
    set_each(last, last->as.project.body->as.list.items[0]);
  last->as.project.walk = bide_search_walker(last);
  last->can_raise = last->can_raise || step->can_raise;
  last->weight += last->as.project.body->as.list.count * step->weight;
}

static bool is_field_and_row(const BideNode *chain) {
  const BideNode *const *items = bide_node_items(chain);
  uint32_t count = chain->as.list.count;
  return items[0]->kind == BIDE_NODE_FIELD && items[1]->kind == BIDE_NODE_PROJECT &&
         bide_search_row(items + 1, count - 1) == count - 1;
}

static bool append_step(const BideBuilder *builder, BideNode *chain, BideNode *step) {
  fold(chain, step);
  if (!bide_build_append(builder, chain, step))
    return false;
  chain->is_field_and_row = step->kind == BIDE_NODE_PROJECT && is_field_and_row(chain);
  return true;
}

BideNode *bide_build_step(const BideBuilder *builder, BideNode *left, BideNode *step) {
  BideNode *chain;
  if (left == NULL || step == NULL)
    return NULL;
  if (left->kind == BIDE_NODE_CURRENT) {
    step->is_of_current = true;
    return step;
  }
  if (step->kind == BIDE_NODE_CURRENT)
    return left;
  chain = bide_build_list(builder, left, BIDE_NODE_CHAIN);
  if (chain == NULL)
    return NULL;
  if (step->kind != BIDE_NODE_CHAIN)
    return append_step(builder, chain, step) ? chain : NULL;
  for (uint32_t i = 0; i < step->as.list.count; i++)
    if (!append_step(builder, chain, step->as.list.items[i]))
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

static int64_t step_of(BideBuilder *builder, const BideSliceParts *parts, size_t offset) {
  BideError mistake;
  if (!parts->present[2])
    return 1;
  if (parts->numbers[2] == 0) {
    bide_error_set(&mistake, BIDE_ERROR_VALUE, "the step of a slice cannot be 0");
    note_mistake(builder, &mistake, offset);
  }
  return parts->numbers[2];
}

BideNode *bide_build_slice(BideBuilder *builder, const BideSliceParts *parts, size_t offset) {
  BideNode *node = bide_build_node(builder, BIDE_NODE_PROJECT, offset);
  BideSlice *slice = bide_arena_alloc(builder->arena, sizeof *slice);
  if (node == NULL || slice == NULL)
    return fail(builder);
  *slice = (BideSlice){.start = parts->numbers[0],
                       .stop = parts->numbers[1],
                       .step = step_of(builder, parts, offset),
                       .has_start = parts->present[0],
                       .has_stop = parts->present[1]};
  node->variant = BIDE_PROJECT_SLICE;
  node->as.project.slice = slice;
  return node;
}

void bide_build_call(BideBuilder *builder, BideNode *call, const BideValue *name,
                     const BideNode *arguments) {
  BideError mistake;
  call->as.call.arguments = arguments->as.list.items;
  call->as.call.count = arguments->as.list.count;
  call->can_raise = true;
  call->as.call.function = bide_function_find(builder->expression->functions, name->as.string,
                                              name->length, call->as.call.count, &mistake);
  if (call->as.call.function == NULL) {
    note_mistake(builder, &mistake, call->offset);
    return;
  }
  call->evaluate = bide_search_evaluator(call);
  builder->expression->has_own |= bide_function_is_own(call->as.call.function);
  if (bide_function_asks_answer(call->as.call.function)) {
    call->as.call.hint = builder->expression->hints++;
    builder->expression->asks_answer = true;
  }
}

void bide_build_weigh(const BideBuilder *builder, BideNode *node) {
  node->weight = 1 + (builder->expression->nodes - node->number) / 8;
}

void bide_build_body(const BideBuilder *builder, BideNode *projection, BideNode *body) {
  if (body != NULL && body->kind != BIDE_NODE_CURRENT) {
    projection->as.project.body = body;
    set_each(projection, body);
    projection->can_raise = projection->can_raise || body->can_raise;
  }
  projection->as.project.walk = bide_search_walker(projection);
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

void bide_build_comparison(BideNode *node, BideOperator comparison, BideNode *left,
                           BideNode *right) {
  node->variant = (uint8_t)comparison;
  node->evaluate = bide_search_evaluator(node);
  node->as.pair.left = left;
  node->as.pair.right = right;
  node->is_field_and_text = comparison <= BIDE_OPERATOR_NOT_EQUAL &&
                            left->kind == BIDE_NODE_FIELD && right->kind == BIDE_NODE_LITERAL &&
                            right->as.literal.type == BIDE_STRING;
  node->can_raise = left->can_raise || right->can_raise;
}

/* Multiplies, since such lists may be nested. */
void bide_build_repetition(const BideBuilder *builder, const BideNode *list) {
  uint32_t *copies = &builder->expression->copies;
  if (__builtin_mul_overflow(*copies, list->as.list.count, copies))
    *copies = UINT32_MAX;
}
