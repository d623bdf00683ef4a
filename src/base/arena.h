/*
** An arena: memory that is given out in pieces and taken back at once. One
** arena serves one unit of work: a document, an expression, one observation.
** All that was allocated from it dies with bide_arena_reset or _free.
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
  size_t limit;           /* the most that `used` may become; 0 is no limit */
  BideBudget *budget;     /* what its blocks count on, and outlives it; NULL is none */
  bool starved;           /* the system or the budget had no more; the limit is no such reason */
} BideArena;

/*
** Makes an empty arena; allocates nothing yet. `limit` is in bytes, 0 for none. It
** has no budget; one may be set as long as the arena is empty.
*/
void bide_arena_init(BideArena *arena, size_t limit);

/*
** Makes an arena of `size` bytes at `block`, which must be aligned, and never of
** more. It owns nothing, so that it need not be freed.
*/
void bide_arena_init_within(BideArena *arena, char *block, size_t size);

#define BIDE_ARENA_ALIGNMENT ((size_t)16)

/* What bide_arena_alloc does when the newest block is full; nobody else calls it. */
void *bide_arena_alloc_block(BideArena *arena, size_t size);

/*
** Returns `size` bytes, aligned to 16, not zeroed; NULL when memory is out or
** the limit or the budget would be passed. A size of 0 returns a valid pointer. It stands
** here so that the common case is a few instructions in its caller.
*/
static inline void *bide_arena_alloc(BideArena *arena, size_t size) {
  size_t rounded = (size + BIDE_ARENA_ALIGNMENT - 1) & ~(BIDE_ARENA_ALIGNMENT - 1);
  char *result = arena->next;
  if (rounded == 0 || (size_t)(arena->end - result) < rounded)
    return bide_arena_alloc_block(arena, size);
  arena->next = result + rounded;
  return result;
}

/* A copy of `length` bytes with a NUL behind them; NULL as above. */
char *bide_arena_copy(BideArena *arena, const char *bytes, size_t length);

/*
** Forgets all that was allocated. What was several blocks becomes one that is
** as large as they were, so that the same work, done again, allocates nothing.
*/
void bide_arena_reset(BideArena *arena);

/* Gives everything back. The arena is empty then, and may be used again. */
void bide_arena_free(BideArena *arena);

#endif
