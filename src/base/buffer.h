/*
** A growing array of bytes for writers. A buffer owns its bytes until it is freed or they
** are moved out of it. Once an append has failed (memory, limit) the buffer stays failed, so
** a writer needs only one check, at its end.
*/
#ifndef BIDE_BASE_BUFFER_H
#define BIDE_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/budget.h"
#include "base/export.h"

typedef struct BideBuffer {
  char *bytes; /* not NUL-terminated; NULL while empty */
  size_t length;
  size_t capacity;
  size_t limit;       /* the largest value of `length`; 0 is unlimited */
  BideBudget *budget; /* `capacity` is charged to it; it must outlive the buffer; may be NULL */
  bool failed;
} BideBuffer;

/* Makes an empty buffer without a budget; the caller may set one while the buffer is empty. */
BIDE_API void bide_buffer_init(BideBuffer *buffer, size_t limit);
BIDE_API void bide_buffer_free(BideBuffer *buffer);

/* Makes room for `extra` more bytes and returns their address; NULL on failure. */
char *bide_buffer_reserve(BideBuffer *buffer, size_t extra);

/* Append bytes, or one byte. Both return false if the buffer has failed, now or before. */
BIDE_API bool bide_buffer_append(BideBuffer *buffer, const char *bytes, size_t length);
BIDE_API bool bide_buffer_append_byte(BideBuffer *buffer, char byte);

#endif
