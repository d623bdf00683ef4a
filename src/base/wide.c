#include "base/wide.h"

#include <math.h>

#define SIGN (UINT64_C(1) << 63)

bool bide_wide_is_negative(const BideWide *sum) {
  return (sum->high & SIGN) != 0;
}

static void add(BideWide *sum, uint64_t low, uint64_t high) {
  sum->low += low;
  sum->high += high + (sum->low < low);
}

void bide_wide_add_signed(BideWide *sum, int64_t number) {
  add(sum, (uint64_t)number, number < 0 ? UINT64_MAX : 0);
}

void bide_wide_add_unsigned(BideWide *sum, uint64_t number) {
  add(sum, number, 0);
}

static BideWide negated(BideWide sum) {
  BideWide result = {~sum.low, ~sum.high};
  add(&result, 1, 0);
  return result;
}

static BideWide absolute(const BideWide *sum) {
  return bide_wide_is_negative(sum) ? negated(*sum) : *sum;
}

bool bide_wide_magnitude(const BideWide *sum, uint64_t *magnitude) {
  BideWide positive = absolute(sum);
  *magnitude = positive.low;
  return positive.high == 0;
}

/* Long division, 32 bits at a time; each divisor is below 2^32. */
uint32_t bide_wide_divide(BideWide *sum, uint32_t count) {
  bool negative = bide_wide_is_negative(sum);
  BideWide rest = absolute(sum), quotient;
  uint64_t upper, lower;
  quotient.high = rest.high / count;
  upper = rest.high % count << 32 | rest.low >> 32;
  lower = upper % count << 32 | (rest.low & UINT32_MAX);
  quotient.low = upper / count << 32 | lower / count;
  *sum = negative ? negated(quotient) : quotient;
  return (uint32_t)(lower % count);
}

/*
** Keeps the highest 64 bits. The lost bits only decide between two equally near doubles, so one
** sticky bit represents them all.
*/
double bide_wide_to_double(const BideWide *sum) {
  BideWide rest = absolute(sum);
  int shift = 0;
  double number;
  while (rest.high != 0) {
    rest.low = rest.low >> 1 | rest.high << 63 | (rest.low & 1);
    rest.high >>= 1;
    shift++;
  }
  number = ldexp((double)rest.low, shift);
  return bide_wide_is_negative(sum) ? -number : number;
}
