/*
** The strict reader: RFC 8259 and nothing beside it. UTF-8 is checked, a lone
** surrogate is an error, a number is an int64 or uint64 where it is one exactly
** and a double otherwise (one that is no finite double is an error). A byte
** order mark is an error that says so.
*/
#ifndef BIDE_JSON_READER_H
#define BIDE_JSON_READER_H

#include "base/arena.h"
#include "base/error.h"
#include "json/value.h"

typedef struct BideJsonLimits {
  size_t depth; /* nested arrays and objects; 0 is the default, 512 */
  size_t bytes; /* of text; 0 is no limit */
} BideJsonLimits;

/*
** Reads one document, which must be all of `text`. `text` is not changed and
** need not outlive the call: what values borrow is in `arena`. `limits` may be
** NULL for the defaults. On failure returns false, with the code JSON, LIMIT or
** MEMORY and line and column; what the arena holds then is of no use.
*/
bool bide_json_read(BideArena *arena, const char *text, size_t length,
                    const BideJsonLimits *limits, BideValue *value, BideError *error);

/*
** The same for the first document of a stream (JSON Lines, or any blank space
** between): `*consumed` becomes the bytes read, blank space behind the document
** included. At the end of the stream `*consumed` is `length`.
*/
bool bide_json_read_next(BideArena *arena, const char *text, size_t length,
                         const BideJsonLimits *limits, BideValue *value,
                         size_t *consumed, BideError *error);

#endif
