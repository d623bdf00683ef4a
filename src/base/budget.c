#include "base/budget.h"

static bool has_room(const BideBudget *budget, size_t bytes, size_t most) {
  return budget->limit == 0 || (budget->used <= most && bytes <= most - budget->used);
}

bool bide_budget_fits(const BideBudget *budget, size_t bytes) {
  return budget == NULL || has_room(budget, bytes, budget->limit);
}

bool bide_budget_take(BideBudget *budget, size_t bytes) {
  if (budget == NULL)
    return true;
  if (!has_room(budget, bytes, budget->limit + budget->reserve)) {
    budget->refused = true;
    return false;
  }
  budget->used += bytes;
  return true;
}

void bide_budget_give(BideBudget *budget, size_t bytes) {
  if (budget != NULL)
    budget->used -= bytes;
}
