#include "json/repairs.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Appends one count and the replacement; nothing if the count is 0. */
static void add(char text[BIDE_JSON_REPAIRS_TEXT], size_t count, const char *one, const char *many,
                const char *read_as) {
  size_t length = strlen(text);
  if (count > 0)
    snprintf(text + length, BIDE_JSON_REPAIRS_TEXT - length, "%s%zu %s read as %s",
             length > 0 ? ", " : "", count, count == 1 ? one : many, read_as);
}

static bool has_name(const BideJsonRepairs *repairs, const char *name, size_t length) {
  const char *names = repairs->names;
  for (size_t at = 0; at < repairs->length; at += strlen(names + at) + 1)
    if (bide_is_word(name, length, names + at))
      return true;
  return false;
}

void bide_json_repairs_add_repeated(BideJsonRepairs *repairs, const char *name, size_t length) {
  repairs->repeated++;
  if (has_name(repairs, name, length))
    return;
  if (length >= sizeof repairs->names - repairs->length || memchr(name, '\0', length) != NULL) {
    repairs->lacks_names = true;
    return;
  }
  memcpy(repairs->names + repairs->length, name, length);
  repairs->names[repairs->length + length] = '\0';
  repairs->length += length + 1;
}

/* Appends the count of repeated members, and their names; nothing if the count is 0. */
static void add_repeated(char text[BIDE_JSON_REPAIRS_TEXT], const BideJsonRepairs *repairs) {
  add(text, repairs->repeated, "member that is there twice was",
      "members that are there twice were", "the last value");
  for (size_t at = 0; at < repairs->length; at += strlen(repairs->names + at) + 1) {
    size_t length = strlen(text);
    snprintf(text + length, BIDE_JSON_REPAIRS_TEXT - length, "%s%s", at == 0 ? ": " : ", ",
             repairs->names + at);
  }
}

size_t bide_json_repairs_describe(const BideJsonRepairs *repairs,
                                  char text[BIDE_JSON_REPAIRS_TEXT]) {
  text[0] = '\0';
  add(text, repairs->surrogates, "lone surrogate was", "lone surrogates were", "U+FFFD");
  add(text, repairs->numbers, "number beyond a double was", "numbers beyond a double were",
      "the largest double of its sign");
  add_repeated(text, repairs);
  return strlen(text);
}
