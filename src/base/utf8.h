/*
** UTF-8 as RFC 3629 has it: no surrogates, no overlong forms, nothing above
** U+10FFFF.
*/
#ifndef BIDE_BASE_UTF8_H
#define BIDE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the sequence that begins at `bytes`, 1 to 4; 0 where it is none or is cut. */
size_t bide_utf8_sequence(const char *bytes, size_t available);

/* Decodes the sequence at `bytes`, which must be valid; `*length` becomes its length. */
uint32_t bide_utf8_decode(const char *bytes, size_t *length);

/* Writes a code point, 1 to 4 bytes, and returns how many; it must be no surrogate. */
size_t bide_utf8_encode(uint32_t code_point, char *bytes);

/* Code points of valid UTF-8. */
size_t bide_utf8_count(const char *bytes, size_t length);

/* The offset of the first byte that is no UTF-8; `length` where all of it is. */
size_t bide_utf8_check(const char *bytes, size_t length);

#endif
