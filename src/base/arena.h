/*
** An arena: memory that is allocated in small parts and freed at once. One arena serves
** one unit of work: a document, an expression, one observation. Everything allocated
** from it dies with bide_arena_reset or bide_arena_free. AddressSanitizer sees what is read or
** written beside an allocation: an arena that allocates its own blocks leaves gaps in such builds.
*/
#ifndef BIDE_BASE_ARENA_H
#define BIDE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/budget.h"

typedef struct BideArenaBlock BideArenaBlock;

typedef struct BideArena {
  BideArenaBlock *blocks; /* the newest first */
  char *next;             /* the first free byte of the newest block */
  char *end;              /* one past its last byte */
  size_t used;            /* bytes of all blocks */
  size_t limit;           /* the largest value of `used`; 0 is unlimited */
  BideBudget *budget;     /* its blocks are charged to it; it must outlive the arena; may be NULL */
  bool starved;           /* the system or the budget refused a block; `limit` did not */
} BideArena;

/*
** Makes an empty arena, which has allocated nothing yet. `limit` is in bytes; 0 is
** unlimited. The arena has no budget; the caller may set one while the arena is empty.
*/
void bide_arena_init(BideArena *arena, size_t limit);

/*
** Makes an arena of the `size` bytes at `block`, which must be aligned. It never grows and
** owns nothing, so it need not be freed.
*/
void bide_arena_init_within(BideArena *arena, char *block, size_t size);

#define BIDE_ARENA_ALIGNMENT ((size_t)16)

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define BIDE_ARENA_GUARDED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define BIDE_ARENA_GUARDED
#endif

/*
** Allocates when the newest block is full, and always where an arena has gaps; only
** bide_arena_alloc calls it.
*/
void *bide_arena_alloc_block(BideArena *arena, size_t size);

/*
** Returns `size` bytes, aligned to 16 and not zeroed, or NULL if memory is exhausted or the
** limit or the budget would be exceeded. A size of 0 gives a valid pointer. The function is
** inline so that the common case costs its caller a few instructions.
*/
static inline void *bide_arena_alloc(BideArena *arena, size_t size) {
#ifdef BIDE_ARENA_GUARDED
  return bide_arena_alloc_block(arena, size);
#else
  size_t rounded = (size + BIDE_ARENA_ALIGNMENT - 1) & ~(BIDE_ARENA_ALIGNMENT - 1);
  char *result = arena->next;
  if (rounded == 0 || (size_t)(arena->end - result) < rounded)
    return bide_arena_alloc_block(arena, size);
  arena->next = result + rounded;
  return result;
#endif
}

/* Copies `length` bytes and appends a NUL. Returns NULL as bide_arena_alloc does. */
char *bide_arena_copy(BideArena *arena, const char *bytes, size_t length);

/*
** Discards everything that was allocated. Several blocks are replaced by one of their total
** size, so that the same work, done again, allocates nothing.
*/
void bide_arena_reset(BideArena *arena);

/* Frees all blocks. The arena is then empty and may be used again. */
void bide_arena_free(BideArena *arena);

#endif
