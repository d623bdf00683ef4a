/*
** What is secret in the texts and the documents of one wait: by names, those of
** everybody and those that a recipe adds; by values, wherever these stand; and by
** what a text looks like (secret_text.h). One member, the idempotency token, is
** never secret.
**
** NULL is a mask that adds nothing to what is secret for everybody.
*/
#ifndef BIDE_BASE_SECRET_MASK_H
#define BIDE_BASE_SECRET_MASK_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/secret_name.h"

/* What stands in place of a secret. */
#define BIDE_SECRET_REDACTED "[redacted]"

/* Shorter values are not looked for in texts: too much else is equal to them. */
#define BIDE_SECRET_SHORTEST 8

/* As many values are looked for: a service that sends more of them makes no text slow. */
#define BIDE_SECRET_MOST_VALUES 64

typedef struct BideSecretText BideSecretText; /* a list of texts */

typedef struct BideSecretMask {
  BideArena arena;
  BideSecretText *names;
  BideSecretText *values;
  BideSecretText *open_name; /* of the idempotency token */
  BideSecretText *open_values;
  size_t value_count;
  uint64_t beginnings[16]; /* a set of hashes of how values begin */
} BideSecretMask;

typedef struct BideSecretSpan {
  size_t begin, length;
} BideSecretSpan;

/* Makes an empty mask. */
void bide_secret_mask_init(BideSecretMask *mask);
void bide_secret_mask_free(BideSecretMask *mask);

/* Each copies the text, and returns false when memory is out. */
bool bide_secret_mask_add_name(BideSecretMask *mask, const char *name, size_t length);
bool bide_secret_mask_open_name(BideSecretMask *mask, const char *name, size_t length);

/* Values that are too short, too many, known already, or an idempotency token are left out. */
bool bide_secret_mask_add_value(BideSecretMask *mask, const char *value, size_t length);
bool bide_secret_mask_open_value(BideSecretMask *mask, const char *value, size_t length);

/* The number of a value, from 0, the newest first; NULL where there are no more. */
const char *bide_secret_mask_value(const BideSecretMask *mask, size_t number, size_t *length);

BideSecretKind bide_secret_mask_kind(const BideSecretMask *mask, const char *name, size_t length);

/* Whether the name, or the value, is that of the idempotency token. */
bool bide_secret_mask_is_open(const BideSecretMask *mask, const char *name, size_t length);
bool bide_secret_mask_is_open_value(const BideSecretMask *mask, const char *value, size_t length);

/* Finds the first secret in a text. */
bool bide_secret_mask_find(const BideSecretMask *mask, const char *bytes, size_t length,
                           BideSecretSpan *span);

/* Appends the text without its secrets. */
bool bide_secret_mask_write(const BideSecretMask *mask, BideBuffer *buffer, const char *bytes,
                            size_t length);

#endif
