#include "wait/matcher.h"

#include <string.h>

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
  return bide_jmespath_search(matcher->path, subject, scratch, &result, note) &&
         compare(matcher->comparator, &result, matcher->expected);
}

static bool match_input_output(const BideMatcher *matcher, const BideObservation *observation,
                               BideArena *scratch, BideError *note) {
  BideMember members[] = {
    bide_member("input", 5, *observation->input),
    bide_member("output", 6, *observation->output)
  };
  BideValue both = bide_value_object(members, 2);
  return match_path(matcher, &both, scratch, note);
}

/* Both are name parts: a definition keeps only that of the expected type. */
static bool match_error_type(BideText expected, BideText type) {
  BideText name;
  if (type.bytes == NULL)
    return false;
  name = bide_error_type_name(type);
  return name.length == expected.length && memcmp(name.bytes, expected.bytes, name.length) == 0;
}

bool bide_matcher_matches(const BideMatcher *matcher, const BideObservation *observation,
                          BideArena *scratch, BideError *note) {
  bool succeeded = observation->output != NULL;
  note->code = BIDE_OK;
  switch (matcher->kind) {
    case BIDE_MATCHER_OUTPUT:
      return succeeded && match_path(matcher, observation->output, scratch, note);
    case BIDE_MATCHER_INPUT_OUTPUT:
      return succeeded && match_input_output(matcher, observation, scratch, note);
    case BIDE_MATCHER_SUCCESS:
      return matcher->success == succeeded;
    case BIDE_MATCHER_ERROR_TYPE:
      return !succeeded && match_error_type(matcher->error_type, observation->error_type);
    case BIDE_MATCHER_HOST:
      return false;
  }
  return false;
}
