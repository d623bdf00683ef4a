/*
** "Did you mean": the name nearest to one that was misspelt.
*/
#ifndef BIDE_BASE_NEAREST_H
#define BIDE_BASE_NEAREST_H

#include <stddef.h>

typedef struct BideNearest {
  const char *wanted;
  size_t length;
  const char *best;   /* NULL while nothing is near enough */
  size_t best_length;
  size_t distance;    /* of the best */
} BideNearest;

/* `wanted` is borrowed, and so is what is offered. */
void bide_nearest_init(BideNearest *nearest, const char *wanted, size_t length);

/*
** Becomes the best if it is nearer than that, and near enough to be meant. Of two that are
** as near it is the first by name, in whatever order they are offered.
*/
void bide_nearest_offer(BideNearest *nearest, const char *name, size_t length);

#endif
