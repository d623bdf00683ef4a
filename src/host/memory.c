#include "host/memory.h"

/*
** Takes `extra` bytes for a request of Lua. A refusal counts only if the same request is refused
** again: in between Lua has collected its garbage.
*/
static bool take(BideMemory *memory, void *block, size_t size, size_t extra) {
  bool is_retry = memory->retry_is_due && memory->refused_block == block &&
                  memory->refused_size == size;
  bool refused_before = memory->budget.refused;
  memory->retry_is_due = false;
  if (bide_budget_take(&memory->budget, extra)) {
    if (is_retry)
      memory->budget.refused = memory->refused_earlier;
    return true;
  }
  if (!is_retry)
    memory->refused_earlier = refused_before;
  memory->refused_block = block;
  memory->refused_size = size;
  memory->retry_is_due = !is_retry;
  return false;
}

static void *allocate(void *context, void *block, size_t old_size, size_t size) {
  BideMemory *memory = context;
  size_t held = block != NULL ? old_size : 0; /* for a new block `old_size` is the type of object */
  void *result;
  if (size > held && !take(memory, block, size, size - held))
    return NULL;
  result = memory->allocate(memory->context, block, old_size, size);
  if (result == NULL && size > held)
    bide_budget_give(&memory->budget, size - held);
  else if (size < held)
    bide_budget_give(&memory->budget, held - size);
  return result;
}

static size_t used_by_lua(lua_State *L) {
  return (size_t)lua_gc(L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(L, LUA_GCCOUNTB);
}

size_t bide_memory_used(lua_State *L, const BideMemory *memory) {
  return memory->budget.used + (memory->allocate == NULL ? used_by_lua(L) : 0);
}

bool bide_memory_limit(lua_State *L, BideMemory *memory, size_t limit, size_t least) {
  size_t used = bide_memory_used(L, memory);
  if (limit < used || limit - used < least)
    return false;
  if (memory->allocate == NULL) {
    memory->budget.used = used;
    memory->allocate = lua_getallocf(L, &memory->context);
    lua_setallocf(L, allocate, memory);
  }
  memory->budget.limit = limit;
  return true;
}

void bide_memory_release(lua_State *L, BideMemory *memory) {
  if (memory->allocate != NULL)
    lua_setallocf(L, memory->allocate, memory->context);
  memory->allocate = NULL;
  memory->budget.limit = 0;
}

void bide_memory_make_room(lua_State *L, BideMemory *memory) {
  const BideBudget *budget = &memory->budget;
  if (budget->limit == 0 || budget->limit <= memory->collected ||
      budget->used < memory->collected + (budget->limit - memory->collected) / 2)
    return;
  lua_gc(L, LUA_GCCOLLECT);
  memory->collected = budget->used;
}
