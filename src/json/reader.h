/*
** The strict reader: RFC 8259 and nothing beside it. UTF-8 is checked, a lone
** surrogate is an error, a number is an int64 or uint64 where it is one exactly
** and a double otherwise (one that is no finite double is an error). A byte
** order mark is an error that says so.
**
** The lenient reader, for what services send, differs in two things that a
** service's own library lets slip: a lone surrogate is read as U+FFFD, and a
** number beyond a double as the largest double of its sign. It counts both.
*/
#ifndef BIDE_JSON_READER_H
#define BIDE_JSON_READER_H

#include "base/arena.h"
#include "base/error.h"
#include "json/repairs.h"
#include "json/value.h"

typedef struct BideJsonOptions {
  size_t bytes; /* of text; 0 is no limit */
  BideJsonRepairs *repairs; /* the reader is lenient; NULL is strict */
} BideJsonOptions;

/*
** Reads one document, which must be all of `text`. `text` is not changed and
** need not outlive the call: what values borrow is in `arena`. `options` may
** be NULL for the defaults. On failure returns false, with the code JSON, LIMIT or
** MEMORY and line and column; what the arena holds then is of no use.
*/
bool bide_json_read(BideArena *arena, const char *text, size_t length,
                    const BideJsonOptions *options, BideValue *value, BideError *error);

/*
** The same for the first document of a stream (JSON Lines, or any blank space
** between): `*consumed` becomes the bytes read, blank space behind the document
** included. At the end of the stream `*consumed` is `length`.
*/
bool bide_json_read_next(BideArena *arena, const char *text, size_t length,
                         const BideJsonOptions *options, BideValue *value,
                         size_t *consumed, BideError *error);

#endif
