#include "jmespath/tree.h"

const char *bide_operator_text(BideOperator comparison) {
  switch (comparison) {
    case BIDE_OPERATOR_EQUAL: return "==";
    case BIDE_OPERATOR_NOT_EQUAL: return "!=";
    case BIDE_OPERATOR_LESS: return "<";
    case BIDE_OPERATOR_LESS_EQUAL: return "<=";
    case BIDE_OPERATOR_GREATER: return ">";
    case BIDE_OPERATOR_GREATER_EQUAL: return ">=";
  }
  return "==";
}

BideNode *bide_node_child(const BideNode *node, uint32_t position) {
  switch ((BideNodeKind)node->kind) {
    case BIDE_NODE_CURRENT:
    case BIDE_NODE_LITERAL:
    case BIDE_NODE_FIELD:
    case BIDE_NODE_INDEX: return NULL;
    case BIDE_NODE_CHAIN:
    case BIDE_NODE_LIST:
    case BIDE_NODE_HASH:
    case BIDE_NODE_OR:
    case BIDE_NODE_AND:
      return position < node->as.list.count ? node->as.list.items[position] : NULL;
    case BIDE_NODE_CALL:
      return position < node->as.call.count ? node->as.call.arguments[position] : NULL;
    case BIDE_NODE_PROJECT:
      if (node->as.project.condition == NULL)
        position++;
      return position == 0   ? node->as.project.condition
             : position == 1 ? node->as.project.body
                             : NULL;
    case BIDE_NODE_REFERENCE:
    case BIDE_NODE_NOT: return position == 0 ? node->as.pair.left : NULL;
    case BIDE_NODE_COMPARE:
      return position == 0 ? node->as.pair.left : position == 1 ? node->as.pair.right : NULL;
  }
  return NULL;
}

const BideNode *bide_node_find(const BideNode *node, BideNodeTest *test, const void *argument) {
  const BideNode *child, *found = test(node, argument) ? node : NULL;
  for (uint32_t i = 0; found == NULL && (child = bide_node_child(node, i)) != NULL; i++)
    found = bide_node_find(child, test, argument);
  return found;
}

void bide_expression_blame(const BideExpression *expression, const BideNode *node, BideError *error,
                           BideErrorCode code, const char *format, va_list arguments) {
  bide_error_set_list(error, code, format, arguments);
  bide_error_locate(error, expression->text, expression->length, node == NULL ? 0 : node->offset);
}

bool bide_node_reads_input(const BideNode *node) {
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
    case BIDE_NODE_CHAIN: return bide_node_reads_input(node->as.list.items[0]);
    case BIDE_NODE_CALL:
    case BIDE_NODE_OR:
    case BIDE_NODE_AND:
    case BIDE_NODE_NOT:
    case BIDE_NODE_COMPARE: break;
  }
  for (uint32_t i = 0; (child = bide_node_child(node, i)) != NULL; i++)
    if (bide_node_reads_input(child))
      return true;
  return false;
}
