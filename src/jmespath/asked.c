#include "jmespath/asked.h"

#include <string.h>

#include "base/depth.h"
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

static bool is_of_answer(const BideNode *node) {
  return node->kind == BIDE_NODE_CALL && bide_function_asks_answer(node->as.call.function);
}

static bool is_asked(const BideNode *node) {
  return node->kind == BIDE_NODE_FIELD || is_of_answer(node);
}

static uint32_t number_of(const BideNode *node) {
  return node->kind == BIDE_NODE_FIELD ? node->as.field.hint : node->as.call.hint;
}

static uint64_t bit_of(const BideNode *node) {
  uint32_t number = number_of(node);
  return number < BIDE_ASKED_MOST ? UINT64_C(1) << number : 0;
}

/* Returns the name that a call of header() has in the expression itself; NULL otherwise. */
static const BideValue *header_name(const BideNode *call) {
  const BideNode *name = call->as.call.count == 1 ? call->as.call.arguments[0] : NULL;
  return name != NULL && name->kind == BIDE_NODE_LITERAL && name->as.literal.type == BIDE_STRING
           ? &name->as.literal
           : NULL;
}

/* Reports whether an answer has what a call asks; false for a header whose name is computed. */
static bool has_answer(const BideAnswer *answer, const BideNode *call) {
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

static void visit_field(Walk *walk, const BideNode *node, const BideValue *value,
                        const Rest *rest) {
  BideHint hint = {.name = NULL};
  const BideValue *member;
  walk->asked->asked |= bit_of(node);
  if (value->type != BIDE_OBJECT) {
    walk->asked->is_blind = walk->asked->is_blind || value == walk->root;
    return;
  }
  member = bide_search_find(node, value, &hint);
  if (member == &bide_search_nothing)
    return;
  walk->asked->had |= bit_of(node);
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
  return node->kind == BIDE_NODE_CALL && !is_of_answer(node) &&
         !bide_function_is_of_language(node->as.call.function);
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

uint32_t bide_asked_count(const BideExpression *expression) {
  return expression->hints;
}

uint64_t bide_asked_all(const BideExpression *expression) {
  uint32_t count = expression->hints;
  return count >= BIDE_ASKED_MOST ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* ---- the input ---------------------------------------------------------------- */

/*
** Reports whether the value of a node may depend on that of the input, which is the current value.
** The steps of a chain after the first apply to its result, a reference to elements of another
** argument, and the parts of a projection to elements.
*/
static bool reads_input(const BideNode *node) {
  const BideNode *child;
  switch ((BideNodeKind)node->kind) {
    case BIDE_NODE_CURRENT:
    case BIDE_NODE_FIELD:
    case BIDE_NODE_INDEX:
    case BIDE_NODE_PROJECT:
    case BIDE_NODE_LIST: /* of null it is null */
    case BIDE_NODE_HASH: return true;
    case BIDE_NODE_LITERAL:
    case BIDE_NODE_REFERENCE: return false;
    case BIDE_NODE_CHAIN: return reads_input(node->as.list.items[0]);
    case BIDE_NODE_CALL:
    case BIDE_NODE_OR:
    case BIDE_NODE_AND:
    case BIDE_NODE_NOT:
    case BIDE_NODE_COMPARE: break;
  }
  for (uint32_t i = 0; (child = bide_node_child(node, i)) != NULL; i++)
    if (reads_input(child))
      return true;
  return false;
}

bool bide_asked_is_of_answer(const BideExpression *expression) {
  return expression->asks_answer && !reads_input(expression->root);
}

/* ---- names ------------------------------------------------------------------- */

static bool has_number(const BideNode *node, const void *argument) {
  const unsigned *number = argument;
  return is_asked(node) && number_of(node) == *number;
}

/* Returns the field or the call that has this number; NULL if there is none. */
static const BideNode *node_of(const BideExpression *expression, unsigned bit) {
  return bit < BIDE_ASKED_MOST ? bide_node_find(expression->root, has_number, &bit) : NULL;
}

const char *bide_asked_name(const BideExpression *expression, unsigned bit, size_t *length) {
  const BideNode *node = node_of(expression, bit);
  const BideValue *header = node != NULL && is_of_answer(node) ? header_name(node) : NULL;
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

const char *bide_asked_noun(const BideExpression *expression, unsigned bit) {
  const BideNode *node = node_of(expression, bit);
  if (node == NULL || node->kind == BIDE_NODE_FIELD)
    return "member";
  return header_name(node) != NULL ? "header" : "function";
}

/* ---- what a value and an answer have ---------------------------------------------- */

typedef struct Asking {
  const BideAnswer *answer;
  BideAsked *asked;
} Asking;

/* Adds what a call asks of the answer, whether or not a search would reach the call. */
static bool ask_answer(const BideNode *node, const void *argument) {
  const Asking *asking = argument;
  if (!is_of_answer(node))
    return false;
  asking->asked->asked |= bit_of(node);
  if (has_answer(asking->answer, node))
    asking->asked->had |= bit_of(node);
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

/* ---- searches without the missing members ------------------------------------ */

static bool is_among(const BideNode *node, const void *argument) {
  const uint64_t *missing = argument;
  return is_asked(node) && (bit_of(node) & *missing) != 0;
}

/*
** Returns the node if an absent member may be more than null in its value: an empty list, 0 or
** false. type(), to_string() and not_null() say themselves what becomes of null.
*/
static bool hides_absence(const BideNode *node, const void *argument) {
  bool hides = node->kind == BIDE_NODE_PROJECT || node->kind == BIDE_NODE_NOT ||
               node->kind == BIDE_NODE_COMPARE;
  (void)argument;
  if (node->kind == BIDE_NODE_CALL && !is_of_answer(node)) {
    BideValue (*call)(const BideCall *) = node->as.call.function->call;
    hides = call != bide_function_type && call != bide_function_to_string &&
            call != bide_function_not_null;
  }
  return hides;
}

/* Reports whether a value is what absence may be in the value of such a node. */
static bool is_nothing(const BideValue *value) {
  switch ((BideType)value->type) {
    case BIDE_FALSE: return true;
    case BIDE_INTEGER: return value->as.integer == 0;
    case BIDE_DOUBLE: return !(value->as.number < 0 || value->as.number > 0);
    case BIDE_STRING:
    case BIDE_ARRAY:
    case BIDE_OBJECT: return value->length == 0;
    case BIDE_NULL:
    case BIDE_TRUE:
    case BIDE_UNSIGNED: return false;
  }
  return false;
}

/* Reports whether a value is nothing, or holds nothing else: [[]], {"n": null}. */
static bool is_made_of_nothing(const BideValue *value) {
  if (value->type == BIDE_ARRAY)
    for (uint32_t i = 0; i < value->length; i++)
      if (!is_made_of_nothing(&value->as.elements[i]))
        return false;
  if (value->type == BIDE_OBJECT)
    for (uint32_t i = 0; i < value->length; i++)
      if (!is_made_of_nothing(&value->as.members[i].value))
        return false;
  return value->type == BIDE_NULL || value->type == BIDE_ARRAY || value->type == BIDE_OBJECT ||
         is_nothing(value);
}

static bool makes_text(const BideNode *node, const void *argument) {
  (void)argument;
  return node->kind == BIDE_NODE_CALL && node->as.call.function->call == bide_function_to_string;
}

/* Reports whether a literal is what to_string() makes of nothing. */
static bool is_text_of_nothing(const BideValue *value) {
  static const char *const texts[] = {"false", "0", "[]", "{}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (value->type == BIDE_STRING && value->length == strlen(texts[i]) &&
        memcmp(value->as.string, texts[i], value->length) == 0)
      return true;
  return false;
}

/* Reports whether a node is a literal that the other node may equal since it is nothing. */
static bool is_literal_nothing(const BideNode *node, const BideNode *other) {
  return node->kind == BIDE_NODE_LITERAL && node->as.literal.type != BIDE_NULL &&
         (is_made_of_nothing(&node->as.literal) ||
          (is_text_of_nothing(&node->as.literal) &&
           bide_node_find(other, makes_text, NULL) != NULL));
}

/*
** Reports whether a comparison is true of what is nothing, or of what is less. `is_hidden` says
** that the current value may be nothing since a member is absent.
*/
static bool is_of_nothing(const BideNode *node, bool is_hidden) {
  const BideNode *left = node->as.pair.left, *right = node->as.pair.right;
  bool left_hides = is_hidden || bide_node_find(left, hides_absence, NULL) != NULL;
  bool right_hides = is_hidden || bide_node_find(right, hides_absence, NULL) != NULL;
  switch ((BideOperator)node->variant) {
    case BIDE_OPERATOR_EQUAL:
      return (left_hides && is_literal_nothing(right, left)) ||
             (right_hides && is_literal_nothing(left, right));
    case BIDE_OPERATOR_LESS:
    case BIDE_OPERATOR_LESS_EQUAL: return left_hides && left->kind != BIDE_NODE_LITERAL;
    case BIDE_OPERATOR_GREATER:
    case BIDE_OPERATOR_GREATER_EQUAL: return right_hides && right->kind != BIDE_NODE_LITERAL;
    case BIDE_OPERATOR_NOT_EQUAL: return false;
  }
  return false;
}

/*
** Reports whether a call may be true of nothing: to_array(), since [null] is not empty; contains()
** and the like, if they look for nothing in a list, or for an empty text in another text.
*/
static bool calls_with_nothing(const BideNode *node, bool is_hidden) {
  BideValue (*call)(const BideCall *) = node->as.call.function->call;
  BideNode *const *arguments = node->as.call.arguments;
  const BideNode *in = arguments[0];
  if (call == bide_function_to_array)
    return true;
  if (call != bide_function_contains && call != bide_function_starts_with &&
      call != bide_function_ends_with)
    return false;
  if (is_literal_nothing(arguments[1], in))
    return is_hidden || bide_node_find(in, hides_absence, NULL) != NULL;
  return arguments[1]->kind != BIDE_NODE_LITERAL &&
         (is_hidden || bide_node_find(arguments[1], hides_absence, NULL) != NULL);
}

/* Reports whether an absent member can make the node true. */
static bool rests_on_absence(const BideNode *node, bool is_hidden) {
  if (node->kind == BIDE_NODE_NOT)
    return true;
  if (node->kind == BIDE_NODE_CALL)
    return calls_with_nothing(node, is_hidden);
  if (node->kind != BIDE_NODE_COMPARE)
    return false;
  return node->variant == BIDE_OPERATOR_NOT_EQUAL ||
         (node->variant == BIDE_OPERATOR_EQUAL && node->as.pair.left->kind != BIDE_NODE_LITERAL &&
          node->as.pair.right->kind != BIDE_NODE_LITERAL) ||
         is_of_nothing(node, is_hidden);
}

/* What is denied: comparisons with these members, and with what the answer has no part for. */
typedef struct Denied {
  uint64_t missing;
  const BideAnswer *answer;
} Denied;

/* Returns the call if the answer lacks what it asks of: then null says nothing of a header. */
static bool lacks_part(const BideNode *node, const void *argument) {
  const Denied *denied = argument;
  const BideAnswer *answer = denied->answer;
  bool has_part;
  if (!is_of_answer(node))
    return false;
  if (node->as.call.function->call == bide_function_header)
    has_part = answer != NULL && answer->headers != NULL;
  else
    has_part = has_answer(answer, node);
  return !has_part;
}

/* Reports whether a node is a comparison that is true of null. */
static bool is_of_null(const BideNode *node) {
  const BideNode *left = node->as.pair.left, *right = node->as.pair.right;
  return node->kind == BIDE_NODE_COMPARE && node->variant == BIDE_OPERATOR_EQUAL &&
         ((left->kind == BIDE_NODE_LITERAL && left->as.literal.type == BIDE_NULL) ||
          (right->kind == BIDE_NODE_LITERAL && right->as.literal.type == BIDE_NULL));
}

/* A test sees constants, but the nodes of bide_asked_search_without() are those of its own copy. */
static BideNode *changeable(const BideNode *node) {
  return (BideNode *)(uintptr_t)node;
}

static void make_literal(BideNode *node, BideValue value) {
  node->kind = BIDE_NODE_LITERAL;
  node->is_field_and_text = false;
  node->can_raise = false;
  node->as.literal = value;
  node->evaluate = bide_search_evaluator(node);
}

/* Makes what may rest on absence no yes, for good: false, or an empty list in the place of one. */
static void make_nothing(BideNode *node) {
  bool is_list = node->kind == BIDE_NODE_CALL &&
                 node->as.call.function->call == bide_function_to_array;
  make_literal(node, is_list ? (BideValue){.type = BIDE_ARRAY} : bide_value_boolean(false));
}

static bool is_call_of(const BideNode *node, BideValue (*function)(const BideCall *)) {
  return node->kind == BIDE_NODE_CALL && node->as.call.function->call == function;
}

static bool is_of_world(const BideNode *node, const void *argument) {
  (void)argument;
  return node->kind == BIDE_NODE_CALL && !bide_function_is_of_language(node->as.call.function);
}

/*
** Makes the defaults of a choice null, which no answer has given: the constants that follow what
** may be absent in `a || 'x'` and not_null(a, 'x').
*/
static void drop_defaults(const BideNode *node, BideNodeTest *is_absent, const void *argument) {
  const BideNode *child;
  bool may_lack = false;
  if (node->kind != BIDE_NODE_OR && !is_call_of(node, bide_function_not_null))
    return;
  for (uint32_t i = 0; (child = bide_node_child(node, i)) != NULL; i++)
    if (may_lack && !reads_input(child) && bide_node_find(child, is_of_world, NULL) == NULL)
      make_literal(changeable(child), bide_value_null());
    else
      may_lack = may_lack || bide_node_find(child, is_absent, argument) != NULL;
}

/* Evaluates a node that makes a list or an object; null if that has nothing but nothing in it. */
static BideValue evaluate_made(BideSearch *search, const BideNode *node, const BideValue *current) {
  BideValue made = bide_search_evaluator(node)(search, node, current);
  return made.length > 0 && is_made_of_nothing(&made) ? bide_value_null() : made;
}

/* Lets [a] and {x: a} be null, and map(&a, list), if each item may be absent, and is. */
static void empty_made(BideNode *node, BideNodeTest *is_absent, const void *argument) {
  bool is_map = is_call_of(node, bide_function_map);
  const BideNode *child;
  if (node->kind != BIDE_NODE_LIST && node->kind != BIDE_NODE_HASH && !is_map)
    return;
  for (uint32_t i = 0; (child = bide_node_child(node, i)) != NULL && !(is_map && i > 0); i++)
    if (bide_node_find(child, is_absent, argument) == NULL)
      return;
  node->evaluate = evaluate_made;
}

static bool reads_current(const BideNode *node, const void *argument) {
  (void)argument;
  return reads_input(node);
}

static bool deny(const BideNode *node, const void *argument) {
  const bool *is_hidden = argument;
  if (rests_on_absence(node, *is_hidden))
    make_nothing(changeable(node));
  else {
    drop_defaults(node, reads_current, NULL);
    empty_made(changeable(node), reads_current, NULL);
  }
  return false;
}

static bool deny_null(const BideNode *node, const void *argument) {
  (void)argument;
  if (is_of_null(node))
    make_nothing(changeable(node));
  return false;
}

/* Denies what compares a missing member, by its name or by what a chain has led to. */
static bool deny_missing(const BideNode *node, const void *argument) {
  const Denied *denied = argument;
  bool is_missing = false, is_hidden = false, lacks = false;
  if ((rests_on_absence(node, false) && bide_node_find(node, is_among, &denied->missing) != NULL) ||
      (is_of_null(node) && bide_node_find(node, lacks_part, denied) != NULL)) {
    make_nothing(changeable(node));
    return false;
  }
  drop_defaults(node, is_among, &denied->missing);
  empty_made(changeable(node), is_among, &denied->missing);
  for (uint32_t i = 0; node->kind == BIDE_NODE_CHAIN && i < node->as.list.count; i++) {
    BideNode *step = node->as.list.items[i];
    if (is_missing)
      bide_node_find(step, deny, &is_hidden);
    if (lacks)
      bide_node_find(step, deny_null, NULL);
    lacks = lacks || bide_node_find(step, lacks_part, denied) != NULL;
    is_missing = is_missing || bide_node_find(step, is_among, &denied->missing) != NULL;
    is_hidden = is_hidden || (is_missing && bide_node_find(step, hides_absence, NULL) != NULL);
  }
  return false;
}

bool bide_asked_is_emptied(const BideExpression *expression, uint64_t missing,
                           const BideValue *value) {
  return is_nothing(value) && bide_node_find(expression->root, is_among, &missing) != NULL &&
         bide_node_find(expression->root, hides_absence, NULL) != NULL;
}

/* Chooses the way through each projection again, since it depends on the kind of the condition. */
static bool choose_walker(const BideNode *node, const void *argument) {
  (void)argument;
  if (node->kind == BIDE_NODE_PROJECT)
    changeable(node)->as.project.walk = bide_search_walker(node);
  return false;
}

bool bide_asked_search_without(const BideExpression *expression, uint64_t missing,
                               const BideValue *input, const BideAnswer *answer, BideArena *scratch,
                               BideValue *result, BideError *error) {
  const BideExpression *copy = bide_jmespath_compile(scratch, expression->functions,
                                                     expression->text, expression->length, error);
  Denied denied = {missing, answer};
  if (copy == NULL)
    return false;
  bide_node_find(copy->root, deny_missing, &denied);
  bide_node_find(copy->root, choose_walker, NULL);
  return bide_jmespath_search(copy, input, answer, scratch, result, error, NULL);
}
