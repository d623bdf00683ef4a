/*
** Decides by its name whether a value is secret. This is the only list of secret names;
** docs/secrets.md documents it.
*/
#ifndef BIDE_SECRET_NAME_H
#define BIDE_SECRET_NAME_H

#include <stdbool.h>
#include <stddef.h>

typedef enum BideSecretKind {
  BIDE_SECRET_NONE, /* an open name */
  BIDE_SECRET_TEXT, /* its strings are secret: a token is, a number of tokens is not */
  BIDE_SECRET_ANY   /* all values but booleans and null are secret */
} BideSecretKind;

/* Classifies the name of a member, header or parameter; it may be of any length. */
BideSecretKind bide_secret_name_kind(const char *name, size_t length);

/* Reports whether a request header is harmless: its value may always be shown. */
bool bide_secret_name_is_harmless_header(const char *name, size_t length);

#endif
