/*
** An arena: memory that is given out in pieces and taken back at once. One
** arena serves one unit of work: a document, an expression, one observation.
** All that was allocated from it dies with bide_arena_reset or _free.
*/
#ifndef BIDE_BASE_ARENA_H
#define BIDE_BASE_ARENA_H

#include <stddef.h>

typedef struct BideArenaBlock BideArenaBlock;

typedef struct BideArena {
  BideArenaBlock *blocks; /* the newest first */
  char *next;             /* the first free byte of the newest block */
  char *end;              /* one past its last byte */
  size_t used;            /* bytes of all blocks */
  size_t limit;           /* the most that `used` may become; 0 is no limit */
} BideArena;

/* Makes an empty arena; allocates nothing yet. `limit` is in bytes, 0 for none. */
void bide_arena_init(BideArena *arena, size_t limit);

/*
** Returns `size` bytes, aligned to 16, not zeroed; NULL when memory is out or
** the limit would be passed. A size of 0 returns a valid pointer.
*/
void *bide_arena_alloc(BideArena *arena, size_t size);

/* A copy of `length` bytes with a NUL behind them; NULL as above. */
char *bide_arena_copy(BideArena *arena, const char *bytes, size_t length);

/* Forgets all that was allocated; keeps the largest block warm for the next use. */
void bide_arena_reset(BideArena *arena);

/* Gives everything back. The arena is empty then, and may be used again. */
void bide_arena_free(BideArena *arena);

#endif
