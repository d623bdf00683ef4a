/*
** A budget: how much memory several owners may hold together. It only counts, and
** allocates nothing itself. An owner that takes bytes returns the same number when it frees
** them.
*/
#ifndef BIDE_BASE_BUDGET_H
#define BIDE_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/export.h"

typedef struct BideBudget {
  size_t used;
  size_t limit;   /* the largest value of `used`; 0 is unlimited */
  size_t reserve; /* bytes that may be taken beyond the limit for the moment */
  bool refused;   /* a request was refused; the owner of the budget resets it */
} BideBudget;

/* Takes `bytes`; if there are too few, takes nothing and returns false. NULL is unlimited. */
BIDE_API bool bide_budget_take(BideBudget *budget, size_t bytes);

/* Reports whether `bytes` could be taken without using the reserve. */
BIDE_API bool bide_budget_fits(const BideBudget *budget, size_t bytes);

/* Returns bytes that were taken. */
BIDE_API void bide_budget_give(BideBudget *budget, size_t bytes);

#endif
