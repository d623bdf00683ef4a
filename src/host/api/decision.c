/* Decides on the attempts of a wait, a part of bide.core.wait. */
#include <lauxlib.h>

#include "host/api/wait_state.h"
#include "host/failure.h"
#include "host/memory.h"
#include "host/values/document.h"
#include "host/values/script_functions.h"

static const char *const state_names[] = {"success", "failure", "retry"};
static const char *const reason_names[] = {"acceptor", "unmatchedError", "maxAttempts", "maxWait"};

static void push_position(lua_State *L, size_t position) {
  if (position == 0)
    lua_pushnil(L);
  else
    lua_pushinteger(L, (lua_Integer)position);
}

/*
** Pushes verdict, acceptor, detail: "ask", position, nil; "retry", position | nil, delay;
** "success" or "failure", position | nil, reason.
*/
static int push_decision(lua_State *L, const BideDecision *decision) {
  const char *verdict = decision->verdict == BIDE_ASK ? "ask" : state_names[decision->state];
  lua_pushstring(L, verdict);
  push_position(L, decision->acceptor);
  if (decision->verdict == BIDE_ASK)
    lua_pushnil(L);
  else if (decision->verdict == BIDE_AGAIN)
    lua_pushinteger(L, decision->delay);
  else
    lua_pushstring(L, reason_names[decision->reason]);
  return 3;
}

/*
** Returns the integer at `index`; 0 for any other value, since a script may raise any status.
*/
static int64_t status_of(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TNUMBER ? (int64_t)lua_tointeger(L, index) : 0;
}

/* What an attempt showed, on the stack of the functions that decide on it. */
enum { INPUT = 2, OUTPUT, ERROR_TYPE, RETRY_AFTER, TRANSIENT, STATUS };

static BideObservation check_observation(lua_State *L) {
  BideDocument *input = bide_document_check(L, INPUT);
  BideDocument *output = lua_isnil(L, OUTPUT) ? NULL : bide_document_check(L, OUTPUT);
  BideObservation observation = {.input = &input->root,
                                 .output = output == NULL ? NULL : &output->root};
  observation.error_type.bytes = luaL_optlstring(L, ERROR_TYPE, NULL,
                                                 &observation.error_type.length);
  observation.retry_after = luaL_optinteger(L, RETRY_AFTER, 0);
  observation.transient = lua_toboolean(L, TRANSIENT);
  observation.status = status_of(L, STATUS);
  return observation;
}

/*
** Pushes the decision on the observation: verdict, acceptor, detail, note | nil. Paths are
** evaluated in an arena of their own, which is freed at once. Raises the error of a JMESPath
** function of a script.
*/
static int push_observed(lua_State *L, BideWaitState *state, size_t first, int64_t now) {
  BideObservation observation = check_observation(L);
  const BideDefinition *of = bide_wait_state_definition(L);
  BideDecision decision;
  BideArena scratch;
  BideError note;
  BideScriptFunctionsUse use;
  state->status = observation.status;
  bide_arena_init(&scratch, 0);
  scratch.budget = &bide_memory_of(L)->budget;
  if (of->functions != NULL)
    bide_script_functions_begin(L, of->depth, &use);
  decision = bide_waiter_observe(&state->waiter, of, &observation, first, now, &scratch, &note);
  bide_arena_free(&scratch);
  if (of->functions != NULL)
    bide_script_functions_end(L, &use);
  if (note.code == BIDE_ERROR_MEMORY)
    return bide_failure_no_memory(L);
  push_decision(L, &decision);
  if (note.code == BIDE_OK)
    return 3;
  lua_pushfstring(L, "%s: %s", bide_error_name(note.code), note.message);
  return 4;
}

int bide_wait_state_observe(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  int64_t now = luaL_checkinteger(L, 2);
  lua_Integer position = luaL_optinteger(L, 6, 1);
  luaL_argcheck(L, position >= 1, 6, "acceptors count from 1");
  lua_settop(L, 9);
  lua_remove(L, 6);
  lua_remove(L, 2);
  return push_observed(L, state, (size_t)position, now);
}

int bide_wait_state_decide(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  int64_t now = bide_wait_state_clock(L);
  int pushed;
  lua_settop(L, STATUS);
  if (now > bide_waiter_deadline(&state->waiter)) {
    lua_pushinteger(L, now);
    return 1;
  }
  pushed = push_observed(L, state, 1, now);
  lua_pushinteger(L, now);
  lua_insert(L, -1 - pushed);
  return pushed + 1;
}

int bide_wait_state_accept(lua_State *L) {
  BideWaiter *waiter = &bide_wait_state_check(L)->waiter;
  lua_Integer position = luaL_checkinteger(L, 3);
  BideValue nothing = bide_value_null();
  BideObservation observation = {.retry_after = luaL_optinteger(L, 4, 0),
                                 .output = lua_toboolean(L, 5) ? NULL : &nothing};
  const BideDefinition *of = bide_wait_state_definition(L);
  BideDecision decision;
  luaL_argcheck(L, position >= 1 && (size_t)position <= of->count, 3, "no such acceptor");
  decision = bide_waiter_accept(waiter, of, &observation, (size_t)position,
                                luaL_checkinteger(L, 2));
  return push_decision(L, &decision);
}
