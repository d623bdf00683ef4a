/* bide.core.loop: time, alarms and signals. Annotated in lua/bide/meta/loop.lua. */
#include <lauxlib.h>
#include <signal.h>

#include "host/alarm.h"
#include "host/api/modules.h"
#include "host/class.h"
#include "host/host.h"
#include "host/interrupt.h"

static const BideClass alarm_class = {"bide.alarm"};

#define LONGEST_TIME INT64_C(1000000000000000) /* milliseconds, some 30,000 years */

/* loop.alarm(waker | f, argument) -> alarm */
static int new_alarm(lua_State *L) {
  if (bide_waker_test(L, 1) == NULL)
    luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_newuserdatauv(L, sizeof(BideAlarm), BIDE_ALARM_VALUES);
  bide_alarm_init(L, 1, 2);
  bide_class_set(L, &alarm_class);
  return 1;
}

/* alarm:start(at) */
static int start_alarm(lua_State *L) {
  bide_class_check(L, 1, &alarm_class);
  bide_alarm_start(L, 1, luaL_checkinteger(L, 2));
  return 0;
}

/* alarm:stop(), and closing an alarm */
static int stop_alarm(lua_State *L) {
  bide_class_check(L, 1, &alarm_class);
  bide_alarm_stop(L, 1);
  return 0;
}

/* The finalizer of an alarm, which does not run: the registry keeps one that does. */
static int collect_alarm(lua_State *L) {
  bide_alarm_free(L, bide_class_check(L, 1, &alarm_class));
  return 0;
}

static BideLoop *loop_of(lua_State *L) {
  return bide_host_loop(bide_host_check(L));
}

/* loop.now() -> milliseconds, monotonic */
static int now(lua_State *L) {
  lua_pushinteger(L, bide_loop_now(loop_of(L)));
  return 1;
}

/* loop.update() -> milliseconds; reads the clock again */
static int update(lua_State *L) {
  bide_loop_update(loop_of(L));
  return now(L);
}

/* loop.after(milliseconds) -> the first time by which they have passed */
static int after(lua_State *L) {
  lua_Integer milliseconds = luaL_checkinteger(L, 1);
  luaL_argcheck(L, milliseconds >= 0 && milliseconds <= LONGEST_TIME, 1, "out of range");
  lua_pushinteger(L, bide_loop_after(loop_of(L), milliseconds));
  return 1;
}

/* loop.wall() -> milliseconds since 1970, for timestamps */
static int wall(lua_State *L) {
  lua_pushinteger(L, bide_loop_wall(loop_of(L)));
  return 1;
}

/* loop.settle(): completes the closing of handles, outside of any turn */
static int settle(lua_State *L) {
  bide_host_settle(L);
  return 0;
}

/* loop.turn() -> false if nothing can happen any more */
static int turn(lua_State *L) {
  lua_pushboolean(L, bide_host_turn(L));
  return 1;
}

/* loop.culprit() -> the callback of luv that raised the error of the last failed turn | nil */
static int culprit(lua_State *L) {
  bide_host_push_culprit(L);
  return 1;
}

/* loop.use_virtual_clock() */
static int use_virtual_clock(lua_State *L) {
  bide_loop_use_virtual_clock(loop_of(L));
  return 0;
}

/* loop.timer_count() -> the number of running timers */
static int timer_count(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)bide_loop_timer_count(loop_of(L)));
  return 1;
}

/* loop.handle_count() -> the number of open handles of libuv */
static int handle_count(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)bide_loop_handle_count(loop_of(L)));
  return 1;
}

static const char signal_key = 0;

static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static int report_signal(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &signal_key);
  lua_insert(L, 1);
  lua_call(L, 2, 0);
  return 0;
}

static void on_signal(void *context, int number, bool by_kernel) {
  BideHost *host = context;
  lua_State *L = bide_host_state(host);
  lua_pushcfunction(L, report_signal);
  lua_pushinteger(L, number);
  lua_pushboolean(L, by_kernel);
  bide_host_call(host, 2);
}

/*
** loop.watch_signals(f): calls f(number, by_kernel) for each SIGINT, SIGTERM, SIGHUP and SIGQUIT
** that the process does not ignore
*/
static int watch_signals(lua_State *L) {
  BideHost *host = bide_host_check(L);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &signal_key);
  bide_signals_interrupt(bide_interrupt_now);
  for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
    if (!bide_signals_watch(bide_loop_signals(bide_host_loop(host)), watched[i], on_signal, host))
      return luaL_error(L, "another loop watches the signals of this process");
  return 0;
}

static int push_signal(lua_State *L, int number) {
  if (number == 0)
    return 0;
  lua_pushinteger(L, number);
  return 1;
}

/* loop.signal() -> the signal that came, handled or not | nil */
static int last_signal(lua_State *L) {
  int pending = bide_signals_pending();
  return push_signal(L, pending != 0 ? pending : bide_signals_handled());
}

/* loop.release_signals() -> the signal that came | nil */
static int release_signals(lua_State *L) {
  return push_signal(L, bide_signals_release());
}

static const luaL_Reg alarm_methods[] = {
  {"start", start_alarm},  {"stop", stop_alarm}, {"__close", stop_alarm},
  {"__gc", collect_alarm}, {NULL, NULL},
};

const luaL_Reg bide_functions_loop[] = {
  {"now", now},
  {"update", update},
  {"after", after},
  {"wall", wall},
  {"settle", settle},
  {"turn", turn},
  {"culprit", culprit},
  {"alarm", new_alarm},
  {"use_virtual_clock", use_virtual_clock},
  {"timer_count", timer_count},
  {"handle_count", handle_count},
  {"watch_signals", watch_signals},
  {"signal", last_signal},
  {"release_signals", release_signals},
  {NULL, NULL},
};

void bide_define_loop(lua_State *L) {
  bide_class_define(L, &alarm_class, alarm_methods);
}
