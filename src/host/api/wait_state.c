#include "host/api/wait_state.h"

#include <lauxlib.h>
#include <stddef.h>
#include <string.h>

#include "host/class.h"
#include "host/failure.h"

static const BideClass kind_class = {"bide.wait_kind"};
static const BideClass state_class = {"bide.wait"};

/* A worker claims at most half as many turns at a time. */
#define MOST_SPARES 1000

BideWaitKind *bide_wait_kind_check(lua_State *L) {
  return bide_class_check(L, 1, &kind_class);
}

BideWaitState *bide_wait_state_check(lua_State *L) {
  return bide_class_check(L, 1, &state_class);
}

const BideDefinition *bide_wait_state_definition(lua_State *L) {
  const BideWaitKind *kind;
  lua_getiuservalue(L, 1, BIDE_ALARM_TARGET);
  kind = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return kind->definition;
}

BideWaitKind *bide_wait_kind_push(lua_State *L, int definition, int ring) {
  BideWaitKind *kind = lua_newuserdatauv(L, sizeof *kind, BIDE_WAIT_KIND_VALUES);
  memset(kind, 0, sizeof *kind);
  kind->definition = lua_touserdata(L, definition);
  bide_class_set(L, &kind_class);
  lua_pushvalue(L, definition);
  lua_setiuservalue(L, -2, BIDE_WAIT_DEFINITION);
  lua_pushvalue(L, ring);
  lua_setiuservalue(L, -2, BIDE_WAIT_RING);
  return kind;
}

/* Pushes a state that was given back, with its alarm and nothing else; NULL if there is none. */
static BideWaitState *push_spare(lua_State *L, int kind, int argument) {
  BideWaitKind *of = lua_touserdata(L, kind);
  BideWaitState *state;
  if (of->spares == 0)
    return NULL;
  lua_getiuservalue(L, kind, BIDE_WAIT_SPARE);
  state = lua_touserdata(L, -1);
  lua_getiuservalue(L, -1, BIDE_WAIT_CALL);
  lua_setiuservalue(L, kind, BIDE_WAIT_SPARE);
  of->spares--;
  memset((char *)state + sizeof state->alarm, 0, sizeof *state - sizeof state->alarm);
  lua_pushvalue(L, argument);
  lua_setiuservalue(L, -2, BIDE_ALARM_ARGUMENT);
  return state;
}

BideWaitState *bide_wait_state_push(lua_State *L, int kind, int argument) {
  BideWaitState *state = push_spare(L, kind, argument);
  if (state == NULL) {
    state = lua_newuserdatauv(L, sizeof *state, BIDE_WAIT_VALUES);
    memset(state, 0, sizeof *state);
    bide_class_set(L, &state_class);
    bide_alarm_init(L, kind, argument);
  }
  lua_pushvalue(L, argument + 1);
  lua_setiuservalue(L, -2, BIDE_WAIT_CALL);
  return state;
}

void bide_wait_state_give_back(lua_State *L, BideWaitState *state) {
  BideWaitKind *kind;
  lua_getiuservalue(L, 1, BIDE_ALARM_TARGET); /* kind */
  kind = lua_touserdata(L, -1);
  if (kind->spares < MOST_SPARES) {
    bide_history_free(&state->history);
    lua_pushnil(L);
    lua_setiuservalue(L, 1, BIDE_ALARM_ARGUMENT);
    lua_pushnil(L);
    lua_setiuservalue(L, 1, BIDE_WAIT_DETAILS);
    lua_getiuservalue(L, -1, BIDE_WAIT_SPARE);
    lua_setiuservalue(L, 1, BIDE_WAIT_CALL);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, BIDE_WAIT_SPARE);
    kind->spares++;
    state->is_spare = true;
  }
  lua_pop(L, 1);
}

int64_t bide_wait_state_clock(lua_State *L, const BideWaitState *state) {
  BideLoop *loop = bide_host_loop(state->alarm.host);
  if (loop == NULL)
    luaL_error(L, "bide: the host is closed");
  bide_loop_update(loop);
  return bide_loop_now(loop);
}

static void on_passed(BideTimer *watch) {
  BideWaitState *state = (BideWaitState *)(void *)((char *)watch - offsetof(BideWaitState, watch));
  state->decided_at = bide_loop_clock(bide_host_loop(state->alarm.host));
}

void bide_wait_state_watch(lua_State *L, BideWaitState *state, bool is_patient) {
  BideLoop *loop = bide_host_loop(bide_host_check(L));
  int64_t deadline = bide_waiter_deadline(&state->waiter);
  if (!bide_loop_watch_deadline(loop, &state->watch, deadline, is_patient, on_passed))
    bide_failure_no_memory(L);
}

void bide_wait_state_unwatch(BideWaitState *state) {
  BideLoop *loop = state->alarm.host != NULL ? bide_host_loop(state->alarm.host) : NULL;
  if (loop != NULL)
    bide_loop_unwatch_deadline(loop, &state->watch);
}

static int collect(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  bide_wait_state_unwatch(state);
  bide_alarm_free(L, &state->alarm);
  bide_history_free(&state->history);
  return 0;
}

static void push_methods(lua_State *L, const BideClass *class, const luaL_Reg *metamethods) {
  bide_class_define(L, class, metamethods);
  bide_class_push(L, class);
  lua_getfield(L, -1, "__index");
  lua_remove(L, -2);
}

void bide_wait_state_push_methods(lua_State *L) {
  static const luaL_Reg of_state[] = {{"__gc", collect}, {NULL, NULL}};
  push_methods(L, &kind_class, of_state + 1);
  push_methods(L, &state_class, of_state);
}
