/*
** Numbers as text, both ways, whatever the locale of the process.
*/
#ifndef BIDE_JSON_NUMBER_H
#define BIDE_JSON_NUMBER_H

#include <stddef.h>

#include "json/value.h"

typedef enum BideNumberStatus {
  BIDE_NUMBER_OK,
  BIDE_NUMBER_MALFORMED, /* not the grammar of JSON */
  BIDE_NUMBER_TOO_LARGE  /* no finite double */
} BideNumberStatus;

/*
** Reads the JSON number that `text` begins with. `*next` becomes the first byte
** behind it, or the place that does not fit the grammar. The text must end in a
** byte that is part of no number, such as NUL.
*/
BideNumberStatus bide_number_read(const char *text, const char **next, BideValue *value);

#endif
