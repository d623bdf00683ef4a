/*
** bide.core.schedule: what schedules cost, and when waits ended. Annotated in
** lua/bide/meta/schedule.lua.
*/
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>

#include "host/api/modules.h"
#include "host/api/wait_definition.h"
#include "host/class.h"
#include "host/failure.h"
#include "wait/schedule.h"

static const BideClass ends_class = {"bide.ends"};

/* The longest time, in milliseconds: sums of a few of them do not overflow. */
#define LONGEST INT64_C(1000000000000000)

#define MOST_ENDS 10000000
#define MOST_STREAMS 100000

/* The seed of the streams: all schedules have the same ones. */
#define SEED 1

/* ---- schedules ----------------------------------------------------------------- */

/* Returns a member that is a whole number of milliseconds; 0 if it is absent. */
static int64_t time_of(lua_State *L, int index, const char *name) {
  lua_Integer time = 0;
  if (lua_getfield(L, index, name) != LUA_TNIL) {
    luaL_argcheck(L, lua_isinteger(L, -1), index, name);
    time = lua_tointeger(L, -1);
  }
  luaL_argcheck(L, time >= 0 && time <= LONGEST, index, name);
  lua_pop(L, 1);
  return time;
}

/* Reads bide.Limits that have a `latency` as well. */
static BideSchedule check_schedule(lua_State *L, int index) {
  BideSchedule schedule = {.limits = bide_wait_definition_check_limits(L, index)};
  schedule.initial_delay = time_of(L, index, "initial_delay");
  schedule.latency = time_of(L, index, "latency");
  luaL_argcheck(L, schedule.limits.max_wait <= LONGEST, index, "max_wait is too long");
  luaL_argcheck(L, schedule.limits.backoff.max_delay <= LONGEST, index, "max_delay is too long");
  return schedule;
}

static int check_streams(lua_State *L, int index) {
  lua_Integer streams = luaL_checkinteger(L, index);
  luaL_argcheck(L, streams >= 1 && streams <= MOST_STREAMS, index, "is out of range");
  return (int)streams;
}

/* schedule.alone(limits, streams) -> polls, lateness */
static int alone(lua_State *L) {
  BideSchedule schedule = check_schedule(L, 1);
  BideScheduleFigures figures = bide_schedule_alone(&schedule, SEED, check_streams(L, 2));
  lua_pushnumber(L, figures.polls);
  lua_pushnumber(L, figures.lateness);
  return 2;
}

/* ---- ends ------------------------------------------------------------------------ */

static BideEnds *check_ends(lua_State *L) {
  BideEnds *ends = bide_class_check(L, 1, &ends_class);
  luaL_argcheck(L, ends->count > 0, 1, "is closed");
  return ends;
}

/* Reads `count` ends from the tables at 1 and 2 into the memory on top of the stack. */
static void read_ends(lua_State *L, BideEnd *list, lua_Integer count) {
  for (lua_Integer i = 1; i <= count; i++) {
    BideEnd *end = &list[i - 1];
    lua_rawgeti(L, 1, i);
    end->after = luaL_checkinteger(L, -1);
    *end = (BideEnd){end->after, BIDE_ENDS_UNSEEN};
    if (lua_rawgeti(L, 2, i) != LUA_TBOOLEAN)
      end->until = luaL_checkinteger(L, -1);
    luaL_argcheck(L, end->after >= BIDE_ENDS_BEFORE && end->after <= LONGEST, 1, "a time is wrong");
    luaL_argcheck(L, end->until == BIDE_ENDS_UNSEEN || end->until <= LONGEST, 2, "a time is wrong");
    luaL_argcheck(L, end->after < end->until, 2, "an end is until a time that is not later");
    lua_pop(L, 2);
  }
}

/* schedule.ends(after, until) -> ends; lists of milliseconds; false is an end that was not seen */
static int new_ends(lua_State *L) {
  lua_Integer count;
  BideEnds *ends;
  BideEnd *list;
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  count = (lua_Integer)lua_rawlen(L, 1);
  luaL_argcheck(L, count >= 1 && count <= MOST_ENDS, 1, "has too few or too many ends");
  ends = lua_newuserdatauv(L, sizeof *ends, 0);
  *ends = (BideEnds){0};
  bide_class_set(L, &ends_class);
  list = lua_newuserdatauv(L, (size_t)count * sizeof *list, 0); /* after until ends list */
  read_ends(L, list, count);
  if (!bide_ends_init(ends, list, (size_t)count)) {
    bide_ends_free(ends);
    return bide_failure_no_memory(L);
  }
  lua_settop(L, 3);
  return 1;
}

/* ends:resample(seed) */
static int resample(lua_State *L) {
  BideEnds *ends = check_ends(L);
  BideRandom random;
  bide_random_seed(&random, (uint64_t)luaL_checkinteger(L, 2));
  bide_ends_resample(ends, &random);
  return 0;
}

/* Adds { after, until | false, mass } to the list at 2. */
static void add_interval(lua_State *L, int64_t after, int64_t until, double mass) {
  lua_createtable(L, 3, 0); /* ends list interval */
  lua_pushinteger(L, after);
  lua_rawseti(L, -2, 1);
  if (until == BIDE_ENDS_UNSEEN)
    lua_pushboolean(L, false);
  else
    lua_pushinteger(L, until);
  lua_rawseti(L, -2, 2);
  lua_pushnumber(L, mass);
  lua_rawseti(L, -2, 3);
  lua_rawseti(L, 2, (lua_Integer)lua_rawlen(L, 2) + 1);
}

/* ends:pieces() -> { { after, until | false, mass }, … }, excess */
static int pieces(lua_State *L) {
  BideEnds *ends = check_ends(L);
  lua_settop(L, 1);
  lua_createtable(L, (int)ends->piece_count, 0);
  for (size_t i = 0; i < ends->piece_count; i++)
    add_interval(L, ends->pieces[i].after, ends->pieces[i].until, ends->pieces[i].mass);
  lua_pushnumber(L, ends->excess);
  return 2;
}

/* ends:places() -> { { after, until | false, mass }, … } */
static int places(lua_State *L) {
  BideEnds *ends = check_ends(L);
  lua_settop(L, 1);
  lua_createtable(L, (int)ends->place_count, 0);
  for (size_t i = 0; i < ends->place_count; i++)
    add_interval(L, ends->places[i].after, ends->places[i].until, ends->places[i].mass);
  return 1;
}

/* ends:figures(limits, streams [, most]) -> lateness, polls, found */
static int figures(lua_State *L) {
  BideEnds *ends = check_ends(L);
  BideSchedule schedule = check_schedule(L, 2);
  BideScheduleFigures result = bide_schedule_against(&schedule, ends, SEED, check_streams(L, 3),
                                                     luaL_optnumber(L, 4, INFINITY));
  lua_pushnumber(L, result.lateness);
  lua_pushnumber(L, result.polls);
  lua_pushnumber(L, result.found);
  return 3;
}

static int collect(lua_State *L) {
  bide_ends_free(bide_class_check(L, 1, &ends_class));
  return 0;
}

static const luaL_Reg methods[] = {
  {"resample", resample}, {"pieces", pieces}, {"places", places},
  {"figures", figures},   {"__gc", collect},  {NULL, NULL},
};

const luaL_Reg bide_functions_schedule[] = {{"alone", alone}, {"ends", new_ends}, {NULL, NULL}};

void bide_define_schedule(lua_State *L) {
  bide_class_define(L, &ends_class, methods);
}
