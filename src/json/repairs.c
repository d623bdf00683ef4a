#include "json/repairs.h"

#include <stdio.h>
#include <string.h>

/* Appends one count and the replacement; nothing if the count is 0. */
static void add(char text[BIDE_JSON_REPAIRS_TEXT], size_t count, const char *one, const char *many,
                const char *read_as) {
  size_t length = strlen(text);
  if (count > 0)
    snprintf(text + length, BIDE_JSON_REPAIRS_TEXT - length, "%s%zu %s read as %s",
             length > 0 ? ", " : "", count, count == 1 ? one : many, read_as);
}

size_t bide_json_repairs_describe(const BideJsonRepairs *repairs,
                                  char text[BIDE_JSON_REPAIRS_TEXT]) {
  text[0] = '\0';
  add(text, repairs->surrogates, "lone surrogate was", "lone surrogates were", "U+FFFD");
  add(text, repairs->numbers, "number beyond a double was", "numbers beyond a double were",
      "the largest double of its sign");
  return strlen(text);
}
