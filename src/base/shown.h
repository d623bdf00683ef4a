/*
** Escapes text for people, so that untrusted text can be shown on a terminal, in a table or in
** a text file without controlling it.
**
** C0 controls, DEL and bytes that are not UTF-8 are shown as \xNN; C1 controls, line and
** paragraph separators, bidirectional and zero-width controls as \u{NNNN}. A backslash is
** not escaped.
*/
#ifndef BIDE_BASE_SHOWN_H
#define BIDE_BASE_SHOWN_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* The longest line, in bytes; a longer one is truncated, and its length is appended. */
#define BIDE_SHOWN_LONGEST 4096

/* Appends a text as one line: escapes its line breaks and tabs too. False if the buffer failed. */
bool bide_shown_line(BideBuffer *buffer, const char *bytes, size_t length);

/* Appends a text and keeps its line breaks and tabs, which are bide's. False as above. */
bool bide_shown_lines(BideBuffer *buffer, const char *bytes, size_t length);

/*
** Returns the code point of the control character of two or more bytes that begins at `bytes`
** and sets `*length`; returns 0 if no such character begins there.
*/
uint32_t bide_shown_wide_control(const char *bytes, size_t available, size_t *length);

#endif
