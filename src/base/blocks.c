#include "base/blocks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"

#define PIECE \
  65536 /* bytes; of its end, less than a hundredth is too short for a block, and lost */

static bool is_small(size_t size) {
  return size <= BIDE_BLOCKS_LARGEST;
}

static size_t units_of(size_t size) {
  return (size + BIDE_BLOCKS_UNIT - 1) / BIDE_BLOCKS_UNIT;
}

static void *cut(BideBlocks *blocks, size_t size) {
  char *block = blocks->next;
  if ((size_t)(blocks->end - block) < size) {
    block = malloc(PIECE);
    if (block == NULL)
      return NULL;
    bide_platform_populate(block, PIECE);
    blocks->end = block + PIECE;
  }
  blocks->next = block + size;
  return block;
}

static void *take(BideBlocks *blocks, size_t size) {
  void **unused;
  void *block;
  if (!is_small(size))
    return malloc(size);
  unused = &blocks->unused[units_of(size)];
  block = *unused;
  if (block == NULL)
    return cut(blocks, units_of(size) * BIDE_BLOCKS_UNIT);
  memcpy(unused, block, sizeof *unused);
  __builtin_prefetch(*unused, 1); /* given back long ago, it is in no cache when it is taken */
  return block;
}

static void give(BideBlocks *blocks, void *block, size_t size) {
  void **unused;
  if (!is_small(size)) {
    free(block);
    return;
  }
  unused = &blocks->unused[units_of(size)];
  memcpy(block, unused, sizeof *unused);
  *unused = block;
}

/* A block that shrinks may stay where it is, and counts as a smaller one from then on. */
static void *resize(BideBlocks *blocks, void *block, size_t old_size, size_t size) {
  void *moved;
  if (!is_small(old_size) && !is_small(size))
    return realloc(block, size);
  if (is_small(old_size) && is_small(size) && units_of(old_size) == units_of(size))
    return block;
  moved = take(blocks, size);
  if (moved == NULL)
    return size < old_size ? block : NULL;
  memcpy(moved, block, old_size < size ? old_size : size);
  give(blocks, block, old_size);
  return moved;
}

void *bide_blocks_allocate(void *context, void *block, size_t old_size, size_t size) {
  if (block == NULL)
    return size > 0 ? take(context, size) : NULL;
  if (size > 0)
    return resize(context, block, old_size, size);
  give(context, block, old_size);
  return NULL;
}
