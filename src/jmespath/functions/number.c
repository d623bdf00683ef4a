/* Functions of numbers, and to_number. Whole numbers stay integers as long as they fit. */
#include <math.h>

#include "base/wide.h"
#include "jmespath/function.h"
#include "json/number.h"

/* Makes an integer of a double with an integral value, for ceil and floor. */
static BideValue from_whole_double(double number) {
  if (number >= -9223372036854775808.0 && number < 9223372036854775808.0)
    return bide_value_integer((int64_t)number);
  return bide_value_double(number);
}

BideValue bide_function_abs(const BideCall *call) {
  BideValue number = call->arguments[0];
  if (number.type == BIDE_DOUBLE)
    return bide_value_double(fabs(number.as.number));
  if (number.type == BIDE_INTEGER && number.as.integer < 0)
    return bide_value_unsigned(0 - (uint64_t)number.as.integer);
  return number;
}

BideValue bide_function_ceil(const BideCall *call) {
  BideValue number = call->arguments[0];
  return number.type == BIDE_DOUBLE ? from_whole_double(ceil(number.as.number)) : number;
}

BideValue bide_function_floor(const BideCall *call) {
  BideValue number = call->arguments[0];
  return number.type == BIDE_DOUBLE ? from_whole_double(floor(number.as.number)) : number;
}

/* ---- sums ---- */

/* Adds integers exactly. Returns false if a number is a double. */
static bool add_whole(BideValue numbers, BideWide *sum) {
  *sum = (BideWide){0, 0};
  for (uint32_t i = 0; i < numbers.length; i++) {
    const BideValue *number = &numbers.as.elements[i];
    if (number->type == BIDE_DOUBLE)
      return false;
    if (number->type == BIDE_INTEGER)
      bide_wide_add_signed(sum, number->as.integer);
    else
      bide_wide_add_unsigned(sum, number->as.unsigned_integer);
  }
  return true;
}

static double to_double(const BideValue *number) {
  if (number->type == BIDE_INTEGER)
    return (double)number->as.integer;
  if (number->type == BIDE_UNSIGNED)
    return (double)number->as.unsigned_integer;
  return number->as.number;
}

/* Adds from left to right, as doubles. */
static double add_doubles(BideValue numbers) {
  double sum = 0;
  for (uint32_t i = 0; i < numbers.length; i++)
    sum += to_double(&numbers.as.elements[i]);
  return sum;
}

/* Converts to an integer. Returns false if the sum does not fit. */
static bool to_integer(const BideWide *whole, BideValue *integer) {
  uint64_t magnitude;
  if (!bide_wide_magnitude(whole, &magnitude))
    return false;
  if (!bide_wide_is_negative(whole)) {
    *integer = bide_value_unsigned(magnitude);
    return true;
  }
  if (magnitude > (uint64_t)INT64_MAX + 1)
    return false;
  *integer = bide_value_integer((int64_t)(0 - magnitude));
  return true;
}

static BideValue finite_or_fail(const BideCall *call, double number) {
  if (isfinite(number))
    return bide_value_double(number);
  return bide_search_fail(call->search, BIDE_ERROR_VALUE, call->node,
                          "the result of %s() is larger than any double",
                          call->node->as.call.function->name);
}

BideValue bide_function_sum(const BideCall *call) {
  BideValue numbers = call->arguments[0], integer;
  BideWide whole;
  if (!add_whole(numbers, &whole))
    return finite_or_fail(call, add_doubles(numbers));
  return to_integer(&whole, &integer) ? integer : bide_value_double(bide_wide_to_double(&whole));
}

BideValue bide_function_avg(const BideCall *call) {
  BideValue numbers = call->arguments[0], integer;
  BideWide whole, quotient;
  if (numbers.length == 0)
    return bide_value_null();
  if (!add_whole(numbers, &whole))
    return finite_or_fail(call, add_doubles(numbers) / numbers.length);
  quotient = whole;
  if (bide_wide_divide(&quotient, numbers.length) == 0 && to_integer(&quotient, &integer))
    return integer;
  return bide_value_double(bide_wide_to_double(&whole) / numbers.length);
}

/* ---- to_number ---- */

/* Reads a number from a copy of the text: the reader needs a byte after it that ends a number. */
static BideValue read_number(const BideCall *call, BideValue text) {
  const char *copy, *end;
  BideValue number;
  if (!bide_search_charge(call->search, text.length / 16))
    return bide_value_null();
  copy = bide_arena_copy(call->search->scratch, text.as.string, text.length);
  if (copy == NULL)
    return bide_search_fail(call->search, BIDE_ERROR_MEMORY, call->node,
                            "not enough memory for the search");
  if (bide_number_read(copy, &end, &number) != BIDE_NUMBER_OK || end != copy + text.length)
    return bide_value_null();
  return number;
}

BideValue bide_function_to_number(const BideCall *call) {
  BideValue value = call->arguments[0];
  if (value.type == BIDE_STRING)
    return read_number(call, value);
  return bide_value_is_number(&value) ? value : bide_value_null();
}
