#include "jmespath/yes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "jmespath/jmespath.h"
#include "json/writer.h"

/* Reports whether a text is one of those that mean no, in any case. */
static bool is_no(const BideValue *text) {
  static const char *const words[] = {"false", "no", "off", "none", "0"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (text->length == strlen(words[i]) &&
        strncasecmp(text->as.string, words[i], text->length) == 0)
      return true;
  return false;
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
    case BIDE_STRING: return value->length == length && memcmp(value->as.string, text, length) == 0;
    case BIDE_TRUE: snprintf(json, sizeof json, "true"); break;
    case BIDE_FALSE: snprintf(json, sizeof json, "false"); break;
    case BIDE_INTEGER: snprintf(json, sizeof json, "%" PRId64, value->as.integer); break;
    case BIDE_UNSIGNED: snprintf(json, sizeof json, "%" PRIu64, value->as.unsigned_integer); break;
    case BIDE_DOUBLE: bide_json_format_double(value->as.number, json); break;
    case BIDE_NULL:
    case BIDE_ARRAY:
    case BIDE_OBJECT: return false;
  }
  return strlen(json) == length && memcmp(json, text, length) == 0;
}
