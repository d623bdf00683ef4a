/*
** Counts the repairs of the lenient reader: places where it read another value than the text has,
** because no value can hold that one.
*/
#ifndef BIDE_JSON_REPAIRS_H
#define BIDE_JSON_REPAIRS_H

#include <stddef.h>

typedef struct BideJsonRepairs {
  size_t surrogates; /* lone surrogates, read as U+FFFD */
  size_t numbers;    /* numbers beyond a double, read as the largest double of their sign */
} BideJsonRepairs;

/*
** Describes the repairs for notes and warnings: "1 lone surrogate was read as U+FFFD". Returns the
** length of the text; without repairs the text is empty.
*/
#define BIDE_JSON_REPAIRS_TEXT 192
size_t bide_json_repairs_describe(const BideJsonRepairs *repairs,
                                  char text[BIDE_JSON_REPAIRS_TEXT]);

#endif
