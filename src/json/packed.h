/*
** Packs a value into one block of memory of exactly the size it needs: the form for values
** that are kept long and in large numbers. A packed value borrows from its block alone.
*/
#ifndef BIDE_JSON_PACKED_H
#define BIDE_JSON_PACKED_H

#include "json/value.h"

/* Subtracts the bytes that `value` needs from `*room`; returns false if there are too few. */
bool bide_packed_fits(const BideValue *value, size_t *room);

/*
** Copies `value` into `memory`, which must be aligned to 8. `size` is the number of bytes
** that bide_packed_fits subtracted.
*/
BideValue bide_packed_copy(const BideValue *value, char *memory, size_t size);

/* Reports whether two values are identical: their types and the order of members count too. */
bool bide_packed_is_same(const BideValue *a, const BideValue *b);

#endif
