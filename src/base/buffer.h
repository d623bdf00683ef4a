/*
** Bytes that grow: what a writer fills. A buffer owns its bytes until it is
** freed or they are taken out of it. Once an append has failed (memory, limit)
** the buffer stays failed, so a writer may check once at its end.
*/
#ifndef BIDE_BASE_BUFFER_H
#define BIDE_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/export.h"
#include "base/budget.h"

typedef struct BideBuffer {
  char *bytes; /* not NUL-terminated; NULL while empty */
  size_t length;
  size_t capacity;
  size_t limit; /* the most that `length` may become; 0 is no limit */
  BideBudget *budget; /* what `capacity` counts on, and outlives it; NULL is none */
  bool failed;
} BideBuffer;

/* Makes an empty buffer without a budget; one may be set as long as it is empty. */
BIDE_API void bide_buffer_init(BideBuffer *buffer, size_t limit);
BIDE_API void bide_buffer_free(BideBuffer *buffer);

/* Makes room for `extra` more bytes and returns where they go; NULL on failure. */
char *bide_buffer_reserve(BideBuffer *buffer, size_t extra);

/* Both return false when the buffer has failed, now or before. */
BIDE_API bool bide_buffer_append(BideBuffer *buffer, const char *bytes, size_t length);
BIDE_API bool bide_buffer_append_byte(BideBuffer *buffer, char byte);

#endif
