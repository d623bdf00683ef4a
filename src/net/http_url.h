/*
** URLs as libcurl reads them, so that what is decided about an address and where
** a request goes cannot differ.
*/
#ifndef BIDE_NET_HTTP_URL_H
#define BIDE_NET_HTTP_URL_H

#include <stdbool.h>

#include "base/buffer.h"

/*
** Resolves `location`, of a redirect, against the URL that was asked (RFC 3986, 5.2; RFC
** 9110, 10.2.2): a fragment is inherited, and so is the user part within one origin.
** Appends the URL and, behind a line break, its origin: "https://host:443". False where one of
** the two is no URL, or memory is out.
*/
bool bide_http_url_resolve(BideBuffer *buffer, const char *base, const char *location);

/* Appends the origin of a URL; false as above. */
bool bide_http_url_origin(BideBuffer *buffer, const char *url);

#endif
