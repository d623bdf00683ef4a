/*
** A value in one piece of memory that is exactly as large as it has to be: what
** is kept for long, and often. The copy borrows from nothing but its piece.
*/
#ifndef BIDE_JSON_PIECE_H
#define BIDE_JSON_PIECE_H

#include "json/value.h"

/* Takes the bytes of the piece that `value` needs from `*room`; false where they do not suffice. */
bool bide_piece_fits(const BideValue *value, size_t *room);

/* Copies `value` to `memory`, aligned to 8, whose `size` is what bide_piece_fits took. */
BideValue bide_piece_copy(const BideValue *value, char *memory, size_t size);

/* Whether two values are the same to the byte: types, and the order of members, count. */
bool bide_piece_is_same(const BideValue *a, const BideValue *b);

#endif
