/*
** An exact sum of whole numbers: 128 bits in two halves, for machines and compilers without
** such a type. At most 2^32 numbers may be added.
*/
#ifndef BIDE_BASE_WIDE_H
#define BIDE_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct BideWide {
  uint64_t low;
  uint64_t high; /* two's complement: all ones above a negative `low` */
} BideWide;

/* Add one number. */
void bide_wide_add_signed(BideWide *sum, int64_t number);
void bide_wide_add_unsigned(BideWide *sum, uint64_t number);

bool bide_wide_is_negative(const BideWide *sum);

/* Sets `*magnitude` to the absolute value. Returns false if it has more than 64 bits. */
bool bide_wide_magnitude(const BideWide *sum, uint64_t *magnitude);

/*
** Divides by `count`, which must not be 0, rounding toward zero. Returns the remainder of the
** absolute value.
*/
uint32_t bide_wide_divide(BideWide *sum, uint32_t count);

/* Returns the nearest double; of two equally near, the even one. */
double bide_wide_to_double(const BideWide *sum);

#endif
