/*
** Decodes the body of an answer as it comes: gzip, deflate, or several of them one in another. It
** knows whether a body was complete, which libcurl's own decoder does not say.
*/
#ifndef BIDE_NET_HTTP_DECODER_H
#define BIDE_NET_HTTP_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BideHttpDecoder BideHttpDecoder;

typedef enum BideHttpDecoded {
  BIDE_DECODED,         /* all bytes were decoded and taken */
  BIDE_DECODED_REFUSED, /* `take` returned false */
  BIDE_DECODED_LIMIT,   /* a coding within another one is larger than the limit */
  BIDE_DECODED_BROKEN,  /* the bytes are not in the coding; bide_http_decoder_fault says why */
  BIDE_DECODED_MEMORY   /* memory is exhausted */
} BideHttpDecoded;

/* Takes decoded bytes, which are borrowed for the call. Returns false to refuse them. */
typedef bool BideHttpTake(void *context, const char *bytes, size_t length);

/* The most codings of one body. */
#define BIDE_HTTP_CODINGS 4

/*
** Creates a decoder without codings, which gives the bytes on as they are. No coding may decode to
** more than `limit` bytes. Returns NULL if memory is exhausted.
*/
BideHttpDecoder *bide_http_decoder_create(BideHttpTake *take, void *context, int64_t limit);
void bide_http_decoder_free(BideHttpDecoder *decoder); /* NULL is allowed */

/*
** Adds a coding, in the order of the header Content-Encoding. Returns false if the name is unknown
** or there are too many codings.
*/
bool bide_http_decoder_add(BideHttpDecoder *decoder, const char *name, size_t length);

BideHttpDecoded bide_http_decoder_feed(BideHttpDecoder *decoder, const char *bytes, size_t length);

/* Reports whether every coding is at its end. A body without a byte is not. */
bool bide_http_decoder_is_complete(const BideHttpDecoder *decoder);

/* Returns why the bytes are broken, as zlib says it; static. */
const char *bide_http_decoder_fault(const BideHttpDecoder *decoder);

#endif
