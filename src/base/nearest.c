#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define LONGEST 63
#define LEAST_BEGINNING 3
#define SHORT 4

void bide_nearest_init(BideNearest *nearest, const char *wanted, size_t length) {
  /* Allows about one slip in three letters; a short name, most of which must be left, has one. */
  size_t slips = length < 2 ? 0 : length <= SHORT ? 1 : length / 3 + 1;
  *nearest = (BideNearest){.wanted = wanted, .length = length, .distance = slips + 1};
}

static size_t least(size_t a, size_t b, size_t c) {
  size_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

static int same_letter(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
** Counts the insertions, deletions, replacements and swaps of neighbours that turn one name into
** the other. A difference of case costs nothing.
*/
static size_t distance_between(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t rows[3][LONGEST + 1];
  size_t *before = rows[0], *last = rows[1], *next = rows[2];
  for (size_t j = 0; j <= b_length; j++)
    last[j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t *spare = before;
    next[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      size_t cost = !same_letter(a[i - 1], b[j - 1]);
      next[j] = least(last[j] + 1, next[j - 1] + 1, last[j - 1] + cost);
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]) &&
          before[j - 2] + 1 < next[j])
        next[j] = before[j - 2] + 1;
    }
    before = last;
    last = next;
    next = spare;
  }
  return last[b_length];
}

/* Reports whether the wanted name, of some letters, is the beginning of another. */
static bool is_beginning(const BideNearest *nearest, const char *name, size_t length) {
  if (nearest->length < LEAST_BEGINNING || nearest->length > length)
    return false;
  for (size_t i = 0; i < nearest->length; i++)
    if (!same_letter(nearest->wanted[i], name[i]))
      return false;
  return true;
}

void bide_nearest_offer(BideNearest *nearest, const char *name, size_t length) {
  size_t distance;
  if (nearest->length > LONGEST || length > LONGEST)
    return;
  distance = distance_between(nearest->wanted, nearest->length, name, length);
  if (distance > 1 && is_beginning(nearest, name, length))
    distance = 1; /* "int" is nearer to "integer" than to "any" */
  if (distance > nearest->distance ||
      (distance == nearest->distance &&
       (nearest->best == NULL ||
        bide_order_of_texts(name, length, nearest->best, nearest->best_length) >= 0)))
    return;
  nearest->distance = distance;
  nearest->best = name;
  nearest->best_length = length;
}
