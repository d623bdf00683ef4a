#include "host/values/scratch.h"

#include <lauxlib.h>

#include "host/class.h"
#include "host/failure.h"
#include "host/memory.h"

static const BideClass scratch_class = {"bide.scratch"};

static const char spare_key = 0;

/* Frees what a scratch holds. One that is finalized stays taken: nothing would free it again. */
static int collect_scratch(lua_State *L) {
  BideScratch *scratch = bide_class_check(L, 1, &scratch_class);
  bide_scratch_free(scratch);
  scratch->is_taken = true;
  return 0;
}

static BideScratch *push_new(lua_State *L) {
  BideScratch *scratch = lua_newuserdatauv(L, sizeof *scratch, 0);
  bide_buffer_init(&scratch->buffer, 0);
  bide_arena_init(&scratch->arena, 0);
  scratch->buffer.budget = scratch->arena.budget = &bide_memory_of(L)->budget;
  if (bide_class_push(L, &scratch_class)) { /* scratch metatable */
    lua_pushcfunction(L, collect_scratch);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &spare_key);
  return scratch;
}

BideScratch *bide_scratch_push(lua_State *L) {
  BideScratch *scratch = NULL;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &spare_key) == LUA_TUSERDATA)
    scratch = lua_touserdata(L, -1);
  if (scratch == NULL || scratch->is_taken) {
    lua_pop(L, 1);
    scratch = push_new(L);
  }
  scratch->is_taken = true;
  return scratch;
}

void bide_scratch_free(BideScratch *scratch) {
  bide_buffer_free(&scratch->buffer);
  bide_arena_free(&scratch->arena);
  scratch->is_taken = false;
}

void bide_scratch_push_text(lua_State *L, BideScratch *scratch) {
  if (scratch->buffer.failed)
    bide_failure_no_memory(L);
  lua_pushlstring(L, scratch->buffer.bytes, scratch->buffer.length);
  bide_scratch_free(scratch);
}
