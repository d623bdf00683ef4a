/*
** Secrets in documents: decides which members are redacted when a document is shown, and collects
** their texts so that they are redacted elsewhere too.
*/
#ifndef BIDE_JSON_SECRET_H
#define BIDE_JSON_SECRET_H

#include "secret/mask.h"
#include "json/value.h"

/* Where in a document a value is: "headers" in the input of a wait are those of requests. */
typedef struct BideJsonPlace {
  bool of_input;
  bool in_headers; /* below a member "headers" of an input */
} BideJsonPlace;

/* Classifies a member in this place by its name. */
BideSecretKind bide_json_secret_kind(const BideSecretMask *mask, BideJsonPlace place,
                                     const BideMember *member);

/* Returns the place of the values below a member. */
BideJsonPlace bide_json_secret_below(BideJsonPlace place, const BideMember *member);

/* Reports whether a whole value is redacted. The idempotency token never is. */
bool bide_json_secret_hides(const BideSecretMask *mask, BideSecretKind kind,
                            const BideValue *value);

/*
** Adds the texts of secret members to the mask, and of an input the passwords of its URLs too;
** opens the idempotency token at the top level of an input. Returns false if memory is exhausted.
*/
bool bide_json_secret_collect(BideSecretMask *mask, const BideValue *value, bool of_input);

#endif
