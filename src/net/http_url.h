/*
** Parses URLs with libcurl, so that a decision about a URL always concerns the address that the
** request goes to.
*/
#ifndef BIDE_NET_HTTP_URL_H
#define BIDE_NET_HTTP_URL_H

#include <stdbool.h>

#include "base/buffer.h"

/*
** Resolves the `location` of a redirect against the URL of the request (RFC 3986, 5.2; RFC 9110,
** 10.2.2). The fragment is inherited, and within one origin the user part too. Appends the URL, a
** line break and its origin: "https://host:443". Returns false if one of the two is not a URL, or
** memory is exhausted.
*/
bool bide_http_url_resolve(BideBuffer *buffer, const char *base, const char *location);

/* Appends the origin of a URL. Returns false as bide_http_url_resolve does. */
bool bide_http_url_origin(BideBuffer *buffer, const char *url);

#endif
