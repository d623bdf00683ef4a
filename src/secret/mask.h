/*
** Decides what is secret in the texts and documents of one wait: by name, with the names of
** name.h and those that a recipe adds; by value, wherever a secret value occurs; and by
** the form of the text (text.h). One member, the idempotency token, is never secret and
** is called open here.
**
** A NULL mask adds no names and no values.
*/
#ifndef BIDE_SECRET_MASK_H
#define BIDE_SECRET_MASK_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "secret/name.h"

/* The text that replaces a secret. */
#define BIDE_SECRET_REDACTED "[redacted]"

/* Shorter values are not sought in texts: too many harmless texts equal them. */
#define BIDE_SECRET_SHORTEST 8

/* More values of documents are not sought, so that no service can make masking slow. */
#define BIDE_SECRET_MOST_VALUES 64

/* The bytes of the longest text that is searched for secrets. A longer one is left out. */
#define BIDE_SECRET_LONGEST ((size_t)1 << 20)

typedef struct BideSecretText BideSecretText; /* a list of texts */

typedef struct BideSecretMask {
  BideArena arena;
  BideSecretText *names;
  BideSecretText *values;
  BideSecretText *open_name; /* the name of the idempotency token */
  BideSecretText *open_values;
  size_t value_count;
  uint64_t beginnings[64];    /* a set of hashes of the first bytes of all that is sought */
  BideSecretText *sought[64]; /* all that is sought, by the hash */
} BideSecretMask;

typedef struct BideSecretSpan {
  size_t begin, length;
} BideSecretSpan;

/* Makes an empty mask, which the caller must free. */
void bide_secret_mask_init(BideSecretMask *mask);
void bide_secret_mask_free(BideSecretMask *mask);

/* Add a secret name, and the open one. Both copy the text; false if memory is exhausted. */
bool bide_secret_mask_add_name(BideSecretMask *mask, const char *name, size_t length);
bool bide_secret_mask_open_name(BideSecretMask *mask, const char *name, size_t length);

/*
** Add a secret value, one of a document, and an open one. All copy; false if memory is exhausted.
** A secret value that is too short, known already or open is ignored; that of a document also if
** the mask has BIDE_SECRET_MOST_VALUES. A secret value is found in other ways of writing, too
** (encoded.h).
*/
bool bide_secret_mask_add_value(BideSecretMask *mask, const char *value, size_t length);
bool bide_secret_mask_collect_value(BideSecretMask *mask, const char *value, size_t length);
bool bide_secret_mask_open_value(BideSecretMask *mask, const char *value, size_t length);

/* Reports whether a mask adds nothing to the names of name.h and the forms of text.h. */
bool bide_secret_mask_is_general(const BideSecretMask *mask);

/* Returns value number `number`, from 0, the newest first; NULL if there are fewer. */
const char *bide_secret_mask_value(const BideSecretMask *mask, size_t number, size_t *length);

/* Reports what the name says about its value, as bide_secret_name_kind, by this mask. */
BideSecretKind bide_secret_mask_kind(const BideSecretMask *mask, const char *name, size_t length);

/*
** Reports whether a name is plain and says nothing of its value, and remembers it. Always
** false for a mask with names of its own. `hash` is any one that equal names share.
*/
bool bide_secret_mask_knows(const BideSecretMask *mask, BideSecretNames *names, const char *name,
                            size_t length, uint32_t hash);

/* Report whether the name, or the value, is that of the idempotency token. */
bool bide_secret_mask_is_open(const BideSecretMask *mask, const char *name, size_t length);
bool bide_secret_mask_is_open_value(const BideSecretMask *mask, const char *value, size_t length);

/* Finds the first secret in a text. Returns false if the text has no secret. */
bool bide_secret_mask_find(const BideSecretMask *mask, const char *bytes, size_t length,
                           BideSecretSpan *span);

/*
** Appends the mark for a text of more than BIDE_SECRET_LONGEST bytes: "[left out: 30.0 MB of
** text]". False if the buffer has failed.
*/
bool bide_secret_mask_leave_out(BideBuffer *buffer, size_t length);

/*
** Appends the text, with "[redacted]" in place of each secret, or the mark for a text that is too
** long. False if the buffer has failed.
*/
bool bide_secret_mask_write(const BideSecretMask *mask, BideBuffer *buffer, const char *bytes,
                            size_t length);

#endif
