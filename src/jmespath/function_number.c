#include <math.h>

#include "jmespath/function.h"
#include "json/number.h"

/* A whole double becomes an integer again, as ceil and floor want it. */
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

/* An int64 or uint64 each, at most 2^32 of them: their sum cannot overflow. */
__extension__ typedef __int128 Wide;

typedef struct Sum {
  Wide whole;   /* of the integers */
  double rest;  /* of the doubles */
  bool is_whole;
} Sum;

static Sum add_up(BideValue numbers) {
  Sum sum = {.is_whole = true};
  for (uint32_t i = 0; i < numbers.length; i++) {
    const BideValue *number = &numbers.as.elements[i];
    if (number->type == BIDE_INTEGER) {
      sum.whole += number->as.integer;
    } else if (number->type == BIDE_UNSIGNED) {
      sum.whole += number->as.unsigned_integer;
    } else {
      sum.rest += number->as.number;
      sum.is_whole = false;
    }
  }
  return sum;
}

static double as_double(const Sum *sum) {
  return (double)sum->whole + sum->rest;
}

static BideValue finite_or_fail(const BideCall *call, double number) {
  if (isfinite(number))
    return bide_value_double(number);
  return bide_search_fail(call->search, BIDE_ERROR_VALUE, call->node,
                          "%s() gives a number larger than any double",
                          call->node->as.call.function->name);
}

BideValue bide_function_sum(const BideCall *call) {
  Sum sum = add_up(call->arguments[0]);
  if (sum.is_whole && sum.whole >= INT64_MIN && sum.whole <= INT64_MAX)
    return bide_value_integer((int64_t)sum.whole);
  if (sum.is_whole && sum.whole > 0 && sum.whole <= UINT64_MAX)
    return bide_value_unsigned((uint64_t)sum.whole);
  return finite_or_fail(call, as_double(&sum));
}

BideValue bide_function_avg(const BideCall *call) {
  Sum sum = add_up(call->arguments[0]);
  if (call->arguments[0].length == 0)
    return bide_value_null();
  return finite_or_fail(call, as_double(&sum) / call->arguments[0].length);
}

/* ---- to_number ---- */

/* The text of a value need not end in what stops a number; a copy does. */
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
