#include "jmespath/function.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "base/utf8.h"
#include "json/writer.h"

#define ANY BIDE_TAKES_ANY
#define LIST BIDE_TAKES_ARRAY
#define OBJECT BIDE_TAKES_OBJECT
#define STRING BIDE_TAKES_STRING
#define NUMBER BIDE_TAKES_NUMBER
#define BOOLEAN BIDE_TAKES_BOOLEAN
#define NUMBERS BIDE_TAKES_NUMBERS
#define STRINGS BIDE_TAKES_STRINGS
#define ORDERED (BIDE_TAKES_NUMBERS | BIDE_TAKES_STRINGS)
#define REFERENCE BIDE_TAKES_REFERENCE
#define MAYBE BIDE_TAKES_NULL
#define MANY BIDE_ARGUMENTS_ANY

#define PLAIN(f, least, most, gives, ...) \
  {#f, least, most, {__VA_ARGS__}, gives, bide_function_##f, NULL, NULL},
#define STREAMED(f, least, most, gives, ...) \
  {#f, least, most, {__VA_ARGS__}, gives, bide_function_##f, bide_function_##f##_streamer, NULL},
static const BideFunction functions[] = {BIDE_FUNCTIONS(PLAIN, STREAMED)};
#undef PLAIN
#undef STREAMED

#define FUNCTIONS (sizeof functions / sizeof *functions)

const BideFunction *bide_function_at(size_t position) {
  return position < FUNCTIONS ? &functions[position] : NULL;
}

bool bide_function_is_of_host(const BideFunction *function) {
  return bide_function_named(NULL, function->name, strlen(function->name)) != function;
}

static bool calls_other(const BideNode *node, const void *argument) {
  (void)argument;
  return node->kind == BIDE_NODE_CALL && (bide_function_is_of_host(node->as.call.function) ||
                                          bide_function_asks_answer(node->as.call.function));
}

bool bide_function_all_of_language(const BideNode *node) {
  return bide_node_find(node, calls_other, NULL) == NULL;
}

bool bide_function_is_own(const BideFunction *function) {
  return bide_function_asks_answer(function) || function->call == bide_function_version_at_least;
}

/* ---- finding ---- */

const BideFunction *bide_function_named(const BideFunction *more, const char *name, size_t length) {
  for (size_t i = 0; i < FUNCTIONS; i++)
    if (bide_is_word(name, length, functions[i].name))
      return &functions[i];
  while (more != NULL && !bide_is_word(name, length, more->name))
    more = more->next;
  return more;
}

static const BideFunction *fail_unknown(const BideFunction *more, const char *name, size_t length,
                                        BideError *error) {
  BideNearest nearest;
  bide_nearest_init(&nearest, name, length);
  for (size_t i = 0; i < FUNCTIONS; i++)
    bide_nearest_offer(&nearest, functions[i].name, strlen(functions[i].name));
  for (; more != NULL; more = more->next)
    bide_nearest_offer(&nearest, more->name, strlen(more->name));
  if (nearest.best == NULL)
    bide_error_set(error, BIDE_ERROR_UNKNOWN_FUNCTION, "there is no function %.*s()",
                   length < 64 ? (int)length : 64, name);
  else
    bide_error_set(error, BIDE_ERROR_UNKNOWN_FUNCTION,
                   "there is no function %.*s(); did you mean %s()?",
                   length < 64 ? (int)length : 64, name, nearest.best);
  return NULL;
}

static const BideFunction *fail_arity(const BideFunction *function, uint32_t count,
                                      BideError *error) {
  const char *least = function->most == MANY ? "at least " : "";
  bide_error_set(error, BIDE_ERROR_ARITY, "%s() takes %s%u argument%s, not %u", function->name,
                 least, function->least, function->least == 1 ? "" : "s", count);
  return NULL;
}

const BideFunction *bide_function_find(const BideFunction *more, const char *name, size_t length,
                                       uint32_t count, BideError *error) {
  const BideFunction *function = bide_function_named(more, name, length);
  if (function == NULL)
    return fail_unknown(more, name, length, error);
  if (count < function->least || count > function->most)
    return fail_arity(function, count, error);
  return function;
}

/* ---- arguments ---- */

static unsigned type_bit(BideValue value) {
  switch ((BideType)value.type) {
    case BIDE_NULL: return BIDE_TAKES_NULL;
    case BIDE_FALSE:
    case BIDE_TRUE: return BIDE_TAKES_BOOLEAN;
    case BIDE_INTEGER:
    case BIDE_UNSIGNED:
    case BIDE_DOUBLE: return BIDE_TAKES_NUMBER;
    case BIDE_STRING: return BIDE_TAKES_STRING;
    case BIDE_ARRAY: return BIDE_TAKES_ARRAY;
    case BIDE_OBJECT: return BIDE_TAKES_OBJECT;
  }
  return 0;
}

/* Counts the leading elements of one type. */
static uint32_t count_of_type(BideValue array, unsigned type) {
  uint32_t count = 0;
  while (count < array.length && type_bit(array.as.elements[count]) == type)
    count++;
  return count;
}

static bool is_taken(BideSearch *search, unsigned takes, BideValue argument) {
  if ((takes & type_bit(argument)) != 0)
    return true;
  if (argument.type != BIDE_ARRAY || !bide_search_charge(search, argument.length))
    return false;
  if ((takes & NUMBERS) != 0 && count_of_type(argument, NUMBER) == argument.length)
    return true;
  return (takes & STRINGS) != 0 && count_of_type(argument, STRING) == argument.length;
}

unsigned bide_function_takes(const BideFunction *function, uint32_t position) {
  uint32_t at = position < BIDE_TAKES ? position : BIDE_TAKES - 1;
  while (at > 0 && function->takes[at] == 0)
    at--;
  return function->takes[at];
}

void bide_function_describe(unsigned takes, char text[BIDE_TAKES_TEXT]) {
  static const char *const words[] = {
    "null",
    "a boolean",
    "a number",
    "a string",
    "an array",
    "an object",
    "an array of numbers",
    "an array of strings",
    "an expression reference",
  };
  size_t length = 0;
  if ((takes & ANY) == ANY) {
    snprintf(text, BIDE_TAKES_TEXT, "any value");
    return;
  }
  *text = '\0';
  for (unsigned i = 0; i < sizeof words / sizeof *words && length < BIDE_TAKES_TEXT; i++) {
    const char *join = length == 0 ? "" : (takes >> i) == 1 ? " or " : ", ";
    if ((takes & 1u << i) != 0)
      length += (size_t)snprintf(text + length, BIDE_TAKES_TEXT - length, "%s%s", join, words[i]);
  }
}

/* Writes a value for a message, truncated; of a huge value, the part that could be written. */
#define SHORT_VALUE 48
#define HUGE_VALUE_TEXT 4096

static void describe_value(BideValue value, char text[SHORT_VALUE + 8]) {
  BideBuffer buffer;
  size_t length, whole = value.length;
  bool is_cut;
  if (value.type == BIDE_STRING)
    value.length = (uint32_t)bide_utf8_cut(value.as.string, whole, SHORT_VALUE);
  bide_buffer_init(&buffer, HUGE_VALUE_TEXT);
  bide_json_write(&buffer, &value, BIDE_JSON_REDACT, NULL);
  length = bide_utf8_cut(buffer.bytes, buffer.length, SHORT_VALUE);
  is_cut = buffer.failed || length < buffer.length || value.length < whole;
  snprintf(text, SHORT_VALUE + 8, "%.*s%s", (int)length, length > 0 ? buffer.bytes : "",
           is_cut ? "…" : "");
  bide_buffer_free(&buffer);
}

static bool fail_argument(BideSearch *search, const BideNode *node, uint32_t position,
                          BideValue argument) {
  const BideFunction *function = node->as.call.function;
  const BideNode *place = node->as.call.arguments[position];
  char wanted[BIDE_TAKES_TEXT], found[SHORT_VALUE + 8];
  bide_function_describe(bide_function_takes(function, position), wanted);
  if (place->kind == BIDE_NODE_REFERENCE)
    bide_search_fail(search, BIDE_ERROR_TYPE, place,
                     "argument %u of %s() must be %s, not an expression reference", position + 1,
                     function->name, wanted);
  else {
    describe_value(argument, found);
    bide_search_fail(search, BIDE_ERROR_TYPE, place, "argument %u of %s() must be %s, not %s: %s",
                     position + 1, function->name, wanted, bide_value_type_name(&argument), found);
  }
  return false;
}

bool bide_function_check(BideSearch *search, const BideNode *node, uint32_t position,
                         BideValue argument) {
  unsigned takes = bide_function_takes(node->as.call.function, position);
  bool is_reference = node->as.call.arguments[position]->kind == BIDE_NODE_REFERENCE;
  if (search->failed)
    return false;
  if (is_reference != ((takes & REFERENCE) != 0))
    return fail_argument(search, node, position, argument);
  if (is_reference || is_taken(search, takes, argument))
    return true;
  return fail_argument(search, node, position, argument);
}

/* ---- calling ---- */

#define FEW 4

/* Evaluates the arguments, checks them and calls. */
static BideValue call_function(BideSearch *search, const BideNode *node, const BideValue *current) {
  const BideFunction *function = node->as.call.function;
  uint32_t count = node->as.call.count;
  BideValue few[FEW];
  BideValue *arguments = few;
  BideCall call = {search, node, NULL, count};
  if (count > FEW)
    arguments = bide_search_alloc(search, count * sizeof *arguments);
  if (arguments == NULL || !bide_search_charge(search, 1))
    return bide_value_null();
  for (uint32_t i = 0; i < count; i++)
    arguments[i] = bide_search_evaluate(search, node->as.call.arguments[i], current);
  for (uint32_t i = 0; i < count; i++)
    if (!bide_function_check(search, node, i, arguments[i]))
      return bide_value_null();
  call.arguments = arguments;
  return function->call(&call);
}

BideEvaluator *bide_function_evaluator(const BideNode *call) {
  const BideFunction *function = call->as.call.function;
  return function->streamer != NULL ? function->streamer(call) : call_function;
}
