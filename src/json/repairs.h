/*
** Counts the repairs of the lenient reader: places where it read another value than the text has,
** because no value can hold that one, and members that were given twice with different values, of
** which other readers may take the first.
*/
#ifndef BIDE_JSON_REPAIRS_H
#define BIDE_JSON_REPAIRS_H

#include <stdbool.h>
#include <stddef.h>

#define BIDE_JSON_REPAIRS_NAMES 120

typedef struct BideJsonRepairs {
  size_t surrogates; /* lone surrogates, read as U+FFFD */
  size_t numbers;    /* numbers beyond a double, read as the largest double of their sign */
  size_t repeated;   /* members given twice with different values, read as the last one */
  size_t length;     /* bytes of `names` */
  bool lacks_names;  /* whether a name of those members was too long for `names` */
  char names[BIDE_JSON_REPAIRS_NAMES]; /* the names of those members, each once, a NUL after each */
} BideJsonRepairs;

/* Counts a member that was given twice with different values. */
void bide_json_repairs_add_repeated(BideJsonRepairs *repairs, const char *name, size_t length);

/*
** Describes the repairs for notes and warnings: "1 lone surrogate was read as U+FFFD". Returns the
** length of the text; without repairs the text is empty.
*/
#define BIDE_JSON_REPAIRS_TEXT 512
size_t bide_json_repairs_describe(const BideJsonRepairs *repairs,
                                  char text[BIDE_JSON_REPAIRS_TEXT]);

#endif
