#include "host/alarm.h"

#include <lauxlib.h>
#include <stddef.h>
#include <string.h>

#include "host/failure.h"

/*
** An alarm keeps its place in the registry from its first start on, since most ring many times. The
** place has the userdata while the alarm runs, else false.
*/
static void keep(lua_State *L, int index, BideAlarm *alarm) {
  lua_pushvalue(L, index);
  if (alarm->slot == 0)
    alarm->slot = luaL_ref(L, LUA_REGISTRYINDEX);
  else
    lua_rawseti(L, LUA_REGISTRYINDEX, alarm->slot);
}

static void release(lua_State *L, const BideAlarm *alarm) {
  lua_pushboolean(L, false);
  lua_rawseti(L, LUA_REGISTRYINDEX, alarm->slot);
}

void bide_alarm_free(lua_State *L, BideAlarm *alarm) {
  if (alarm->slot != 0)
    luaL_unref(L, LUA_REGISTRYINDEX, alarm->slot);
  alarm->slot = 0;
}

static int ring(lua_State *L) {
  BideAlarm *alarm = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, alarm->slot); /* pointer userdata */
  release(L, alarm);
  if (lua_getiuservalue(L, 2, BIDE_ALARM_TARGET) == LUA_TUSERDATA) {
    if (alarm->fires_waker) {
      bide_waker_fire(lua_touserdata(L, -1));
      return 0;
    }
    lua_getiuservalue(L, -1, BIDE_ALARM_SHARED);
    lua_replace(L, -2);
  }
  lua_getiuservalue(L, 2, BIDE_ALARM_ARGUMENT); /* pointer userdata function argument */
  lua_call(L, 1, 0);
  bide_tasks_run_first(L, bide_host_tasks(alarm->host));
  return 0;
}

_Static_assert(offsetof(BideAlarm, timer) == 0, "the timer is at the address of its alarm");

static void on_timer(BideTimer *timer) {
  BideAlarm *alarm = (BideAlarm *)(void *)timer;
  lua_State *L = bide_host_state(alarm->host);
  lua_pushcfunction(L, ring);
  lua_pushlightuserdata(L, alarm);
  bide_host_call(alarm->host, 1);
  bide_tasks_run_ready(bide_host_tasks(alarm->host));
}

void bide_alarm_init(lua_State *L, int target, int argument) {
  BideAlarm *alarm = lua_touserdata(L, -1);
  memset(alarm, 0, sizeof *alarm);
  alarm->host = bide_host_of(L);
  alarm->fires_waker = bide_waker_test(L, target) != NULL;
  lua_pushvalue(L, target);
  lua_setiuservalue(L, -2, BIDE_ALARM_TARGET);
  lua_pushvalue(L, argument);
  lua_setiuservalue(L, -2, BIDE_ALARM_ARGUMENT);
}

void bide_alarm_start(lua_State *L, int index, int64_t at) {
  BideAlarm *alarm = lua_touserdata(L, index);
  BideLoop *loop = bide_host_loop(alarm->host);
  if (loop == NULL)
    luaL_error(L, "bide: the host is closed");
  keep(L, index, alarm);
  if (bide_loop_start_timer(loop, &alarm->timer, at, on_timer))
    return;
  release(L, alarm);
  bide_failure_no_memory(L);
}

void bide_alarm_stop(lua_State *L, int index) {
  BideAlarm *alarm = lua_touserdata(L, index);
  BideLoop *loop = bide_host_loop(alarm->host);
  if (alarm->timer.place == 0 || loop == NULL)
    return;
  bide_loop_stop_timer(loop, &alarm->timer);
  release(L, alarm);
}
