#include "secret/encoded.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"

/* Reads `count` hexadecimal digits; -1 if they are not there. */
static int32_t read_hex(const char *bytes, size_t left, size_t count) {
  int32_t number = 0;
  if (left < count)
    return -1;
  for (size_t i = 0; i < count; i++) {
    int digit = bide_hex_digit(bytes[i]);
    if (digit < 0)
      return -1;
    number = number * 16 + digit;
  }
  return number;
}

/* Writes a code point in UTF-8. Returns its length; 0 for other numbers. */
static size_t write_point(int32_t point, char unit[BIDE_SECRET_UNIT]) {
  if (point < 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
    return 0;
  return bide_utf8_encode((uint32_t)point, unit);
}

/* "%2B"; "+" for a blank */
static size_t read_percent(const char *bytes, size_t left, char *unit, size_t *taken) {
  int32_t number;
  if (*bytes == '+') {
    *unit = ' ';
    return *taken = 1;
  }
  number = read_hex(bytes + 1, left - 1, 2);
  *taken = 3;
  *unit = (char)number;
  return number >= 0;
}

/* "\n", "\u002b" */
static size_t read_backslash(const char *bytes, size_t left, char *unit, size_t *taken) {
  static const char letters[] = "bfnrt\"\\/'", meant[] = "\b\f\n\r\t\"\\/'";
  const char *letter = left > 1 && bytes[1] != '\0' ? strchr(letters, bytes[1]) : NULL;
  if (left > 1 && bytes[1] == 'u') {
    *taken = 6;
    return write_point(read_hex(bytes + 2, left - 2, 4), unit);
  }
  if (letter == NULL)
    return 0;
  *taken = 2;
  *unit = meant[letter - letters];
  return 1;
}

typedef struct Entity {
  const char *name;
  char meant;
} Entity;

static const Entity entities[] = {
  {"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''},
};

#define ENTITIES (sizeof entities / sizeof *entities)

/* The longest number of an entity, with its "#x". */
#define MOST_DIGITS 10

/* "#43;", "#x2b;" */
static size_t read_number(const char *bytes, size_t left, char *unit, size_t *taken) {
  bool is_hex = left > 1 && (bytes[1] | 0x20) == 'x';
  size_t at = is_hex ? 2 : 1;
  int32_t number = 0, base = is_hex ? 16 : 10;
  for (; at < left && at < MOST_DIGITS && bytes[at] != ';'; at++) {
    int digit = bide_hex_digit(bytes[at]);
    if (digit < 0 || digit >= base || number > 0x10ffff)
      return 0;
    number = number * base + digit;
  }
  if (at >= left || bytes[at] != ';' || number == 0)
    return 0;
  *taken = at + 2; /* with "&" and ";" */
  return write_point(number, unit);
}

/* "&amp;", "&#43;" */
static size_t read_entity(const char *bytes, size_t left, char *unit, size_t *taken) {
  if (left > 1 && bytes[1] == '#')
    return read_number(bytes + 1, left - 1, unit, taken);
  for (size_t i = 0; i < ENTITIES; i++) {
    size_t length = strlen(entities[i].name);
    if (left <= length || memcmp(bytes + 1, entities[i].name, length) != 0)
      continue;
    *taken = length + 1;
    *unit = entities[i].meant;
    return 1;
  }
  return 0;
}

static bool may_begin(BideSecretEscape escape, char byte) {
  switch (escape) {
    case BIDE_SECRET_OF_URL: return byte == '%' || byte == '+';
    case BIDE_SECRET_OF_JSON: return byte == '\\';
    case BIDE_SECRET_OF_HTML: return byte == '&';
    case BIDE_SECRET_PLAIN:
    case BIDE_SECRET_ESCAPES: break;
  }
  return false;
}

bool bide_secret_encoded_is_near(const char *bytes) {
  static const bool signs[UCHAR_MAX + 1] = {
    ['%'] = true, ['+'] = true, ['\\'] = true, ['&'] = true};
  const unsigned char *first = (const unsigned char *)bytes;
  return signs[first[0]] || signs[first[1]] || signs[first[2]] || signs[first[3]];
}

static size_t read_escape(BideSecretEscape escape, const char *bytes, size_t left, char *unit,
                          size_t *taken) {
  switch (escape) {
    case BIDE_SECRET_OF_URL: return read_percent(bytes, left, unit, taken);
    case BIDE_SECRET_OF_JSON: return read_backslash(bytes, left, unit, taken);
    case BIDE_SECRET_OF_HTML: return read_entity(bytes, left, unit, taken);
    case BIDE_SECRET_PLAIN:
    case BIDE_SECRET_ESCAPES: break;
  }
  return 0;
}

size_t bide_secret_encoded_read(BideSecretEscape escape, const char *bytes, size_t left,
                                char unit[BIDE_SECRET_UNIT], size_t *taken) {
  size_t length = may_begin(escape, *bytes) ? read_escape(escape, bytes, left, unit, taken) : 0;
  if (length > 0)
    return length;
  *unit = *bytes;
  return *taken = 1;
}

/* ---- base64 ------------------------------------------------------------- */

static char letter_of(unsigned bits, BideSecretAlphabet alphabet) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  if (bits < 62)
    return letters[bits];
  if (alphabet == BIDE_SECRET_BASE64)
    return bits == 62 ? '+' : '/';
  return bits == 62 ? '-' : '_';
}

size_t bide_secret_encoded_base64(char *to, const char *value, size_t length, size_t before,
                                  BideSecretAlphabet alphabet) {
  size_t first = (before * 8 + 5) / 6, end = (before + length) * 8 / 6;
  for (size_t letter = first; letter < end; letter++) {
    size_t bit = letter * 6 - before * 8; /* of the value */
    unsigned pair = (unsigned)(unsigned char)value[bit / 8] << 8;
    if (bit / 8 + 1 < length)
      pair |= (unsigned char)value[bit / 8 + 1];
    to[letter - first] = letter_of(pair >> (10 - bit % 8) & 63, alphabet);
  }
  return end > first ? end - first : 0;
}
