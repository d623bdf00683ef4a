#include "host/waker.h"

#include "host/class.h"

static const BideClass waker_class = {"bide.waker"};

void bide_waker_fire(BideWaker *waker) {
  if (waker->fired)
    return;
  waker->fired = true;
  if (waker->task != NULL)
    bide_task_ready(waker->task);
}

BideWaker *bide_waker_test(lua_State *L, int index) {
  return bide_class_test(L, index, &waker_class);
}

BideWaker *bide_waker_check(lua_State *L, int index) {
  return bide_class_check(L, index, &waker_class);
}

/* waker(...): keeps the values for the task that is, or will be, paused on it. */
static int call_waker(lua_State *L) {
  BideWaker *waker = bide_waker_check(L, 1);
  int values = lua_gettop(L) - 1;
  if (waker->fired)
    return 0;
  if (values > BIDE_WAKER_VALUES)
    values = BIDE_WAKER_VALUES;
  lua_settop(L, values + 1);
  for (int i = values; i > 0; i--)
    lua_setiuservalue(L, 1, i);
  waker->values = values;
  bide_waker_fire(waker);
  return 0;
}

BideWaker *bide_waker_push(lua_State *L) {
  BideWaker *waker = lua_newuserdatauv(L, sizeof *waker, BIDE_WAKER_VALUES);
  waker->task = NULL;
  waker->fired = false;
  waker->values = 0;
  if (bide_class_push(L, &waker_class)) { /* waker metatable */
    lua_pushcfunction(L, call_waker);
    lua_setfield(L, -2, "__call");
  }
  lua_setmetatable(L, -2);
  return waker;
}
