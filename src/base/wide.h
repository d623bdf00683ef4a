/*
** A sum of whole numbers, exact: 128 bits in two halves, for machines and
** compilers that have no such type. At most 2^32 numbers may be added.
*/
#ifndef BIDE_BASE_WIDE_H
#define BIDE_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct BideWide {
  uint64_t low;
  uint64_t high; /* two's complement: all ones above a negative `low` */
} BideWide;

void bide_wide_add_signed(BideWide *sum, int64_t number);
void bide_wide_add_unsigned(BideWide *sum, uint64_t number);

bool bide_wide_is_negative(const BideWide *sum);

/* The absolute value, where it has no more than 64 bits. */
bool bide_wide_magnitude(const BideWide *sum, uint64_t *magnitude);

/* Divides by `count`, which is above 0, toward zero; returns the remainder of the absolute value. */
uint32_t bide_wide_divide(BideWide *sum, uint32_t count);

/* The nearest double, to even where two are as near. */
double bide_wide_to_double(const BideWide *sum);

#endif
