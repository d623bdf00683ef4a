#include "jmespath/print.h"

#include <string.h>

#include "jmespath/function.h"

/* The most members of a node; each function adds its own. */
#define MOST_MEMBERS 8

typedef struct Printer {
  BideArena *arena;
  bool failed;
} Printer;

typedef struct Object {
  BideMember members[MOST_MEMBERS];
  size_t count;
} Object;

static BideValue print_node(Printer *printer, const BideNode *node);

static BideValue text_value(const char *text) {
  return bide_value_string(text, strlen(text));
}

static void add(Object *object, const char *name, BideValue value) {
  object->members[object->count++] = bide_member(name, strlen(name), value);
}

static void *take(Printer *printer, size_t size) {
  void *memory = bide_arena_alloc(printer->arena, size);
  if (memory == NULL)
    printer->failed = true;
  return memory;
}

static BideValue finish(Printer *printer, const Object *object) {
  BideMember *members = take(printer, object->count * sizeof *members);
  if (members == NULL)
    return bide_value_null();
  memcpy(members, object->members, object->count * sizeof *members);
  return bide_value_object(members, object->count);
}

static BideValue print_items(Printer *printer, BideNode *const *items, uint32_t count) {
  BideValue *elements = take(printer, count * sizeof *elements);
  if (elements == NULL)
    return bide_value_null();
  for (uint32_t i = 0; i < count; i++)
    elements[i] = print_node(printer, items[i]);
  return bide_value_array(elements, count);
}

/* Prints a list of pairs, not an object, since names may repeat and all are evaluated. */
static BideValue print_pairs(Printer *printer, const BideNode *node) {
  BideValue *pairs = take(printer, node->as.list.count * sizeof *pairs);
  if (pairs == NULL)
    return bide_value_null();
  for (uint32_t i = 0; i < node->as.list.count; i++) {
    const BideMember *name = &node->as.list.names[i];
    Object pair = {.count = 0};
    add(&pair, "name", bide_value_string(name->name, name->name_length));
    add(&pair, "value", print_node(printer, node->as.list.items[i]));
    pairs[i] = finish(printer, &pair);
  }
  return bide_value_array(pairs, node->as.list.count);
}

static BideValue print_slice(Printer *printer, const BideSlice *slice) {
  BideValue *parts = take(printer, 3 * sizeof *parts);
  if (parts == NULL)
    return bide_value_null();
  parts[0] = slice->has_start ? bide_value_integer(slice->start) : bide_value_null();
  parts[1] = slice->has_stop ? bide_value_integer(slice->stop) : bide_value_null();
  parts[2] = bide_value_integer(slice->step);
  return bide_value_array(parts, 3);
}

static const char *projection_name(BideProjection variant) {
  switch (variant) {
    case BIDE_PROJECT_LIST: return "list-projection";
    case BIDE_PROJECT_FLATTEN: return "flatten";
    case BIDE_PROJECT_VALUES: return "values-projection";
    case BIDE_PROJECT_FILTER: return "filter";
    case BIDE_PROJECT_SLICE: return "slice";
  }
  return "projection";
}

static void add_projection(Printer *printer, const BideNode *node, Object *object) {
  if (node->as.project.slice != NULL)
    add(object, "bounds", print_slice(printer, node->as.project.slice));
  if (node->as.project.condition != NULL)
    add(object, "condition", print_node(printer, node->as.project.condition));
  if (node->as.project.body != NULL)
    add(object, "each", print_node(printer, node->as.project.body));
}

static void add_call(Printer *printer, const BideNode *node, Object *object) {
  add(object, "name", text_value(node->as.call.function->name));
  add(object, "arguments", print_items(printer, node->as.call.arguments, node->as.call.count));
}

static void add_comparison(Printer *printer, const BideNode *node, Object *object) {
  add(object, "operator", text_value(bide_operator_text((BideOperator)node->variant)));
  add(object, "left", print_node(printer, node->as.pair.left));
  add(object, "right", print_node(printer, node->as.pair.right));
}

static const char *node_name(const BideNode *node) {
  switch ((BideNodeKind)node->kind) {
    case BIDE_NODE_CURRENT: return "current";
    case BIDE_NODE_LITERAL: return "literal";
    case BIDE_NODE_FIELD: return "field";
    case BIDE_NODE_INDEX: return "index";
    case BIDE_NODE_CHAIN: return "chain";
    case BIDE_NODE_PROJECT: return projection_name((BideProjection)node->variant);
    case BIDE_NODE_LIST: return "multi-select-list";
    case BIDE_NODE_HASH: return "multi-select-hash";
    case BIDE_NODE_CALL: return "function";
    case BIDE_NODE_REFERENCE: return "expression-reference";
    case BIDE_NODE_OR: return "or";
    case BIDE_NODE_AND: return "and";
    case BIDE_NODE_NOT: return "not";
    case BIDE_NODE_COMPARE: return "comparison";
  }
  return "node";
}

static void add_list(Printer *printer, const BideNode *node, Object *object) {
  const char *name = node->kind == BIDE_NODE_CHAIN  ? "steps"
                     : node->kind == BIDE_NODE_LIST ? "items"
                                                    : "operands";
  add(object, name, print_items(printer, node->as.list.items, node->as.list.count));
}

static void add_parts(Printer *printer, const BideNode *node, Object *object) {
  switch ((BideNodeKind)node->kind) {
    case BIDE_NODE_CURRENT: break;
    case BIDE_NODE_LITERAL: add(object, "value", node->as.literal); break;
    case BIDE_NODE_FIELD:
      add(object, "name", bide_value_string(node->as.field.name, node->as.field.length));
      break;
    case BIDE_NODE_INDEX: add(object, "index", bide_value_integer(node->as.index)); break;
    case BIDE_NODE_CHAIN:
    case BIDE_NODE_LIST:
    case BIDE_NODE_OR:
    case BIDE_NODE_AND: add_list(printer, node, object); break;
    case BIDE_NODE_HASH: add(object, "items", print_pairs(printer, node)); break;
    case BIDE_NODE_PROJECT: add_projection(printer, node, object); break;
    case BIDE_NODE_CALL: add_call(printer, node, object); break;
    case BIDE_NODE_REFERENCE:
    case BIDE_NODE_NOT: add(object, "operand", print_node(printer, node->as.pair.left)); break;
    case BIDE_NODE_COMPARE: add_comparison(printer, node, object); break;
  }
}

static BideValue print_node(Printer *printer, const BideNode *node) {
  Object object = {.count = 0};
  add(&object, "type", text_value(node_name(node)));
  add(&object, "at", bide_value_integer(node->offset));
  if (node->is_piped)
    add(&object, "piped", bide_value_boolean(true));
  add_parts(printer, node, &object);
  return finish(printer, &object);
}

bool bide_jmespath_tree(const BideExpression *expression, BideArena *arena, BideValue *value,
                        BideError *error) {
  Printer printer = {.arena = arena};
  *value = print_node(&printer, expression->root);
  if (printer.failed)
    bide_error_set(error, BIDE_ERROR_MEMORY, "not enough memory for the tree");
  else if (value->depth > BIDE_DEPTH)
    bide_error_set(error, BIDE_ERROR_LIMIT,
                   "the tree is nested too deeply, beyond " BIDE_IN_TEXT(BIDE_DEPTH) " levels");
  return !printer.failed && value->depth <= BIDE_DEPTH;
}
