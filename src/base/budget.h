/*
** A budget: how much memory several owners may take together, whoever allocates
** it. It counts and allocates nothing itself. Whoever takes gives the same number
** of bytes back when it frees them.
*/
#ifndef BIDE_BASE_BUDGET_H
#define BIDE_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/export.h"

typedef struct BideBudget {
  size_t used;
  size_t limit;   /* the most that `used` may become; 0 is no limit */
  size_t reserve; /* what may go beyond the limit just now */
  bool refused;   /* a take was refused; whoever owns the budget sets it back */
} BideBudget;

/* Takes `bytes`, or takes nothing and returns false. NULL is a budget without a limit. */
BIDE_API bool bide_budget_take(BideBudget *budget, size_t bytes);

/* Whether so many bytes could be taken without the reserve. */
BIDE_API bool bide_budget_fits(const BideBudget *budget, size_t bytes);

/* Gives back what was taken. */
BIDE_API void bide_budget_give(BideBudget *budget, size_t bytes);

#endif
