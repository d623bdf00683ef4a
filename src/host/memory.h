/*
** The memory of a Lua state: what Lua allocates, and the documents and answers that C holds for
** it, counted on one budget. Counting Lua's memory costs a call for each allocation, so it begins
** only when a limit is set.
**
** An allocation by Lua beyond the limit fails as if the system had no memory: Lua collects its
** garbage, tries again, and then raises.
*/
#ifndef BIDE_HOST_MEMORY_H
#define BIDE_HOST_MEMORY_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/budget.h"
#include "base/export.h"

typedef struct BideMemory {
  BideBudget budget;
  lua_Alloc allocate; /* the state's own allocator, if ours is in its place; else NULL */
  void *context;
  void *refused_block;
  size_t refused_size;
  bool retry_is_due;    /* the next request repeats the refused one, after a collection */
  bool refused_earlier; /* another request had been refused before it */
  size_t collected;     /* the memory in use after the last collection for documents */
} BideMemory;

/* Returns the memory of this state's host, on which everything counts that C holds for scripts. */
BIDE_API BideMemory *bide_memory_of(lua_State *L);

/*
** Sets the limit, in bytes. Returns false, and sets no limit, if less than `least` would be left
** of it. `memory` must stay valid until bide_memory_release.
*/
bool bide_memory_limit(lua_State *L, BideMemory *memory, size_t limit, size_t least);

/* Returns the bytes that Lua, documents and answers take now, garbage included. */
size_t bide_memory_used(lua_State *L, const BideMemory *memory);

/* Restores the state's own allocator. Accepts a memory without a limit. */
void bide_memory_release(lua_State *L, BideMemory *memory);

/*
** Collects garbage if the memory in use is halfway between that after the last collection and the
** limit: Lua does not know the size of documents, and would keep dead ones for long.
*/
void bide_memory_make_room(lua_State *L, BideMemory *memory);

#endif
