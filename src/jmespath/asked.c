#include "jmespath/asked.h"

#include "base/depth.h"
#include "jmespath/asking.h"
#include "jmespath/function.h"
#include "jmespath/search.h"
#include "jmespath/tree.h"

/* The most values that are visited, since operands of || that follow each other multiply. */
#define MOST_VISITS 1000000

/* The deepest recursion: the nesting of an expression and that of a value. */
#define DEEPEST (3 * BIDE_DEPTH)

/* The steps of a chain that apply to a value, and those of the chains around it. */
typedef struct Rest {
  const BideNode *const *steps;
  uint32_t count;
  bool of_element; /* the value is one element of the list that the steps apply to */
  const struct Rest *after;
} Rest;

typedef struct Walk {
  const BideExpression *expression;
  const BideAnswer *answer;
  const BideValue *root;
  BideAsked *asked;
  uint32_t visits;
  uint32_t depth;
} Walk;

static void visit(Walk *walk, const BideNode *node, const BideValue *value, const Rest *rest,
                  bool of_element);

/* Applies the rest of the steps to a value. */
static void go_on(Walk *walk, const Rest *rest, const BideValue *value, bool of_element) {
  Rest next;
  while (rest != NULL && rest->count == 0) {
    of_element = of_element || rest->of_element;
    rest = rest->after;
  }
  if (rest == NULL || value->type == BIDE_NULL)
    return;
  of_element = of_element || rest->of_element;
  next = (Rest){rest->steps + 1, rest->count - 1, false, rest->after};
  visit(walk, rest->steps[0], value, &next, of_element);
}

static void visit_field(Walk *walk, const BideNode *node, const BideValue *value,
                        const Rest *rest) {
  BideHint hint = {.name = NULL};
  const BideValue *member;
  walk->asked->asked |= bide_asking_bit(node);
  if (value->type != BIDE_OBJECT) {
    walk->asked->is_blind = walk->asked->is_blind || value == walk->root;
    return;
  }
  member = bide_search_find(node, value, &hint);
  if (member == &bide_search_nothing)
    return;
  walk->asked->had |= bide_asking_bit(node);
  go_on(walk, rest, member, false);
}

/* What is visited for an element that a list does not have: it has no members. */
static const BideValue no_element = {.type = BIDE_OBJECT};

/* An element of a list in which the steps continue may be any, so all are visited. */
static void visit_index(Walk *walk, const BideNode *node, const BideValue *value, const Rest *rest,
                        bool of_element) {
  int64_t index = node->as.index;
  if (of_element || value == &no_element)
    go_on(walk, rest, value, false);
  if (of_element || value->type != BIDE_ARRAY)
    return;
  index += index < 0 ? value->length : 0;
  go_on(walk, rest, index >= 0 && index < value->length ? &value->as.elements[index] : &no_element,
        false);
}

static void visit_element(Walk *walk, const BideNode *node, const BideValue *element,
                          const Rest *rest) {
  Rest of_list = {NULL, 0, true, rest};
  if (element->type == BIDE_NULL)
    return;
  if (node->as.project.condition != NULL)
    visit(walk, node->as.project.condition, element, NULL, false);
  if (node->as.project.body != NULL)
    visit(walk, node->as.project.body, element, &of_list, false);
  else
    go_on(walk, &of_list, element, true);
}

static void visit_elements(Walk *walk, const BideNode *node, const BideValue *array,
                           const Rest *rest) {
  for (uint32_t i = 0; i < array->length; i++) {
    const BideValue *element = &array->as.elements[i];
    if (node->variant == BIDE_PROJECT_FLATTEN && element->type == BIDE_ARRAY)
      for (uint32_t j = 0; j < element->length; j++)
        visit_element(walk, node, &element->as.elements[j], rest);
    else
      visit_element(walk, node, element, rest);
  }
}

static void visit_projection(Walk *walk, const BideNode *node, const BideValue *value,
                             const Rest *rest, bool of_element) {
  bool flattens = node->variant == BIDE_PROJECT_FLATTEN;
  if (node->variant == BIDE_PROJECT_VALUES && !of_element) {
    for (uint32_t i = 0; value->type == BIDE_OBJECT && i < value->length; i++)
      visit_element(walk, node, &value->as.members[i].value, rest);
  } else if (of_element && !(flattens && value->type == BIDE_ARRAY)) {
    visit_element(walk, node, value, rest);
  } else if (value->type == BIDE_ARRAY) {
    visit_elements(walk, node, value, rest);
  }
}

static void visit_all(Walk *walk, BideNode *const *nodes, uint32_t count, const BideValue *value,
                      const Rest *rest) {
  for (uint32_t i = 0; i < count; i++)
    visit(walk, nodes[i], value, rest, false);
}

/* Visits the arguments of a call, and an expression reference for the elements of the others. */
static void visit_call(Walk *walk, const BideNode *call, const BideValue *value) {
  BideNode *const *arguments = call->as.call.arguments;
  visit_all(walk, arguments, call->as.call.count, value, NULL);
  for (uint32_t i = 0; i < call->as.call.count; i++) {
    BideNode each = {.kind = BIDE_NODE_PROJECT, .variant = BIDE_PROJECT_LIST};
    const BideNode *step = &each;
    Rest of_elements = {&step, 1, false, NULL};
    if (arguments[i]->kind != BIDE_NODE_REFERENCE)
      continue;
    each.as.project.body = arguments[i]->as.pair.left;
    visit_all(walk, arguments, call->as.call.count, value, &of_elements);
  }
}

/* The host's functions are scripts, which run for the answer itself alone. */
static bool is_of_host(const BideNode *node, const void *argument) {
  (void)argument;
  return node->kind == BIDE_NODE_CALL && bide_function_is_of_host(node->as.call.function);
}

/* Applies the rest of the steps to what a call or an object makes of a value. */
static void visit_made(Walk *walk, const BideNode *node, const BideValue *value, const Rest *rest) {
  BideExpression part = *walk->expression;
  BideArena scratch;
  BideValue made;
  BideError error;
  while (rest != NULL && rest->count == 0 && !rest->of_element)
    rest = rest->after;
  part.root = (BideNode *)(uintptr_t)node;
  if (rest == NULL || bide_node_find(part.root, is_of_host, NULL) != NULL)
    return;
  bide_arena_init(&scratch, 0);
  if (bide_jmespath_search(&part, value, walk->answer, &scratch, &made, &error, NULL))
    go_on(walk, rest, &made, false);
  bide_arena_free(&scratch);
}

static bool is_projection(const BideNode *node, const void *argument) {
  (void)argument;
  return node->kind == BIDE_NODE_PROJECT;
}

/* Applies what follows a pipe to the whole list of a projection, which ends there. */
static void visit_pipes(Walk *walk, const BideNode *chain, const BideValue *value,
                        const Rest *rest) {
  uint32_t count = chain->as.list.count;
  bool is_list = false;
  for (uint32_t i = 0; i < count; i++) {
    BideNode *step = chain->as.list.items[i];
    if (step->is_piped && is_list) {
      BideNode before = *chain;
      Rest tail = {bide_node_items(chain) + i, count - i, false, rest};
      before.as.list.count = i;
      before.is_field_and_row = false;
      visit_made(walk, &before, value, &tail);
    }
    is_list = is_list || bide_node_find(step, is_projection, NULL) != NULL;
  }
}

/* Visits a node for a value that is not null. */
static void visit_node(Walk *walk, const BideNode *node, const BideValue *value, const Rest *rest,
                       bool of_element) {
  Rest inner = {NULL, 0, node->kind == BIDE_NODE_LIST, rest};
  bool takes_element = node->kind == BIDE_NODE_CURRENT || node->kind == BIDE_NODE_LITERAL ||
                       node->kind == BIDE_NODE_INDEX || node->kind == BIDE_NODE_CHAIN ||
                       node->kind == BIDE_NODE_PROJECT;
  if (of_element && !takes_element)
    return;
  switch ((BideNodeKind)node->kind) {
    case BIDE_NODE_CURRENT: go_on(walk, rest, value, of_element); break;
    case BIDE_NODE_LITERAL: go_on(walk, rest, &node->as.literal, false); break;
    case BIDE_NODE_FIELD: visit_field(walk, node, value, rest); break;
    case BIDE_NODE_INDEX: visit_index(walk, node, value, rest, of_element); break;
    case BIDE_NODE_CHAIN:
      inner.steps = bide_node_items(node);
      inner.count = node->as.list.count;
      go_on(walk, &inner, value, of_element);
      if (!of_element)
        visit_pipes(walk, node, value, rest);
      break;
    case BIDE_NODE_PROJECT: visit_projection(walk, node, value, rest, of_element); break;
    case BIDE_NODE_LIST:
    case BIDE_NODE_OR:
    case BIDE_NODE_AND:
      visit_all(walk, node->as.list.items, node->as.list.count, value, &inner);
      break;
    case BIDE_NODE_HASH:
      visit_all(walk, node->as.list.items, node->as.list.count, value, NULL);
      visit_made(walk, node, value, rest);
      break;
    case BIDE_NODE_CALL:
      visit_call(walk, node, value);
      visit_made(walk, node, value, rest);
      break;
    case BIDE_NODE_REFERENCE: break; /* visit_call */
    case BIDE_NODE_NOT: visit(walk, node->as.pair.left, value, NULL, false); break;
    case BIDE_NODE_COMPARE:
      visit(walk, node->as.pair.left, value, NULL, false);
      visit(walk, node->as.pair.right, value, NULL, false);
      break;
  }
}

static void visit(Walk *walk, const BideNode *node, const BideValue *value, const Rest *rest,
                  bool of_element) {
  if (value->type == BIDE_NULL && value != walk->root)
    return;
  if (walk->visits >= MOST_VISITS || walk->depth >= DEEPEST)
    return;
  walk->visits++;
  walk->depth++;
  visit_node(walk, node, value, rest, of_element);
  walk->depth--;
}

typedef struct Asking {
  const BideAnswer *answer;
  BideAsked *asked;
} Asking;

/* Adds what a call asks of the answer, whether or not a search would reach the call. */
static bool ask_answer(const BideNode *node, const void *argument) {
  const Asking *asking = argument;
  if (!bide_asking_is_call(node))
    return false;
  asking->asked->asked |= bide_asking_bit(node);
  if (bide_asking_has(asking->answer, node))
    asking->asked->had |= bide_asking_bit(node);
  return false;
}

void bide_asked_add(const BideExpression *expression, const BideValue *value,
                    const BideAnswer *answer, BideAsked *asked) {
  Walk walk = {.expression = expression, .answer = answer, .root = value, .asked = asked};
  Asking asking = {answer, asked};
  visit(&walk, expression->root, value, NULL, false);
  if (expression->asks_answer)
    bide_node_find(expression->root, ask_answer, &asking);
}
