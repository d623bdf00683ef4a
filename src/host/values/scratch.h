/*
** The scratch memory of a C function: a buffer for a result that becomes a Lua string, and an
** arena for what is read from Lua. Lua collects both, so a Lua error on the way leaks nothing.
** Both count on the state's budget. The one that was freed last is used again: a new one has a
** finalizer, which takes longer than most texts.
*/
#ifndef BIDE_HOST_VALUES_SCRATCH_H
#define BIDE_HOST_VALUES_SCRATCH_H

#include <lua.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/export.h"

typedef struct BideScratch {
  BideBuffer buffer;
  BideArena arena;
  bool is_taken; /* between push and free */
} BideScratch;

/* Pushes an empty scratch, which lives as long as it is on the stack. */
BIDE_API BideScratch *bide_scratch_push(lua_State *L);

/* Frees both, after which another caller may have the scratch. Without it Lua does so, later. */
BIDE_API void bide_scratch_free(BideScratch *scratch);

/* Pushes the buffer's text and frees the scratch. Raises if the buffer has failed. */
BIDE_API void bide_scratch_push_text(lua_State *L, BideScratch *scratch);

#endif
