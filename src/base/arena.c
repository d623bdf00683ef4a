#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef BIDE_ARENA_GUARDED
#include <sanitizer/asan_interface.h>
#define GAP BIDE_ARENA_ALIGNMENT /* after each allocation */
#else
#define ASAN_POISON_MEMORY_REGION(bytes, size) ((void)(bytes), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(bytes, size) ((void)(bytes), (void)(size))
#define GAP ((size_t)0)
#endif

#define ALIGNMENT BIDE_ARENA_ALIGNMENT
#define FIRST_BLOCK ((size_t)128) /* enough for most documents of a sleeping wait */
#define LARGEST_STEP ((size_t)1 << 20)

_Static_assert((ALIGNMENT & (ALIGNMENT - 1)) == 0, "a size is rounded by a mask");

struct BideArenaBlock {
  BideArenaBlock *older;
  size_t size; /* of the bytes after this header */
};

/* The header is padded so that the first byte after it is aligned. */
#define HEADER ((sizeof(BideArenaBlock) + ALIGNMENT - 1) & ~(ALIGNMENT - 1))

void bide_arena_init(BideArena *arena, size_t limit) {
  memset(arena, 0, sizeof *arena);
  arena->limit = limit;
}

/* The limit of one byte admits no further block. */
void bide_arena_init_within(BideArena *arena, char *block, size_t size) {
  bide_arena_init(arena, 1);
  arena->next = block;
  arena->end = block + size;
}

static char *block_bytes(BideArenaBlock *block) {
  return (char *)block + HEADER;
}

/* Doubles the size of each block, so that a large document needs few of them. */
static size_t next_block_size(const BideArena *arena, size_t wanted) {
  size_t size = arena->blocks == NULL ? FIRST_BLOCK : arena->blocks->size * 2;
  if (size > LARGEST_STEP)
    size = LARGEST_STEP;
  return size < wanted ? wanted : size;
}

/* Allocates a block and charges it to the budget. Returns NULL if memory or budget is exhausted. */
static BideArenaBlock *allocate_block(BideArena *arena, size_t size) {
  BideArenaBlock *block;
  if (!bide_budget_take(arena->budget, HEADER + size))
    return NULL;
  block = malloc(HEADER + size);
  if (block == NULL) {
    bide_budget_give(arena->budget, HEADER + size);
    return NULL;
  }
  block->size = size;
  ASAN_POISON_MEMORY_REGION(block_bytes(block), size);
  return block;
}

static int add_block(BideArena *arena, size_t wanted) {
  size_t size = next_block_size(arena, wanted);
  BideArenaBlock *block;
  if (arena->limit != 0) {
    if (arena->used > arena->limit || wanted > arena->limit - arena->used)
      return 0;
    if (size > arena->limit - arena->used)
      size = wanted;
  }
  block = allocate_block(arena, size);
  arena->starved = block == NULL;
  if (block == NULL)
    return 0;
  block->older = arena->blocks;
  arena->blocks = block;
  arena->used += size;
  arena->next = block_bytes(block);
  arena->end = arena->next + size;
  return 1;
}

/* Returns the gap after an allocation. The block of bide_arena_init_within is another's memory. */
static size_t gap_of(const BideArena *arena) {
  return arena->blocks == NULL && arena->next != NULL ? 0 : GAP;
}

void *bide_arena_alloc_block(BideArena *arena, size_t size) {
  size_t taken;
  char *result;
  if (size > SIZE_MAX / 2)
    return NULL;
  taken = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  if (taken == 0)
    taken = ALIGNMENT;
  taken += gap_of(arena);
  if ((size_t)(arena->end - arena->next) < taken && !add_block(arena, taken))
    return NULL;
  result = arena->next;
  arena->next += taken;
  ASAN_UNPOISON_MEMORY_REGION(result, size);
  return result;
}

char *bide_arena_copy(BideArena *arena, const char *bytes, size_t length) {
  char *copy = bide_arena_alloc(arena, length + 1);
  if (copy == NULL)
    return NULL;
  if (length > 0)
    memcpy(copy, bytes, length);
  copy[length] = '\0';
  return copy;
}

static void free_blocks(BideArena *arena) {
  BideArenaBlock *block = arena->blocks;
  while (block != NULL) {
    BideArenaBlock *older = block->older;
    bide_budget_give(arena->budget, HEADER + block->size);
    free(block);
    block = older;
  }
}

static void forget_blocks(BideArena *arena) {
  BideBudget *budget = arena->budget;
  bide_arena_init(arena, arena->limit);
  arena->budget = budget;
}

void bide_arena_reset(BideArena *arena) {
  BideArenaBlock *block = arena->blocks;
  if (block == NULL)
    return;
  if (block->older != NULL) {
    size_t size = arena->used;
    free_blocks(arena);
    block = allocate_block(arena, size);
    if (block == NULL) {
      forget_blocks(arena);
      return;
    }
    block->older = NULL;
    arena->blocks = block;
  }
  arena->next = block_bytes(block);
  arena->end = arena->next + block->size;
  ASAN_POISON_MEMORY_REGION(arena->next, block->size);
}

void bide_arena_free(BideArena *arena) {
  free_blocks(arena);
  forget_blocks(arena);
}
