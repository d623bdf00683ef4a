/*
** Finds secrets by the text around them: the user part of a URL, parameters of its query,
** members of a connection string, "Bearer …" and "Basic …", and headers and JSON members that
** are quoted in the text. It and mask.c need each other: a name in a text is looked up in the mask,
** and a mask searches texts.
*/
#ifndef BIDE_SECRET_TEXT_H
#define BIDE_SECRET_TEXT_H

#include "secret/mask.h"

/* Finds the first secret whose mark is between `from` and `to`. "[redacted]" is not a secret. */
bool bide_secret_text_find(const BideSecretMask *mask, const char *bytes, size_t length,
                           size_t from, size_t to, BideSecretSpan *span);

/*
** Reports whether a text surely has no secret that bide_secret_text_find finds, and no byte that is
** escaped within quotes, as most texts of answers. It may miss such a text.
*/
bool bide_secret_text_is_plain(const char *bytes, size_t length);

/*
** Finds the password in the user part of the first URL of a text, as it is written there. Returns
** false if there is none.
*/
bool bide_secret_text_find_password(const char *bytes, size_t length, BideSecretSpan *span);

#endif
