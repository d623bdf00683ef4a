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

void bide_expression_blame(const BideExpression *expression, const BideNode *node, BideError *error,
                           BideErrorCode code, const char *format, va_list arguments) {
  bide_error_set_list(error, code, format, arguments);
  bide_error_locate(error, expression->text, expression->length, node == NULL ? 0 : node->offset);
}
