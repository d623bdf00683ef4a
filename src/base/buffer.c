#include "base/buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY ((size_t)256)

void bide_buffer_init(BideBuffer *buffer, size_t limit) {
  memset(buffer, 0, sizeof *buffer);
  buffer->limit = limit;
}

void bide_buffer_free(BideBuffer *buffer) {
  BideBudget *budget = buffer->budget;
  bide_budget_give(budget, buffer->capacity);
  free(buffer->bytes);
  bide_buffer_init(buffer, buffer->limit);
  buffer->budget = budget;
}

/* Grows the buffer to `capacity` bytes, which must be more than it has. */
static bool grow(BideBuffer *buffer, size_t capacity) {
  size_t extra = capacity - buffer->capacity;
  char *bytes;
  if (!bide_budget_take(buffer->budget, extra))
    return false;
  bytes = realloc(buffer->bytes, capacity);
  if (bytes == NULL) {
    bide_budget_give(buffer->budget, extra);
    return false;
  }
  buffer->bytes = bytes;
  buffer->capacity = capacity;
  return true;
}

static bool within_limit(const BideBuffer *buffer, size_t extra) {
  if (extra > SIZE_MAX / 2 - buffer->length)
    return false;
  return buffer->limit == 0 || buffer->length + extra <= buffer->limit;
}

char *bide_buffer_reserve(BideBuffer *buffer, size_t extra) {
  size_t capacity = buffer->capacity == 0 ? FIRST_CAPACITY : buffer->capacity;
  if (buffer->failed || !within_limit(buffer, extra)) {
    buffer->failed = true;
    return NULL;
  }
  if (buffer->capacity - buffer->length >= extra && buffer->bytes != NULL)
    return buffer->bytes + buffer->length;
  while (capacity < buffer->length + extra)
    capacity *= 2;
  if (!grow(buffer, capacity)) {
    buffer->failed = true;
    return NULL;
  }
  return buffer->bytes + buffer->length;
}

bool bide_buffer_append(BideBuffer *buffer, const char *bytes, size_t length) {
  char *room = bide_buffer_reserve(buffer, length);
  if (room == NULL)
    return false;
  if (length > 0)
    memcpy(room, bytes, length);
  buffer->length += length;
  return true;
}

bool bide_buffer_append_byte(BideBuffer *buffer, char byte) {
  return bide_buffer_append(buffer, &byte, 1);
}
