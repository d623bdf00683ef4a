#include "jmespath/tree.h"

const char *bide_comparator_text(BideComparator comparator) {
  switch (comparator) {
    case BIDE_COMPARE_EQUAL: return "==";
    case BIDE_COMPARE_NOT_EQUAL: return "!=";
    case BIDE_COMPARE_LESS: return "<";
    case BIDE_COMPARE_LESS_EQUAL: return "<=";
    case BIDE_COMPARE_GREATER: return ">";
    case BIDE_COMPARE_GREATER_EQUAL: return ">=";
  }
  return "==";
}
