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
