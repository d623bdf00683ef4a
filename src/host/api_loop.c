/* bide.core.loop: time, alarms and signals. Annotated in lua/bide/meta/loop.lua. */
#include <lauxlib.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "host/api.h"
#include "host/host.h"
#include "host/waker.h"

#define ALARM "bide.alarm"

/* What an alarm's userdata keeps: whom it calls, and with what. */
enum { TARGET = 1, ARGUMENT };

typedef struct Alarm {
  BideTimer timer; /* first, so that a timer is its alarm */
  BideHost *host;
  BideWaker *waker; /* the target, where that is a waker: it is fired without Lua */
} Alarm;

static Alarm *check_alarm(lua_State *L) {
  return luaL_checkudata(L, 1, ALARM);
}

/* A running alarm is kept by the registry, a stopped one by whoever holds it. */
static void keep_alarm(lua_State *L, Alarm *alarm, bool keep) {
  if (keep)
    lua_pushvalue(L, 1);
  else
    lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, alarm);
}

static int ring(lua_State *L) {
  Alarm *alarm = lua_touserdata(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, alarm);
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, alarm);
  if (alarm->waker != NULL) {
    bide_waker_fire(alarm->waker);
    return 0;
  }
  lua_getiuservalue(L, 2, TARGET);
  lua_getiuservalue(L, 2, ARGUMENT);
  lua_call(L, 1, 0);
  return 0;
}

static void on_timer(BideTimer *timer) {
  Alarm *alarm = (Alarm *)(void *)timer;
  lua_State *L = bide_host_state(alarm->host);
  lua_pushcfunction(L, ring);
  lua_pushlightuserdata(L, alarm);
  bide_host_call(alarm->host, 1);
}

/* loop.alarm(waker | f, argument) -> alarm */
static int new_alarm(lua_State *L) {
  BideWaker *waker = bide_waker_test(L, 1);
  Alarm *alarm;
  if (waker == NULL)
    luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 2);
  alarm = lua_newuserdatauv(L, sizeof *alarm, ARGUMENT);
  memset(alarm, 0, sizeof *alarm);
  alarm->host = bide_host_of(L);
  alarm->waker = waker;
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, 3, TARGET);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, 3, ARGUMENT);
  luaL_setmetatable(L, ALARM);
  return 1;
}

/* alarm:start(at) */
static int start_alarm(lua_State *L) {
  Alarm *alarm = check_alarm(L);
  lua_Integer at = luaL_checkinteger(L, 2);
  keep_alarm(L, alarm, true);
  if (!bide_loop_start_timer(bide_host_loop(alarm->host), &alarm->timer, at, on_timer))
    return luaL_error(L, "no memory for a timer");
  return 0;
}

/* alarm:stop(); also how an alarm is closed */
static int stop_alarm(lua_State *L) {
  Alarm *alarm = check_alarm(L);
  if (alarm->timer.place == 0)
    return 0;
  bide_loop_stop_timer(bide_host_loop(alarm->host), &alarm->timer);
  keep_alarm(L, alarm, false);
  return 0;
}

static BideLoop *loop_of(lua_State *L) {
  return bide_host_loop(bide_host_of(L));
}

/* loop.now() -> milliseconds, monotonic */
static int now(lua_State *L) {
  lua_pushinteger(L, bide_loop_now(loop_of(L)));
  return 1;
}

/* loop.update() -> milliseconds, the clock read anew */
static int update(lua_State *L) {
  bide_loop_update(loop_of(L));
  return now(L);
}

/* loop.wall() -> milliseconds since 1970, for timestamps */
static int wall(lua_State *L) {
  lua_pushinteger(L, bide_clock_wall());
  return 1;
}

/* loop.turn() -> false when nothing can happen any more */
static int turn(lua_State *L) {
  lua_pushboolean(L, bide_host_turn(L));
  return 1;
}

/* loop.use_virtual_clock() */
static int use_virtual_clock(lua_State *L) {
  bide_loop_use_virtual_clock(loop_of(L));
  return 0;
}

/* loop.timer_count() -> how many timers run */
static int timer_count(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)bide_loop_timer_count(loop_of(L)));
  return 1;
}

static const char signal_key = 0;

static int tell_signal(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &signal_key);
  lua_insert(L, 1);
  lua_call(L, 1, 0);
  return 0;
}

static void on_signal(void *context, int number) {
  BideHost *host = context;
  lua_State *L = bide_host_state(host);
  lua_pushcfunction(L, tell_signal);
  lua_pushinteger(L, number);
  bide_host_call(host, 1);
}

/* loop.watch_signals(f): f(number) is called for each SIGINT and SIGTERM */
static int watch_signals(lua_State *L) {
  BideHost *host = bide_host_of(L);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &signal_key);
  if (!bide_loop_watch_signal(bide_host_loop(host), SIGINT, on_signal, host) ||
      !bide_loop_watch_signal(bide_host_loop(host), SIGTERM, on_signal, host))
    return luaL_error(L, "the signals of this process are watched by another loop");
  return 0;
}

static const luaL_Reg alarm_methods[] = {{"start", start_alarm}, {"stop", stop_alarm}, {NULL, NULL}};

static const luaL_Reg functions[] = {
  {"now", now},
  {"update", update},
  {"wall", wall},
  {"turn", turn},
  {"alarm", new_alarm},
  {"use_virtual_clock", use_virtual_clock},
  {"timer_count", timer_count},
  {"watch_signals", watch_signals},
  {NULL, NULL}
};

int bide_open_loop(lua_State *L) {
  luaL_newmetatable(L, ALARM);
  luaL_newlib(L, alarm_methods);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, stop_alarm);
  lua_setfield(L, -2, "__close");
  luaL_newlib(L, functions);
  return 1;
}
