#include "wait/matcher.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json/writer.h"

/* ---- reading arguments --------------------------------------------------------- */

static bool fail(BideError *error, const char *name, const char *expected) {
  bide_error_set(error, BIDE_ERROR_DEFINITION, "%s must be %s", name, expected);
  return false;
}

static bool no_memory(BideError *error) {
  bide_error_set(error, BIDE_ERROR_MEMORY, "no memory for a matcher");
  return false;
}

static bool keep_text(BideDefinition *definition, BideText *text, BideError *error) {
  text->bytes = bide_arena_copy(&definition->arena, text->bytes, text->length);
  return text->bytes != NULL || no_memory(error);
}

static bool is_word(BideText text, const char *word) {
  return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

/* Reads the text of a member; it is borrowed from `argument`. */
static bool read_text(const BideValue *argument, const char *name, BideText *text,
                      BideError *error) {
  const BideValue *value = bide_value_member(argument, name, strlen(name));
  if (value == NULL || value->type != BIDE_STRING)
    return fail(error, name, "a string");
  *text = (BideText){value->as.string, value->length};
  return true;
}

/* ---- output, inputOutput ------------------------------------------------------- */

static const char *const comparators[] = {"stringEquals", "booleanEquals", "allStringEquals",
                                          "anyStringEquals"};

static bool read_comparator(const BideValue *argument, BideComparator *comparator,
                            BideError *error) {
  BideText name;
  if (!read_text(argument, "comparator", &name, error))
    return false;
  for (size_t i = 0; i < sizeof comparators / sizeof *comparators; i++)
    if (is_word(name, comparators[i])) {
      *comparator = (BideComparator)i;
      return true;
    }
  return fail(error, "comparator", "the name of a comparator");
}

static bool check_expected(BideComparator comparator, BideText expected, BideError *error) {
  if (comparator != BIDE_BOOLEAN_EQUALS || is_word(expected, "true") || is_word(expected, "false"))
    return true;
  bide_error_set(error, BIDE_ERROR_DEFINITION,
                 "booleanEquals expects \"true\" or \"false\", not \"%.*s\"", (int)expected.length,
                 expected.bytes);
  return false;
}

static bool compile_path(BideMatcher *matcher, const BideValue *argument,
                         BideDefinition *definition, BideError *error) {
  BideText path;
  BideText *expected = &matcher->as.path.expected;
  if (!read_text(argument, "path", &path, error) ||
      !read_text(argument, "expected", expected, error) ||
      !read_comparator(argument, &matcher->as.path.comparator, error) ||
      !check_expected(matcher->as.path.comparator, *expected, error) ||
      !keep_text(definition, expected, error))
    return false;
  matcher->as.path.expression = bide_definition_compile(definition, path, error);
  return matcher->as.path.expression != NULL;
}

static bool is_string(const BideValue *value, BideText text) {
  return value->type == BIDE_STRING && value->length == text.length &&
         memcmp(value->as.string, text.bytes, text.length) == 0;
}

static bool is_boolean(const BideValue *value, BideText expected) {
  return value->type == (expected.bytes[0] == 't' ? BIDE_TRUE : BIDE_FALSE);
}

/* "an array that contains at least one value, and every value is a string that equals …" */
static bool all_are(const BideValue *value, BideText text) {
  if (value->type != BIDE_ARRAY || value->length == 0)
    return false;
  for (uint32_t i = 0; i < value->length; i++)
    if (!is_string(&value->as.elements[i], text))
      return false;
  return true;
}

static bool any_is(const BideValue *value, BideText text) {
  if (value->type != BIDE_ARRAY)
    return false;
  for (uint32_t i = 0; i < value->length; i++)
    if (is_string(&value->as.elements[i], text))
      return true;
  return false;
}

static bool compare(BideComparator comparator, const BideValue *value, BideText expected) {
  switch (comparator) {
    case BIDE_STRING_EQUALS: return is_string(value, expected);
    case BIDE_BOOLEAN_EQUALS: return is_boolean(value, expected);
    case BIDE_ALL_STRING_EQUALS: return all_are(value, expected);
    case BIDE_ANY_STRING_EQUALS: return any_is(value, expected);
  }
  return false;
}

static bool match_path(const BideMatcher *matcher, const BideValue *subject, BideArena *scratch,
                       BideError *note) {
  BideValue result;
  return bide_jmespath_search(matcher->as.path.expression, subject, scratch, &result, note) &&
         compare(matcher->as.path.comparator, &result, matcher->as.path.expected);
}

static bool match_output(const BideMatcher *matcher, const BideObservation *observation,
                         BideArena *scratch, BideError *note) {
  return observation->output != NULL && match_path(matcher, observation->output, scratch, note);
}

static bool match_input_output(const BideMatcher *matcher, const BideObservation *observation,
                               BideArena *scratch, BideError *note) {
  if (observation->output == NULL)
    return false;
  BideMember members[] = {
    bide_member("input", 5, *observation->input),
    bide_member("output", 6, *observation->output),
  };
  BideValue both = bide_value_object(members, 2);
  return match_path(matcher, &both, scratch, note);
}

/* ---- expect -------------------------------------------------------------------- */

static bool compile_expect(BideMatcher *matcher, const BideValue *argument,
                           BideDefinition *definition, BideError *error) {
  BideText path;
  BideText *text = &matcher->as.expect.text;
  *text = (BideText){NULL, 0};
  if (!read_text(argument, "path", &path, error))
    return false;
  if (bide_value_member(argument, "text", 4) != NULL &&
      (!read_text(argument, "text", text, error) || !keep_text(definition, text, error)))
    return false;
  matcher->as.expect.expression = bide_definition_compile(definition, path, error);
  return matcher->as.expect.expression != NULL;
}

/* Compares a string with the text, and a number or a boolean by its JSON text. */
static bool reads_as(const BideValue *value, BideText text) {
  char number[BIDE_JSON_NUMBER_TEXT] = "";
  switch ((BideType)value->type) {
    case BIDE_STRING: return is_string(value, text);
    case BIDE_TRUE: return is_word(text, "true");
    case BIDE_FALSE: return is_word(text, "false");
    case BIDE_INTEGER: snprintf(number, sizeof number, "%" PRId64, value->as.integer); break;
    case BIDE_UNSIGNED:
      snprintf(number, sizeof number, "%" PRIu64, value->as.unsigned_integer);
      break;
    case BIDE_DOUBLE: bide_json_format_double(value->as.number, number); break;
    case BIDE_NULL:
    case BIDE_ARRAY:
    case BIDE_OBJECT: return false;
  }
  return is_word(text, number);
}

static bool match_expect(const BideMatcher *matcher, const BideObservation *observation,
                         BideArena *scratch, BideError *note) {
  const BideExpression *expression = matcher->as.expect.expression;
  BideText text = matcher->as.expect.text;
  BideValue result;
  if (observation->output == NULL ||
      !bide_jmespath_search(expression, observation->output, scratch, &result, note))
    return false;
  return text.bytes == NULL ? !bide_jmespath_is_false(&result) : reads_as(&result, text);
}

/* ---- success ------------------------------------------------------------------- */

static bool compile_success(BideMatcher *matcher, const BideValue *argument,
                            BideDefinition *definition, BideError *error) {
  (void)definition;
  if (argument->type != BIDE_TRUE && argument->type != BIDE_FALSE)
    return fail(error, "success", "a boolean");
  matcher->as.success = argument->type == BIDE_TRUE;
  return true;
}

static bool match_success(const BideMatcher *matcher, const BideObservation *observation,
                          BideArena *scratch, BideError *note) {
  (void)scratch;
  (void)note;
  return matcher->as.success == (observation->output != NULL);
}

/* ---- errorType ----------------------------------------------------------------- */

static bool compile_error_type(BideMatcher *matcher, const BideValue *argument,
                               BideDefinition *definition, BideError *error) {
  if (argument->type != BIDE_STRING)
    return fail(error, "errorType", "a string");
  matcher->as.error_type = bide_error_type_name((BideText){argument->as.string, argument->length});
  return keep_text(definition, &matcher->as.error_type, error);
}

/* Compares the name parts. The definition holds only the name part of the expected type. */
static bool match_error_type(const BideMatcher *matcher, const BideObservation *observation,
                             BideArena *scratch, BideError *note) {
  BideText name, expected = matcher->as.error_type;
  (void)scratch;
  (void)note;
  if (observation->output != NULL || observation->error_type.bytes == NULL)
    return false;
  name = bide_error_type_name(observation->error_type);
  return name.length == expected.length && memcmp(name.bytes, expected.bytes, name.length) == 0;
}

/* ---- status -------------------------------------------------------------------- */

/* Returns the status, or 0 if the value is not an HTTP status. */
static int64_t read_status(const BideValue *value) {
  double number = value->type == BIDE_INTEGER  ? (double)value->as.integer
                  : value->type == BIDE_DOUBLE ? value->as.number
                                               : 0;
  return number >= 100 && number <= 999 && number == (double)(int64_t)number ? (int64_t)number : 0;
}

/* Compiles a status or an array of statuses. */
static bool compile_status(BideMatcher *matcher, const BideValue *argument,
                           BideDefinition *definition, BideError *error) {
  bool is_list = argument->type == BIDE_ARRAY;
  const BideValue *elements = is_list ? argument->as.elements : argument;
  size_t count = is_list ? argument->length : 1;
  int64_t *list = bide_arena_alloc(&definition->arena, count * sizeof *list);
  bool is_right = count > 0;
  if (list == NULL)
    return no_memory(error);
  for (size_t i = 0; i < count; i++) {
    list[i] = read_status(&elements[i]);
    is_right = is_right && list[i] != 0;
  }
  matcher->as.statuses.list = list;
  matcher->as.statuses.count = count;
  return is_right || fail(error, "status", "an HTTP status, 100 to 999, or a list of them");
}

static bool match_status(const BideMatcher *matcher, const BideObservation *observation,
                         BideArena *scratch, BideError *note) {
  (void)scratch;
  (void)note;
  for (size_t i = 0; i < matcher->as.statuses.count; i++)
    if (matcher->as.statuses.list[i] == observation->status)
      return true;
  return false;
}

/* ---- the table ----------------------------------------------------------------- */

const BideMatcherKind bide_matcher_kinds[] = {
  {"output", compile_path, match_output},
  {"inputOutput", compile_path, match_input_output},
  {"expect", compile_expect, match_expect},
  {"success", compile_success, match_success},
  {"errorType", compile_error_type, match_error_type},
  {"status", compile_status, match_status},
  {"lua", NULL, NULL},
  {NULL, NULL, NULL},
};

bool bide_matcher_matches(const BideMatcher *matcher, const BideObservation *observation,
                          BideArena *scratch, BideError *note) {
  note->code = BIDE_OK;
  return matcher->kind->matches(matcher, observation, scratch, note);
}
