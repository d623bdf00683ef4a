/* bide.core.strategy: pauses between tries. Annotated in lua/bide/meta/strategy.lua. */
#include <lauxlib.h>
#include <math.h>

#include "host/api/modules.h"
#include "host/class.h"
#include "wait/strategy.h"

static const BideClass strategy_class = {"bide.strategy"};

/* One run of a strategy; a delay may depend on the previous one. */
typedef struct Run {
  BideStrategy strategy;
  BideRandom random;
  int64_t previous;
} Run;

/* In the order of BideStrategyKind. */
static const char *const kinds[] = {
  "exponential", "fullJitter", "equalJitter", "decorrelatedJitter", "randomBase", NULL,
};

static uint64_t seed_of(lua_State *L, int index) {
  uint64_t seed;
  if (!lua_isnoneornil(L, index))
    return (uint64_t)luaL_checkinteger(L, index);
  if (!bide_random_bytes(&seed, sizeof seed))
    luaL_error(L, "the system has no random bytes");
  return seed;
}

/* strategy.new(kind, base, cap, seed | nil, growth | nil) -> strategy */
static int new_strategy(lua_State *L) {
  BideStrategyKind kind = (BideStrategyKind)luaL_checkoption(L, 1, NULL, kinds);
  int64_t base = luaL_checkinteger(L, 2), cap = luaL_checkinteger(L, 3);
  uint64_t seed = seed_of(L, 4);
  double growth = luaL_optnumber(L, 5, 2);
  Run *run;
  luaL_argcheck(L, base >= 1, 2, "must be at least 1");
  luaL_argcheck(L, cap >= base, 3, "must be at least the base");
  luaL_argcheck(L, growth >= 1 && isfinite(growth), 5, "must be a finite number of at least 1");
  run = lua_newuserdatauv(L, sizeof *run, 0);
  run->strategy = (BideStrategy){kind, base, cap, growth};
  run->previous = 0;
  bide_random_seed(&run->random, seed);
  bide_class_set(L, &strategy_class);
  return 1;
}

/* strategy:delay(attempt) -> milliseconds */
static int delay(lua_State *L) {
  Run *run = bide_class_check(L, 1, &strategy_class);
  lua_Integer attempt = luaL_checkinteger(L, 2);
  luaL_argcheck(L, attempt >= 0, 2, "must be at least 0");
  run->previous = bide_strategy_delay(&run->strategy, (uint64_t)attempt, run->previous,
                                      &run->random);
  lua_pushinteger(L, run->previous);
  return 1;
}

static const luaL_Reg methods[] = {{"delay", delay}, {NULL, NULL}};

static const luaL_Reg functions[] = {{"new", new_strategy}, {NULL, NULL}};

int bide_open_strategy(lua_State *L) {
  bide_class_define(L, &strategy_class, NULL, methods);
  luaL_newlib(L, functions);
  return 1;
}
