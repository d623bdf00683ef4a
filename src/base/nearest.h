/*
** "Did you mean": finds the name nearest to a misspelt one.
*/
#ifndef BIDE_BASE_NEAREST_H
#define BIDE_BASE_NEAREST_H

#include <stddef.h>

typedef struct BideNearest {
  const char *wanted;
  size_t length;
  const char *best; /* NULL while no name is near enough */
  size_t best_length;
  size_t distance; /* of `best` from `wanted` */
} BideNearest;

/* Starts a search for `wanted`. `wanted` and the offered names are borrowed. */
void bide_nearest_init(BideNearest *nearest, const char *wanted, size_t length);

/*
** Offers a name. It becomes the best if it is nearer than the best so far and near enough to be
** meant; a name that begins with `wanted` is one slip away. Of two equally near names the
** alphabetically first wins, whatever the order of offers.
*/
void bide_nearest_offer(BideNearest *nearest, const char *name, size_t length);

#endif
