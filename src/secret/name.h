/*
** Decides by its name whether a value is secret. This is the only list of secret names;
** docs/secrets.md documents it.
*/
#ifndef BIDE_SECRET_NAME_H
#define BIDE_SECRET_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum BideSecretKind {
  BIDE_SECRET_NONE, /* an open name */
  BIDE_SECRET_TEXT, /* its strings are secret: a token is, a number of tokens is not */
  BIDE_SECRET_ANY   /* all values but booleans and null are secret */
} BideSecretKind;

/* Classifies the name of a member, header or parameter; it may be of any length. */
BideSecretKind bide_secret_name_kind(const char *name, size_t length);

/*
** A memory of names that say nothing of their values, since the answers of a service repeat them. A
** zeroed one is empty.
*/
#define BIDE_SECRET_NAMES 256
#define BIDE_SECRET_LONGEST_NAME 39
typedef struct BideSecretNames {
  struct {
    uint32_t hash;
    uint8_t length; /* 0 for a free place */
    char bytes[BIDE_SECRET_LONGEST_NAME];
  } places[BIDE_SECRET_NAMES];
} BideSecretNames;

/* Reports whether a name was added. `hash` is any one that equal names share. */
bool bide_secret_names_have(const BideSecretNames *names, const char *name, size_t length,
                            uint32_t hash);

/*
** Adds a name if bide_secret_name_kind gives BIDE_SECRET_NONE for it, in place of another one
** perhaps, and if it is not too long. Returns whether it was added.
*/
bool bide_secret_names_add(BideSecretNames *names, const char *name, size_t length, uint32_t hash);

/* Reports whether a request header is harmless: its value may always be shown. */
bool bide_secret_name_is_harmless_header(const char *name, size_t length);

#endif
