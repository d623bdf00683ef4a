/*
** The writer. Integers are written exactly, doubles shortest (1.0 stays 1.0),
** strings as UTF-8 with only what JSON demands escaped. Members keep their order.
*/
#ifndef BIDE_JSON_WRITER_H
#define BIDE_JSON_WRITER_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/secret_mask.h"
#include "json/value.h"

enum {
  BIDE_JSON_INDENT = 1, /* two spaces a level, a member a line */
  BIDE_JSON_ESCAPE = 4, /* DEL, C1, bidirectional and zero-width controls are escaped, too */
  BIDE_JSON_REDACT = 2, /* secrets become "[redacted]": see json/secret.h and base/secret_mask.h */
  BIDE_JSON_INPUT = 8   /* it is an input, in which "headers" are those of requests */
};

/*
** Appends `value` to `buffer`. Returns false when the buffer failed (code
** MEMORY or LIMIT); what was appended until then stays in it.
*/
bool bide_json_write(BideBuffer *buffer, const BideValue *value, unsigned flags, BideError *error);

/* The same, redacted by a mask; NULL is what is secret for everybody. */
bool bide_json_write_masked(BideBuffer *buffer, const BideValue *value, unsigned flags,
                            const BideSecretMask *mask, BideError *error);

/* Appends a string in quotes, escaped. */
bool bide_json_write_string(BideBuffer *buffer, const char *bytes, size_t length);

/* The longest text of a double, its NUL included, and the text. */
#define BIDE_JSON_NUMBER_TEXT 32
size_t bide_json_format_double(double number, char text[BIDE_JSON_NUMBER_TEXT]);

#endif
