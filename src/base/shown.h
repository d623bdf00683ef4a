/*
** Text for people: what is shown on a terminal, in a line of a table or of a
** text file commands nothing there, wherever it came from.
**
** C0 controls, DEL and bytes that are no UTF-8 are shown as \xNN; C1 controls,
** line and paragraph separators, bidirectional and zero-width controls as
** \u{NNNN}. A backslash stays as it is.
*/
#ifndef BIDE_BASE_SHOWN_H
#define BIDE_BASE_SHOWN_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* The most bytes of one line that are shown; a longer one is cut, and its length follows. */
#define BIDE_SHOWN_LONGEST 4096

/* Appends a text as one line: its line breaks and tabs are escaped, too. */
bool bide_shown_line(BideBuffer *buffer, const char *bytes, size_t length);

/* Appends a text whose line breaks and tabs are bide's own, and stay. */
bool bide_shown_lines(BideBuffer *buffer, const char *bytes, size_t length);

/*
** The code point of the control character of two bytes or more that begins at
** `bytes`, and its length; 0 where none does.
*/
uint32_t bide_shown_wide_control(const char *bytes, size_t available, size_t *length);

#endif
