/*
** Other ways to write a value: with the escapes of URLs and forms, of JSON and of HTML, and in
** base64, as an Authorization header has it.
*/
#ifndef BIDE_SECRET_ENCODED_H
#define BIDE_SECRET_ENCODED_H

#include <stdbool.h>
#include <stddef.h>

/*
** The kinds of escapes. What writes one kind escapes its own signs, so that a text has one meaning
** by it.
*/
typedef enum BideSecretEscape {
  BIDE_SECRET_PLAIN, /* has none */
  BIDE_SECRET_OF_URL,
  BIDE_SECRET_OF_JSON,
  BIDE_SECRET_OF_HTML,
  BIDE_SECRET_ESCAPES,
} BideSecretEscape;

/* The most bytes that one escape means. */
#define BIDE_SECRET_UNIT 4

/*
** Reads one escape, or one byte that does not begin one. Returns the number of bytes that it means,
** and sets `*taken` to those that were read. `left` must not be 0.
*/
size_t bide_secret_encoded_read(BideSecretEscape escape, const char *bytes, size_t left,
                                char unit[BIDE_SECRET_UNIT], size_t *taken);

/* Reports whether one of the first four bytes may begin an escape of any kind. */
bool bide_secret_encoded_is_near(const char *bytes);

/* The alphabets of base64. */
typedef enum BideSecretAlphabet {
  BIDE_SECRET_BASE64,
  BIDE_SECRET_BASE64_URL,
} BideSecretAlphabet;

/* The room for a value of `length` bytes. */
#define BIDE_SECRET_BASE64_SIZE(length) (((length) + 4) / 3 * 4)

/*
** Writes the letters of base64 that a value alone decides, with `before` bytes, 0 to 2, before it.
** Returns their number.
*/
size_t bide_secret_encoded_base64(char *to, const char *value, size_t length, size_t before,
                                  BideSecretAlphabet alphabet);

#endif
