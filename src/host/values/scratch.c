#include "host/values/scratch.h"

#include <lauxlib.h>

#include "host/failure.h"
#include "host/memory.h"

#define SCRATCH "bide.scratch"

static int scratch_close(lua_State *L) {
  BideScratch *scratch = luaL_checkudata(L, 1, SCRATCH);
  bide_buffer_free(&scratch->buffer);
  bide_arena_free(&scratch->arena);
  return 0;
}

BideScratch *bide_scratch_push(lua_State *L) {
  BideScratch *scratch = lua_newuserdatauv(L, sizeof *scratch, 0);
  bide_buffer_init(&scratch->buffer, 0);
  bide_arena_init(&scratch->arena, 0);
  scratch->buffer.budget = scratch->arena.budget = &bide_memory_of(L)->budget;
  if (luaL_newmetatable(L, SCRATCH)) {
    lua_pushcfunction(L, scratch_close);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return scratch;
}

void bide_scratch_push_text(lua_State *L, BideScratch *scratch) {
  if (scratch->buffer.failed)
    bide_failure_no_memory(L);
  lua_pushlstring(L, scratch->buffer.bytes, scratch->buffer.length);
  bide_buffer_free(&scratch->buffer);
  bide_arena_free(&scratch->arena);
}
