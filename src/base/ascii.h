/*
** Classes of the characters of ASCII, whatever the locale.
*/
#ifndef BIDE_BASE_ASCII_H
#define BIDE_BASE_ASCII_H

#include <stdbool.h>

static inline bool bide_is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

static inline bool bide_is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static inline bool bide_is_alphanumeric(char byte) {
  return bide_is_digit(byte) || bide_is_letter(byte);
}

/* Reports whether a byte is white space between the parts of JSON, JMESPath and headers. */
static inline bool bide_is_blank(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Returns the value of a hexadecimal digit, -1 for another character. */
static inline int bide_hex_digit(char byte) {
  if (bide_is_digit(byte))
    return byte - '0';
  byte = (char)(byte | 0x20);
  return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

#endif
