/*
** The parts of reading that are not hot: strings with escapes or without ASCII,
** where a document ends, how a place is described.
*/
#ifndef BIDE_JSON_TEXT_H
#define BIDE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
** Reads the rest of a string, from `*next` up to its closing quote, and writes
** what it stands for to `*to`, which may be `*next` itself: no escape is shorter
** than what it stands for. On success returns NULL; `*next` stands behind the
** quote and `*to` behind what was written. Otherwise returns the place that is
** wrong, and `*message` says how. `end` is the end of the text. A lone surrogate
** is wrong where `lone` is NULL; otherwise it becomes U+FFFD, and `*lone` counts it.
*/
const char *bide_text_unescape(const char **next, char **to, const char *end, size_t *lone,
                               const char **message);

/* A copy of `text` with the padding of json/scan.h behind it; NULL where memory is out. */
char *bide_text_copy(BideArena *arena, const char *text, size_t length);

/* Our own copy of a text may be written to, though all who read it see it const. */
char *bide_text_writable(const char *bytes);

/* What stands at `at`, for a message: a character in quotes, a byte in hexadecimal, the end. */
#define BIDE_TEXT_FOUND 32
void bide_text_found(const char *at, size_t available, char found[BIDE_TEXT_FOUND]);

/* The first byte from `from` on that is no blank space of JSON. */
size_t bide_text_skip_space(const char *text, size_t length, size_t from);

/* Where the first document of a stream ends, as far as brackets and quotes tell. */
size_t bide_text_document_end(const char *text, size_t length);

#endif
