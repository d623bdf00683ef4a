/*
** Converts numbers from and to text, independently of the locale (RFC 8259, section 6).
*/
#ifndef BIDE_JSON_NUMBER_H
#define BIDE_JSON_NUMBER_H

#include <stddef.h>

#include "json/value.h"

typedef enum BideNumberStatus {
  BIDE_NUMBER_OK,
  BIDE_NUMBER_MALFORMED, /* the text does not match the grammar of JSON */
  BIDE_NUMBER_TOO_LARGE  /* the number is beyond the largest double */
} BideNumberStatus;

/*
** Reads the JSON number that `text` begins with. `*next` becomes the first byte after it, or the
** byte that does not match the grammar. The text must end in a byte that cannot be part of a
** number, such as NUL.
*/
BideNumberStatus bide_number_read(const char *text, const char **next, BideValue *value);

/*
** Reads a short fraction such as 1700000000.123; returns NULL if it has more than 15 digits. A
** double holds up to 15 digits and the power of ten exactly, so one division rounds correctly.
*/
static inline const char *bide_number_read_fraction(const char *at, const char *point,
                                                    int64_t whole, BideValue *value) {
  static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char *next = point + 1;
  while ((unsigned char)(*next - '0') < 10 && next - at <= 16)
    whole = whole * 10 + (*next++ - '0');
  if (next == point + 1 || next - at > 16 || (*next | 0x20) == 'e')
    return NULL;
  *value = bide_value_double((double)whole / powers[next - point - 1]);
  if (*at == '-')
    value->as.number = -value->as.number;
  return next;
}

/*
** Reads the most frequent numbers: integers and fractions of few digits. Returns NULL for all
** others and for malformed ones, which are left to bide_number_read.
*/
static inline const char *bide_number_read_short(const char *at, BideValue *value) {
  const char *begin = at + (*at == '-');
  const char *next = begin;
  int64_t integer = 0;
  while ((unsigned char)(*next - '0') < 10 && next - begin < 18)
    integer = integer * 10 + (*next++ - '0');
  if (next == begin || (*begin == '0' && next - begin > 1) || (unsigned char)(*next - '0') < 10 ||
      (*next | 0x20) == 'e')
    return NULL;
  if (*next == '.')
    return bide_number_read_fraction(at, next, integer, value);
  *value = bide_value_integer(*at == '-' ? -integer : integer);
  return next;
}

#endif
