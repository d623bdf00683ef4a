/* bide.core.wait: definitions, the states of waits, the backoff. Annotated in lua/bide/meta/wait.lua. */
#include <lauxlib.h>
#include <string.h>

#include "host/api.h"
#include "host/document.h"
#include "host/failure.h"
#include "host/functions.h"
#include "wait/record.h"
#include "wait/waiter.h"

#define DEFINITION "bide.definition"
#define STATE "bide.wait"

static const char *const state_names[] = {"success", "failure", "retry", NULL};
static const char *const comparator_names[] = {"stringEquals", "booleanEquals", "allStringEquals",
                                               "anyStringEquals", NULL};
static const char *const reason_names[] = {"acceptor", "unmatchedError", "maxAttempts", "maxWait"};

/* ---- definitions ----------------------------------------------------------- */

/* The text of a field; the field stays on the stack, so that it lives as long as the caller. */
static BideText check_text(lua_State *L, int index, const char *field) {
  BideText text;
  if (lua_getfield(L, index, field) != LUA_TSTRING)
    luaL_error(L, "%s must be a string", field);
  text.bytes = lua_tolstring(L, -1, &text.length);
  return text;
}

static int check_option(lua_State *L, int index, const char *field, const char *const names[]) {
  int option;
  lua_getfield(L, index, field);
  option = luaL_checkoption(L, lua_gettop(L), NULL, names);
  lua_pop(L, 1);
  return option;
}

static bool add_path(lua_State *L, BideDefinition *definition, BideState state,
                     BideMatcherKind kind, BideError *error) {
  int index = lua_gettop(L);
  BideMatcher matcher = {.kind = kind};
  BideText path = check_text(L, index, "path");
  matcher.expected = check_text(L, index, "expected");
  matcher.comparator = (BideComparator)check_option(L, index, "comparator", comparator_names);
  return bide_definition_add_path(definition, state, matcher, path, error);
}

/* Adds the acceptor on top of the stack. The loader has checked that it has one matcher. */
static bool add_acceptor(lua_State *L, BideDefinition *definition, BideError *error) {
  int acceptor = lua_gettop(L), index;
  BideState state = (BideState)check_option(L, acceptor, "state", state_names);
  BideMatcher matcher = {.kind = BIDE_MATCHER_HOST};
  lua_getfield(L, acceptor, "matcher");
  luaL_checktype(L, -1, LUA_TTABLE);
  index = lua_gettop(L);
  if (lua_getfield(L, index, "output") == LUA_TTABLE)
    return add_path(L, definition, state, BIDE_MATCHER_OUTPUT, error);
  if (lua_getfield(L, index, "inputOutput") == LUA_TTABLE)
    return add_path(L, definition, state, BIDE_MATCHER_INPUT_OUTPUT, error);
  if (lua_getfield(L, index, "success") == LUA_TBOOLEAN) {
    matcher.kind = BIDE_MATCHER_SUCCESS;
    matcher.success = lua_toboolean(L, -1);
  } else if (lua_getfield(L, index, "errorType") == LUA_TSTRING) {
    matcher.kind = BIDE_MATCHER_ERROR_TYPE;
    matcher.error_type.bytes = lua_tolstring(L, -1, &matcher.error_type.length);
  }
  return bide_definition_add(definition, state, matcher, error);
}

static int free_definition(lua_State *L) {
  bide_definition_free(luaL_checkudata(L, 1, DEFINITION));
  return 0;
}

/* wait.definition(minDelay, maxDelay, acceptors) -> definition; milliseconds */
static int definition(lua_State *L) {
  BideBackoff backoff = {luaL_checkinteger(L, 1), luaL_checkinteger(L, 2)};
  BideError error = {.code = BIDE_OK};
  BideDefinition *result;
  lua_Integer count;
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 3);
  count = luaL_len(L, 3);
  result = lua_newuserdatauv(L, sizeof *result, 0);
  memset(result, 0, sizeof *result);
  luaL_setmetatable(L, DEFINITION);
  if (!bide_definition_init(result, backoff, &error))
    return luaL_error(L, "%s", error.message);
  result->functions = bide_functions_of(L);
  for (lua_Integer position = 1; position <= count; position++) {
    lua_geti(L, 3, position);
    if (!add_acceptor(L, result, &error))
      return luaL_error(L, "acceptors[%I]: %s", (LUAI_UACINT)position, error.message);
    lua_settop(L, 4);
  }
  return 1;
}

/* ---- the state of a wait ---------------------------------------------------- */

static BideWaiter *check_state(lua_State *L) {
  return luaL_checkudata(L, 1, STATE);
}

static const BideDefinition *definition_of(lua_State *L) {
  lua_getiuservalue(L, 1, 1);
  return lua_touserdata(L, -1);
}

/* Pushes a state for the definition that is the first argument. */
static BideWaiter *push_state(lua_State *L) {
  BideWaiter *waiter = lua_newuserdatauv(L, sizeof *waiter, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  luaL_setmetatable(L, STATE);
  return waiter;
}

/* wait.start(definition, minDelay, maxDelay, maxWait, maxAttempts | nil, seed, now) -> state */
static int start(lua_State *L) {
  BideWaiter *waiter;
  BideBackoff backoff = {luaL_checkinteger(L, 2), luaL_checkinteger(L, 3)};
  lua_Integer max_wait = luaL_checkinteger(L, 4);
  uint64_t max_attempts = BIDE_ANY_ATTEMPTS;
  lua_Integer seed = luaL_checkinteger(L, 6), now = luaL_checkinteger(L, 7);
  luaL_checkudata(L, 1, DEFINITION);
  if (!lua_isnil(L, 5))
    max_attempts = (uint64_t)luaL_checkinteger(L, 5);
  luaL_argcheck(L, backoff.min_delay >= 1, 2, "must be above 0");
  luaL_argcheck(L, backoff.max_delay >= backoff.min_delay, 3, "must be at least minDelay");
  luaL_argcheck(L, max_wait >= 1, 4, "must be above 0");
  luaL_argcheck(L, max_attempts >= 1, 5, "must be above 0");
  waiter = push_state(L);
  bide_waiter_init(waiter, backoff, max_wait, max_attempts, (uint64_t)seed, now);
  return 1;
}

/* wait.restore(definition, record, started) -> state | nil, failure */
static int restore(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  BideWaiter waiter;
  BideError error;
  luaL_checkudata(L, 1, DEFINITION);
  if (!bide_record_read(&waiter, text, length, luaL_checkinteger(L, 3), &error))
    return bide_failure_push(L, &error);
  *push_state(L) = waiter;
  return 1;
}

/* state:save() -> its record, which wait.restore reads */
static int save(lua_State *L) {
  char text[BIDE_RECORD_TEXT];
  lua_pushlstring(L, text, bide_record_write(check_state(L), text));
  return 1;
}

/* state:begin() -> the number of the attempt */
static int begin(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)bide_waiter_begin(check_state(L)));
  return 1;
}

/* state:deadline() -> milliseconds */
static int deadline(lua_State *L) {
  lua_pushinteger(L, bide_waiter_deadline(check_state(L)));
  return 1;
}

static void push_position(lua_State *L, size_t position) {
  if (position == 0)
    lua_pushnil(L);
  else
    lua_pushinteger(L, (lua_Integer)position);
}

/*
** verdict, acceptor, detail: "ask", position; "retry", position | nil, delay;
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
** state:observe(now, input, output | nil, errorType | nil, first | nil)
**   -> verdict, acceptor, detail, note | nil
** `input` and `output` are documents. The output's arena is no scratch: paths
** are evaluated in an arena of their own, which is given back at once. Raises
** what a JMESPath function of a script raised.
*/
static int observe(lua_State *L) {
  BideWaiter *waiter = check_state(L);
  int64_t now = luaL_checkinteger(L, 2);
  BideDocument *input = bide_document_check(L, 3);
  BideDocument *output = lua_isnil(L, 4) ? NULL : bide_document_check(L, 4);
  BideObservation observation = {&input->root, output == NULL ? NULL : &output->root, {NULL, 0}};
  size_t first = (size_t)luaL_optinteger(L, 6, 1);
  BideDecision decision;
  BideArena scratch;
  BideError note;
  BideFunctionsUse use;
  observation.error_type.bytes = luaL_optlstring(L, 5, NULL, &observation.error_type.length);
  bide_arena_init(&scratch, 0);
  bide_functions_begin(L, &use);
  decision = bide_waiter_observe(waiter, definition_of(L), &observation, first, now, &scratch, &note);
  bide_arena_free(&scratch);
  bide_functions_end(L, &use);
  push_decision(L, &decision);
  if (note.code == BIDE_OK)
    return 3;
  lua_pushfstring(L, "%s: %s", bide_error_name(note.code), note.message);
  return 4;
}

/* state:accept(now, acceptor) -> verdict, acceptor, detail */
static int accept(lua_State *L) {
  BideWaiter *waiter = check_state(L);
  const BideDefinition *of = definition_of(L);
  lua_Integer position = luaL_checkinteger(L, 3);
  BideDecision decision;
  luaL_argcheck(L, position >= 1 && (size_t)position <= of->count, 3, "no such acceptor");
  decision = bide_waiter_accept(waiter, of, (size_t)position, luaL_checkinteger(L, 2));
  return push_decision(L, &decision);
}

/* ---- the backoff alone, for plans and specs ---------------------------------- */

/* wait.ceiling(minDelay, maxDelay, attempt) -> milliseconds */
static int ceiling(lua_State *L) {
  BideBackoff backoff = {luaL_checkinteger(L, 1), luaL_checkinteger(L, 2)};
  luaL_argcheck(L, luaL_checkinteger(L, 3) >= 1, 3, "attempts count from 1");
  lua_pushinteger(L, bide_backoff_ceiling(&backoff, (uint64_t)lua_tointeger(L, 3)));
  return 1;
}

/* wait.delay(minDelay, drawn, remaining) -> milliseconds */
static int delay(lua_State *L) {
  BideBackoff backoff = {luaL_checkinteger(L, 1), INT64_MAX};
  lua_pushinteger(L, bide_backoff_delay(&backoff, luaL_checkinteger(L, 2), luaL_checkinteger(L, 3)));
  return 1;
}

/* wait.random_seed() -> an integer from the system's randomness */
static int random_seed(lua_State *L) {
  lua_Integer seed;
  if (!bide_random_bytes(&seed, sizeof seed))
    return luaL_error(L, "the system gives no random bytes");
  lua_pushinteger(L, seed);
  return 1;
}

static const luaL_Reg state_methods[] = {
  {"begin", begin}, {"deadline", deadline}, {"observe", observe}, {"accept", accept}, {"save", save},
  {NULL, NULL}
};

static const luaL_Reg functions[] = {
  {"definition", definition}, {"start", start},     {"restore", restore},
  {"ceiling", ceiling},       {"delay", delay},     {"random_seed", random_seed},
  {NULL, NULL}
};

int bide_open_wait(lua_State *L) {
  luaL_newmetatable(L, DEFINITION);
  lua_pushcfunction(L, free_definition);
  lua_setfield(L, -2, "__gc");
  luaL_newmetatable(L, STATE);
  luaL_newlib(L, state_methods);
  lua_setfield(L, -2, "__index");
  luaL_newlib(L, functions);
  return 1;
}
