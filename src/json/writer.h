/*
** Writes JSON (RFC 8259). Integers are exact; doubles have the fewest digits that read back (1.0
** stays 1.0); strings are UTF-8, with only the escapes that JSON requires. Members keep their
** order.
*/
#ifndef BIDE_JSON_WRITER_H
#define BIDE_JSON_WRITER_H

#include "base/buffer.h"
#include "base/error.h"
#include "secret/mask.h"
#include "json/value.h"

enum {
  BIDE_JSON_INDENT = 1, /* two spaces a level, one member a line */
  BIDE_JSON_ESCAPE = 4, /* also escape DEL, C1, bidirectional and zero-width controls */
  BIDE_JSON_REDACT = 2, /* replace secrets by "[redacted]": json/secret.h, secret/mask.h */
  BIDE_JSON_INPUT = 8   /* the value is an input: "headers" are a request's, long texts stay */
};

/*
** Appends `value` to `buffer`. Returns false if the buffer has failed (code MEMORY or LIMIT); the
** buffer then keeps what was appended before.
*/
bool bide_json_write(BideBuffer *buffer, const BideValue *value, unsigned flags, BideError *error);

/* Appends `value`, redacted by a mask (secret/mask.h), which may be NULL. Fails as above. */
bool bide_json_write_masked(BideBuffer *buffer, const BideValue *value, unsigned flags,
                            const BideSecretMask *mask, BideError *error);

/*
** Appends `value` if a mask redacts nothing in it, and no name of a member says that its value is
** secret. Returns false otherwise, and if the buffer has failed: what was appended is then of no
** use. Reads the value once, and asks of each name only once as long as `names` remembers it.
*/
bool bide_json_write_clean(BideBuffer *buffer, const BideValue *value, const BideSecretMask *mask,
                           BideSecretNames *names);

/* Appends a quoted and escaped string. Returns false if the buffer has failed. */
bool bide_json_write_string(BideBuffer *buffer, const char *bytes, size_t length);

/* Formats a double with a NUL at its end. Returns the length without the NUL. */
#define BIDE_JSON_NUMBER_TEXT 32
size_t bide_json_format_double(double number, char text[BIDE_JSON_NUMBER_TEXT]);

#endif
