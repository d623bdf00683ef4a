/*
** The memory of a Lua state: what Lua allocates, and the documents and answers
** that C holds for it, on one budget. Counting Lua's costs a call for each
** allocation, so it begins only where a limit is set.
**
** An allocation of Lua's that goes beyond the limit fails as if the system had no
** memory: Lua collects its garbage and tries again, and then raises.
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
  lua_Alloc allocate; /* the state's own allocator, while ours stands before it; else NULL */
  void *context;
  void *refused_block;
  size_t refused_size;
  bool retry_is_due;    /* what was refused last is what Lua asks for next, after a collection */
  bool refused_earlier; /* whether something else had been refused before it */
  size_t collected;     /* what was used after the last collection for documents */
} BideMemory;

/* That of the host of this state: what all that C holds for its scripts counts on. */
BIDE_API BideMemory *bide_memory_of(lua_State *L);

/*
** Sets the limit, in bytes. Returns false, and sets none, where less than `least`
** would be left of it. `memory` outlives this until bide_memory_release.
*/
bool bide_memory_limit(lua_State *L, BideMemory *memory, size_t limit, size_t least);

/* Gives the state its own allocator back. Accepts a memory without a limit. */
void bide_memory_release(lua_State *L, BideMemory *memory);

/*
** Collects garbage where what is used has come halfway from the last collection
** to the limit: Lua knows nothing of the size of documents, and would keep dead ones.
*/
void bide_memory_make_room(lua_State *L, BideMemory *memory);

#endif
