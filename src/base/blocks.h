/*
** Memory for the objects of a Lua state. Most are small, and Lua knows the size of each, so that
** small blocks need no header and are cut from large pieces: that takes a fifth of the instructions
** of malloc, and 8 bytes less for each. For one thread.
*/
#ifndef BIDE_BASE_BLOCKS_H
#define BIDE_BASE_BLOCKS_H

#include <stddef.h>

/* The bytes of the largest block that is cut from a piece. A sanitizer is to see each block. */
#ifdef __SANITIZE_ADDRESS__
#define BIDE_BLOCKS_LARGEST 0
#else
#define BIDE_BLOCKS_LARGEST 512
#endif

#define BIDE_BLOCKS_UNIT 8 /* small blocks are multiples of it; Lua wants no larger alignment */

/* Begins as zeros. A small block that is given back is kept for others of its size. */
typedef struct BideBlocks {
  void *unused[BIDE_BLOCKS_LARGEST / BIDE_BLOCKS_UNIT + 1]; /* by units; each points to the next */
  char *next;                                               /* the first free byte of the piece */
  char *end;                                                /* one past its last byte */
} BideBlocks;

/* A lua_Alloc, with a BideBlocks as its context. Giving back a part of a block never fails. */
void *bide_blocks_allocate(void *context, void *block, size_t old_size, size_t size);

#endif
