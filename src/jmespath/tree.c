#include "jmespath/tree.h"

const char *bide_operator_text(BideOperator operator) {
  switch (operator) {
    case BIDE_OPERATOR_EQUAL: return "==";
    case BIDE_OPERATOR_NOT_EQUAL: return "!=";
    case BIDE_OPERATOR_LESS: return "<";
    case BIDE_OPERATOR_LESS_EQUAL: return "<=";
    case BIDE_OPERATOR_GREATER: return ">";
    case BIDE_OPERATOR_GREATER_EQUAL: return ">=";
  }
  return "==";
}
