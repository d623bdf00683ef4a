#include "jmespath/yes.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "jmespath/jmespath.h"
#include "json/writer.h"

/* Reports whether a text is one of those that mean no. */
static bool is_no(const BideValue *text) {
  static const char *const words[] = {"false", "no", "off", "none", "0"};
  return bide_is_one_in_any_case(text->as.string, text->length, words,
                                 sizeof words / sizeof *words);
}

static bool is_yes_of_failure(const BideValue *value) {
  switch ((BideType)value->type) {
    case BIDE_NULL:
    case BIDE_FALSE: return false;
    case BIDE_TRUE: return true;
    case BIDE_INTEGER: return value->as.integer != 0;
    case BIDE_UNSIGNED: return value->as.unsigned_integer != 0;
    case BIDE_DOUBLE: return value->as.number < 0 || value->as.number > 0;
    case BIDE_STRING: return value->length > 0 && !is_no(value);
    case BIDE_ARRAY:
    case BIDE_OBJECT: return value->length > 0;
  }
  return true;
}

bool bide_yes(const BideValue *value, BideYesRule rule) {
  bool is_filled = (value->type == BIDE_ARRAY || value->type == BIDE_OBJECT) && value->length > 0;
  switch (rule) {
    case BIDE_YES_OF_PATH: return !bide_jmespath_is_false(value);
    case BIDE_YES_OF_SUCCESS: return value->type == BIDE_TRUE || is_filled;
    case BIDE_YES_OF_FAILURE: return is_yes_of_failure(value);
    case BIDE_YES_OF_ANY: return true;
  }
  return false;
}

bool bide_yes_reads_as(const BideValue *value, const char *text, size_t length) {
  char json[BIDE_JSON_NUMBER_TEXT] = "";
  switch ((BideType)value->type) {
    case BIDE_STRING: return bide_value_is_text(value, text, length);
    case BIDE_TRUE: snprintf(json, sizeof json, "true"); break;
    case BIDE_FALSE: snprintf(json, sizeof json, "false"); break;
    case BIDE_INTEGER: snprintf(json, sizeof json, "%" PRId64, value->as.integer); break;
    case BIDE_UNSIGNED: snprintf(json, sizeof json, "%" PRIu64, value->as.unsigned_integer); break;
    case BIDE_DOUBLE: bide_json_format_double(value->as.number, json); break;
    case BIDE_NULL:
    case BIDE_ARRAY:
    case BIDE_OBJECT: return false;
  }
  return bide_is_word(text, length, json);
}

bool bide_yes_has_element(const BideValue *value, const char *text, size_t length, bool all) {
  uint32_t equal = 0;
  if (value->type != BIDE_ARRAY)
    return false;
  for (uint32_t i = 0; i < value->length; i++)
    equal += bide_value_is_text(&value->as.elements[i], text, length);
  return equal > 0 && (!all || equal == value->length);
}
