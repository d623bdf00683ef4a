/*
** Which names say that what they name is a secret. The list is documented in
** docs/secrets.md; it is here and nowhere else.
*/
#ifndef BIDE_BASE_SECRET_NAME_H
#define BIDE_BASE_SECRET_NAME_H

#include <stdbool.h>
#include <stddef.h>

typedef enum BideSecretKind {
  BIDE_SECRET_NONE, /* an open name */
  BIDE_SECRET_TEXT, /* its texts are secret: a token is, a number of tokens is not */
  BIDE_SECRET_ANY   /* all values but booleans and null are secret */
} BideSecretKind;

/* What the name of a member, of a header or of a parameter says. It may be of any length. */
BideSecretKind bide_secret_name_kind(const char *name, size_t length);

/* Whether a request header may be shown with its value, whatever its name says. */
bool bide_secret_name_is_harmless_header(const char *name, size_t length);

#endif
