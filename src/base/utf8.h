/*
** UTF-8 as RFC 3629 defines it: without surrogates, overlong forms and code points above
** U+10FFFF.
*/
#ifndef BIDE_BASE_UTF8_H
#define BIDE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/export.h"

/* Returns the length of the sequence at `bytes`, 1 to 4, or 0 if it is invalid or truncated. */
size_t bide_utf8_sequence(const char *bytes, size_t available);

/* Decodes the sequence at `bytes`, which must be valid, and sets `*length`. */
uint32_t bide_utf8_decode(const char *bytes, size_t *length);

/* Writes a code point, which must not be a surrogate. Returns its length, 1 to 4 bytes. */
size_t bide_utf8_encode(uint32_t code_point, char *bytes);

/*
** Returns the length of a text, or where to cut one that is longer than `most` bytes: at the
** beginning of the character there.
*/
BIDE_API size_t bide_utf8_cut(const char *bytes, size_t length, size_t most);

/* Counts the code points of valid UTF-8. */
size_t bide_utf8_count(const char *bytes, size_t length);

/*
** Writes the bytes to `copy`, which has room for three times as many, each that is not UTF-8 as
** U+FFFD. Returns the length of the copy.
*/
size_t bide_utf8_repair(const char *bytes, size_t length, char *copy);

/* Returns the offset of the first byte that is not UTF-8; `length` if all bytes are. */
size_t bide_utf8_check(const char *bytes, size_t length);

#endif
