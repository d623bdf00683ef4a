/* bide.core.limiter: the token bucket. Annotated in lua/bide/meta/limiter.lua. */
#include <lauxlib.h>

#include "base/clock.h"
#include "host/api/modules.h"
#include "host/class.h"
#include "wait/limiter.h"

static const BideClass bucket_class = {"bide.bucket"};

static int64_t option(lua_State *L, const char *name, int64_t otherwise) {
  int64_t value = otherwise;
  int is_integer = 1;
  if (lua_getfield(L, 2, name) != LUA_TNIL)
    value = lua_tointegerx(L, -1, &is_integer);
  if (!is_integer)
    luaL_error(L, "%s: expected a whole number", name);
  lua_pop(L, 1);
  return value;
}

static int64_t position(lua_State *L, int place) {
  int64_t value;
  int is_integer;
  lua_geti(L, 1, place);
  value = lua_tointegerx(L, -1, &is_integer);
  if (!is_integer)
    luaL_error(L, "a bucket must be nil or { tokens, milliseconds }");
  lua_pop(L, 1);
  return value;
}

static void set(lua_State *L, const char *name, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static void push_bucket(lua_State *L, const BideLimiter *limiter) {
  lua_createtable(L, 2, 0); /* bucket */
  lua_pushinteger(L, limiter->tokens_after_paid);
  lua_seti(L, -2, 1);
  lua_pushinteger(L, limiter->updated_at);
  lua_seti(L, -2, 2);
}

static void push_limiter(lua_State *L, const BideRate *rate, const BideLimiter *limiter) {
  lua_createtable(L, 0, 15);
  set(L, "refillRate", rate->refill_rate);
  set(L, "interval", rate->interval);
  set(L, "burstLimit", rate->burst_limit);
  set(L, "cost", rate->cost);
  set(L, "checkedAt", limiter->checked_at);
  if (limiter->created) {
    set(L, "createdAt", limiter->checked_at);
  } else {
    set(L, "previousUpdatedAt", limiter->previous_updated_at);
    set(L, "previousTokens", limiter->previous_tokens);
  }
  set(L, "updatedAt", limiter->updated_at);
  set(L, "nextRefillAt", limiter->next_refill_at);
  set(L, "msUntilNextRefill", limiter->ms_until_next_refill);
  set(L, "refilledTokens", limiter->refilled_tokens);
  set(L, "tokensAfterRefill", limiter->tokens_after_refill);
  set(L, "paidTokens", limiter->paid_tokens);
  set(L, "tokensAfterPaid", limiter->tokens_after_paid);
}

/* limiter.check(bucket | nil, options) -> allowed, bucket, limiter */
static int check(lua_State *L) {
  BideBucket bucket, *given = NULL;
  BideLimiter limiter;
  BideError error;
  BideRate rate;
  int64_t now;
  luaL_checktype(L, 2, LUA_TTABLE);
  rate.refill_rate = option(L, "refillRate", 1);
  rate.interval = option(L, "interval", 1000);
  rate.burst_limit = option(L, "burstLimit", rate.refill_rate);
  rate.cost = option(L, "cost", 1);
  now = option(L, "now", bide_clock_wall());
  if (!lua_isnil(L, 1)) {
    luaL_checktype(L, 1, LUA_TTABLE);
    bucket = (BideBucket){position(L, 1), position(L, 2)};
    given = &bucket;
  }
  if (!bide_limiter_check(given, &rate, now, &limiter, &error))
    return luaL_error(L, "%s", error.message);
  lua_pushboolean(L, limiter.allowed);
  push_bucket(L, &limiter);
  push_limiter(L, &rate, &limiter); /* … allowed bucket limiter */
  return 3;
}

/* A bucket in C, with its rate. */
typedef struct OwnedBucket {
  BideBucket bucket;
  BideRate rate;
} OwnedBucket;

/* limiter.bucket(refillRate, interval, burstLimit, now) -> bucket, full */
static int new_bucket(lua_State *L) {
  BideRate rate = {luaL_checkinteger(L, 1), luaL_checkinteger(L, 2), luaL_checkinteger(L, 3), 1};
  int64_t now = luaL_checkinteger(L, 4);
  OwnedBucket *owned;
  luaL_argcheck(L, rate.refill_rate >= 1, 1, "must be at least 1");
  luaL_argcheck(L, rate.interval >= 1, 2, "must be at least 1");
  luaL_argcheck(L, rate.burst_limit >= 1, 3, "must be at least 1");
  owned = lua_newuserdatauv(L, sizeof *owned, 0);
  *owned = (OwnedBucket){{rate.burst_limit, now}, rate};
  bide_class_set(L, &bucket_class);
  return 1;
}

/* bucket:take(now) -> true | false, the time of the next try */
static int take(lua_State *L) {
  OwnedBucket *owned = bide_class_check(L, 1, &bucket_class);
  int64_t next_at = 0;
  bool taken = bide_limiter_take(&owned->bucket, &owned->rate, luaL_checkinteger(L, 2), &next_at);
  lua_pushboolean(L, taken);
  if (taken)
    return 1;
  lua_pushinteger(L, next_at);
  return 2;
}

static const luaL_Reg methods[] = {{"take", take}, {NULL, NULL}};

static const luaL_Reg functions[] = {{"check", check}, {"bucket", new_bucket}, {NULL, NULL}};

int bide_open_limiter(lua_State *L) {
  bide_class_define(L, &bucket_class, NULL, methods);
  luaL_newlib(L, functions);
  return 1;
}
