/*
** Secrets that are known by what stands around them in a text: the user part of
** a URL, parameters of its query, members of a connection string, "Bearer …" and
** "Basic …", headers and members of JSON that stand in the text.
*/
#ifndef BIDE_BASE_SECRET_TEXT_H
#define BIDE_BASE_SECRET_TEXT_H

#include "base/secret_mask.h"

/* Finds the first one that is told by what stands from `from` to `to`. "[redacted]" is none. */
bool bide_secret_text_find(const BideSecretMask *mask, const char *bytes, size_t length,
                           size_t from, size_t to, BideSecretSpan *span);

#endif
