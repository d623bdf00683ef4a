/*
** Reads JSON, strictly by RFC 8259. Text that is not UTF-8, a lone surrogate (section 8.2), a
** number beyond the largest double and a byte order mark are errors. A number becomes an int64 or
** uint64 if that is exact, and a double otherwise.
**
** The lenient reader is for answers of services. It reads a lone surrogate as U+FFFD and a number
** beyond the largest double as the largest double of its sign, and counts both, because libraries
** of services write such texts.
**
** If an object has two members of one name, the last one counts, and the lenient reader notes it
** if their values differ. RFC 8259, section 4, leaves it open. What a person writes is read with
** `is_unique`, which makes the second one an error.
*/
#ifndef BIDE_JSON_READER_H
#define BIDE_JSON_READER_H

#include "base/arena.h"
#include "base/error.h"
#include "json/repairs.h"
#include "json/value.h"

typedef struct BideJsonOptions {
  size_t bytes;             /* the longest text; 0 is unlimited */
  BideJsonRepairs *repairs; /* makes the reader lenient; NULL is strict */
  bool is_unique;           /* refuses a member that is given twice, at one of its places */
} BideJsonOptions;

/*
** Reads one document, which must be all of `text`. `text` is not changed and need not outlive the
** call: all values borrow from `arena`. `options` may be NULL for the defaults. On failure returns
** false and sets the code (JSON, LIMIT or MEMORY), line and column; the content of the arena is
** then undefined.
*/
bool bide_json_read(BideArena *arena, const char *text, size_t length,
                    const BideJsonOptions *options, BideValue *value, BideError *error);

/*
** Reads the first document of a stream (JSON Lines, or documents with any whitespace between).
** Sets `*consumed` to the bytes read, whitespace after the document included; it equals `length`
** at the end of the stream. Fails as bide_json_read.
*/
bool bide_json_read_next(BideArena *arena, const char *text, size_t length,
                         const BideJsonOptions *options, BideValue *value, size_t *consumed,
                         BideError *error);

#endif
