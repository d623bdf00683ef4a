#include "json/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "json/writer.h"

/*
** A decimal number in parts: an integral `mantissa` of up to 19 digits, and the power of ten that
** multiplies it.
*/
typedef struct Decimal {
  uint64_t mantissa;
  int64_t exponent;
  int digits; /* significant digits in the mantissa */
  bool negative;
  bool whole; /* written without fraction and exponent */
  bool exact; /* the mantissa holds all digits */
} Decimal;

/* The digits that a double can depend on; of later ones it only matters whether any is not 0. */
#define SIGNIFICANT_DIGITS 780

static void add_digit(Decimal *decimal, char digit, bool after_point) {
  if (decimal->digits == 19) {
    decimal->exact = decimal->exact && digit == '0';
    decimal->exponent += !after_point;
    return;
  }
  decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(digit - '0');
  decimal->digits += decimal->mantissa != 0;
  decimal->exponent -= after_point;
}

static const char *read_digits(const char *next, Decimal *decimal, bool after_point) {
  for (; bide_is_digit(*next); next++)
    add_digit(decimal, *next, after_point);
  return next;
}

/* Reads an exponent. Saturates far beyond the range of doubles, so long ones cannot overflow. */
static const char *read_exponent(const char *next, Decimal *decimal) {
  bool negative = *next == '-';
  int64_t exponent = 0;
  if (*next == '-' || *next == '+')
    next++;
  if (!bide_is_digit(*next))
    return NULL;
  for (; bide_is_digit(*next); next++)
    if (exponent < INT64_C(1000000000000))
      exponent = exponent * 10 + (*next - '0');
  decimal->exponent += negative ? -exponent : exponent;
  return next;
}

static const char *read_decimal(const char *text, Decimal *decimal, const char **failed) {
  const char *next = text;
  *decimal = (Decimal){.whole = true, .exact = true, .negative = *text == '-'};
  next += decimal->negative;
  *failed = next;
  if (!bide_is_digit(*next))
    return NULL;
  next = *next == '0' ? next + 1 : read_digits(next, decimal, false);
  *failed = next;
  if (bide_is_digit(*next))
    return NULL;
  if (*next == '.') {
    decimal->whole = false;
    *failed = ++next;
    if (!bide_is_digit(*next))
      return NULL;
    next = read_digits(next, decimal, true);
  }
  if (*next == 'e' || *next == 'E') {
    decimal->whole = false;
    *failed = next + 1;
    next = read_exponent(next + 1, decimal);
  }
  return next;
}

/*
** Converts by strtod. Passes it the digits without a decimal point, whose character depends on
** the locale: 12.5e3 becomes 125e2.
*/
static double convert_digits(const char *text, const char *end) {
  char digits[SIGNIFICANT_DIGITS + 32];
  size_t length = 0;
  int64_t exponent = 0;
  bool after_point = false;
  bool rest = false;
  Decimal written = {.exponent = 0};
  for (; text < end && *text != 'e' && *text != 'E'; text++) {
    if (*text == '.') {
      after_point = true;
    } else if (bide_is_digit(*text)) {
      if (length < SIGNIFICANT_DIGITS && (length > 0 || *text != '0'))
        digits[length++] = *text;
      else if (length > 0) {
        rest = rest || *text != '0';
        exponent++;
      }
      exponent -= after_point;
    }
  }
  if (text < end)
    read_exponent(text + 1, &written);
  if (rest) {
    digits[length++] = '1';
    exponent--;
  }
  if (length == 0)
    return 0;
  snprintf(digits + length, sizeof digits - length, "e%lld",
           (long long)(exponent + written.exponent));
  return strtod(digits, NULL);
}

/* Converts a number whose two factors are exact doubles: one rounding gives the nearest double. */
static bool convert_exactly(const Decimal *decimal, double *number) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (!decimal->exact || decimal->mantissa > (UINT64_C(1) << 53) || decimal->exponent < -22 ||
      decimal->exponent > 22)
    return false;
  *number = decimal->exponent < 0 ? (double)decimal->mantissa / powers[-decimal->exponent]
                                  : (double)decimal->mantissa * powers[decimal->exponent];
  return true;
}

/* Reads an integer that fits 64 bits; 18446744073709551615 has 20 digits. False for others. */
static bool read_whole(const char *text, const char *end, const Decimal *decimal,
                       BideValue *value) {
  uint64_t whole = 0;
  if (!decimal->whole || end - text > 20)
    return false;
  for (const char *next = text + decimal->negative; next < end; next++) {
    uint64_t digit = (uint64_t)(*next - '0');
    if (whole > (UINT64_MAX - digit) / 10)
      return false;
    whole = whole * 10 + digit;
  }
  if (!decimal->negative)
    *value = bide_value_unsigned(whole);
  else if (whole > UINT64_C(1) << 63)
    return false;
  else
    *value = bide_value_integer((int64_t)(0 - whole));
  return true;
}

BideNumberStatus bide_number_read(const char *text, const char **next, BideValue *value) {
  Decimal decimal;
  double number;
  const char *end = read_decimal(text, &decimal, next);
  if (end == NULL)
    return BIDE_NUMBER_MALFORMED;
  *next = end;
  if (read_whole(text, end, &decimal, value))
    return BIDE_NUMBER_OK;
  if (!convert_exactly(&decimal, &number))
    number = convert_digits(text, end);
  if (isinf(number))
    return BIDE_NUMBER_TOO_LARGE;
  *value = bide_value_double(decimal.negative ? -number : number);
  return BIDE_NUMBER_OK;
}

/* ---- writing ---- */

/* The significant digits of a double, with the point after the first, and the power of ten. */
typedef struct Digits {
  char digits[24];
  int count;
  int exponent;
} Digits;

static double round_trip(const Digits *digits) {
  char text[40];
  snprintf(text, sizeof text, "%.*se%d", digits->count, digits->digits,
           digits->exponent - (digits->count - 1));
  return strtod(text, NULL);
}

/* Rounds by printf, which is correct, and drops its decimal point, which depends on the locale. */
static void take_digits(double number, int precision, Digits *digits) {
  char text[48];
  const char *next = text;
  digits->count = 0;
  snprintf(text, sizeof text, "%.*e", precision - 1, number);
  for (; *next != 'e'; next++)
    if (bide_is_digit(*next))
      digits->digits[digits->count++] = *next;
  digits->exponent = (int)strtol(next + 1, NULL, 10);
  while (digits->count > 1 && digits->digits[digits->count - 1] == '0')
    digits->count--;
}

/* Finds the shortest digits that read back. Normal doubles keep 15 digits; subnormals fewer. */
static void shortest_digits(double number, Digits *digits) {
  for (int precision = isnormal(number) ? 15 : 1; precision <= 17; precision++) {
    take_digits(number, precision, digits);
    if (round_trip(digits) == number)
      return;
  }
}

static size_t put_bytes(char *to, const char *from, int count) {
  memcpy(to, from, (size_t)count);
  return (size_t)count;
}

static size_t put_zeros(char *to, int count) {
  memset(to, '0', (size_t)count);
  return (size_t)count;
}

/* Writes 1500.0 or 0.0015, without an exponent. */
static size_t put_plain(const Digits *digits, char *text) {
  int whole = digits->exponent + 1;
  size_t length = 0;
  if (whole <= 0) {
    length += put_bytes(text, "0.", 2);
    length += put_zeros(text + length, -whole);
    return length + put_bytes(text + length, digits->digits, digits->count);
  }
  if (digits->count <= whole) {
    length += put_bytes(text, digits->digits, digits->count);
    length += put_zeros(text + length, whole - digits->count);
    return length + put_bytes(text + length, ".0", 2);
  }
  length += put_bytes(text, digits->digits, whole);
  text[length++] = '.';
  return length + put_bytes(text + length, digits->digits + whole, digits->count - whole);
}

static size_t put_scientific(const Digits *digits, char *text, size_t room) {
  size_t length = 0;
  text[length++] = digits->digits[0];
  if (digits->count > 1) {
    text[length++] = '.';
    length += put_bytes(text + length, digits->digits + 1, digits->count - 1);
  }
  return length + (size_t)snprintf(text + length, room - length, "e%d", digits->exponent);
}

size_t bide_json_format_double(double number, char text[BIDE_JSON_NUMBER_TEXT]) {
  Digits digits;
  size_t sign = signbit(number) ? 1 : 0;
  size_t length;
  text[0] = '-';
  if (number == 0) {
    length = put_bytes(text + sign, "0.0", 3);
  } else {
    shortest_digits(fabs(number), &digits);
    if (digits.exponent < -5 || digits.exponent > 15)
      length = put_scientific(&digits, text + sign, BIDE_JSON_NUMBER_TEXT - sign);
    else
      length = put_plain(&digits, text + sign);
  }
  text[sign + length] = '\0';
  return sign + length;
}
