/*
** Secrets of documents: which members are left out where a document is shown,
** and which texts are looked for elsewhere because of that.
*/
#ifndef BIDE_JSON_SECRET_H
#define BIDE_JSON_SECRET_H

#include "base/secret_mask.h"
#include "json/value.h"

/* How the values of an input are looked at: "headers" in it are those of requests. */
typedef struct BideJsonPlace {
  bool of_input;
  bool in_headers; /* below such a member */
} BideJsonPlace;

/* What the name of a member in this place says. */
BideSecretKind bide_json_secret_kind(const BideSecretMask *mask, BideJsonPlace place,
                                     const BideMember *member);

/* The place of what is below a member. */
BideJsonPlace bide_json_secret_below(BideJsonPlace place, const BideMember *member);

/* Whether a value of this kind is left out as a whole; the idempotency token never is. */
bool bide_json_secret_hides(const BideSecretMask *mask, BideSecretKind kind,
                            const BideValue *value);

/*
** Adds the texts of secret members to the mask, and takes note of the idempotency
** token at the top of an input. Returns false when memory is out.
*/
bool bide_json_secret_collect(BideSecretMask *mask, const BideValue *value, bool of_input);

#endif
