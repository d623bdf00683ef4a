/*
** What a C function fills before its result becomes a Lua string: a buffer that
** Lua collects, so that a Lua error on the way leaks nothing, and an arena for what
** is read from Lua. Both count on the state's budget.
*/
#ifndef BIDE_HOST_VALUES_SCRATCH_H
#define BIDE_HOST_VALUES_SCRATCH_H

#include <lua.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/export.h"

typedef struct BideScratch {
  BideBuffer buffer;
  BideArena arena;
} BideScratch;

/* Pushes a new one, which lives as long as it stays on the stack. */
BIDE_API BideScratch *bide_scratch_push(lua_State *L);

/* Pushes the buffer's text, and frees both; raises where the buffer has failed. */
BIDE_API void bide_scratch_push_text(lua_State *L, BideScratch *scratch);

#endif
