/*
** The writer. Integers are written exactly, doubles shortest (1.0 stays 1.0),
** strings as UTF-8 with only what JSON demands escaped. Members keep their order.
*/
#ifndef BIDE_JSON_WRITER_H
#define BIDE_JSON_WRITER_H

#include "base/buffer.h"
#include "base/error.h"
#include "json/value.h"

enum {
  BIDE_JSON_INDENT = 1, /* two spaces a level, a member a line */
  BIDE_JSON_ESCAPE = 4, /* DEL, C1, bidirectional and zero-width controls are escaped, too */
  BIDE_JSON_REDACT = 2  /* secrets become "[redacted]": members whose names say so, passwords in URLs */
};

/*
** Appends `value` to `buffer`. Returns false when the buffer failed (code
** MEMORY or LIMIT); what was appended until then stays in it.
*/
bool bide_json_write(BideBuffer *buffer, const BideValue *value, unsigned flags, BideError *error);

/* Appends a string in quotes, escaped. */
bool bide_json_write_string(BideBuffer *buffer, const char *bytes, size_t length);

/* The longest text of a double, its NUL included, and the text. */
#define BIDE_JSON_NUMBER_TEXT 32
size_t bide_json_format_double(double number, char text[BIDE_JSON_NUMBER_TEXT]);

/*
** Whether the name of a member says that its value is a secret: it contains
** password, passwd, secret, credential, access token or authorization, whatever
** its case and with or without "-" and "_". An idempotency or client token is none.
*/
bool bide_json_is_secret(const char *name, size_t length);

/*
** Where the first password of a URL stands in a text, "http://me:password@host",
** and how long it is; `length` where there is none.
*/
size_t bide_json_find_password(const char *bytes, size_t length, size_t *password_length);

#endif
