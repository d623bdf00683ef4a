/*
** Texts of a length, which have no NUL at their end: whether one is a word, which of two comes
** first, and what is left of one without the blanks around it.
*/
#ifndef BIDE_BASE_TEXT_H
#define BIDE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"

typedef struct BideText {
  const char *bytes;
  size_t length;
} BideText;

static inline bool bide_is_word(const char *bytes, size_t length, const char *word) {
  return length == strlen(word) && memcmp(bytes, word, length) == 0;
}

/* The same for a word of ASCII in any case. */
static inline bool bide_is_word_in_any_case(const char *bytes, size_t length, const char *word) {
  return length == strlen(word) && strncasecmp(bytes, word, length) == 0;
}

static inline bool bide_is_one_in_any_case(const char *bytes, size_t length,
                                           const char *const *words, size_t count) {
  size_t i = 0;
  while (i < count && !bide_is_word_in_any_case(bytes, length, words[i]))
    i++;
  return i < count;
}

/* Compares byte by byte, which for UTF-8 is the order of the code points; the shorter one first. */
static inline int bide_order_of_texts(const char *a, size_t a_length, const char *b,
                                      size_t b_length) {
  int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
  return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static inline BideText bide_trimmed(const char *begin, const char *end) {
  while (begin != end && bide_is_blank(*begin))
    begin++;
  while (end != begin && bide_is_blank(end[-1]))
    end--;
  return (BideText){begin, (size_t)(end - begin)};
}

/* Reports whether a line of headers, which ends at `end`, is of that name, in any case. */
static inline bool bide_is_header_line(const char *line, const char *end, BideText name) {
  return (size_t)(end - line) > name.length && line[name.length] == ':' &&
         strncasecmp(line, name.bytes, name.length) == 0;
}

#endif
