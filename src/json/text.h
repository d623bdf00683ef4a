/*
** The rarely executed parts of reading: strings with escapes or non-ASCII characters, the end of
** a document in a stream, and the description of a place.
*/
#ifndef BIDE_JSON_TEXT_H
#define BIDE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
** Unescapes the rest of a string (RFC 8259, section 7), from `*next` up to its closing quote, and
** writes it to `*to`. `*to` may equal `*next`, since no escape is shorter than its character. On
** success returns NULL, with `*next` after the quote and `*to` after the last byte written. On
** failure returns the wrong place and sets `*message`. `end` is the end of the text. If `lone` is
** NULL a lone surrogate is a failure; otherwise it becomes U+FFFD and `*lone` is incremented.
*/
const char *bide_text_unescape(const char **next, char **to, const char *end, size_t *lone,
                               const char **message);

/* Copies `text` and appends the padding of json/scan.h. NULL if memory is exhausted. */
char *bide_text_copy(BideArena *arena, const char *text, size_t length);

/* Casts const away from our own copy of a text, which may be written to. */
char *bide_text_writable(const char *bytes);

/* Describes the byte at `at` for a message: "'x'", "the byte 0x00" or "the end". */
#define BIDE_TEXT_FOUND 32
void bide_text_found(const char *at, size_t available, char found[BIDE_TEXT_FOUND]);

/* Returns the offset, from `from` on, of the first byte that is not whitespace of JSON. */
size_t bide_text_skip_space(const char *text, size_t length, size_t from);

/* Returns the end of the first document of a stream, judging by brackets and quotes alone. */
size_t bide_text_document_end(const char *text, size_t length);

#endif
