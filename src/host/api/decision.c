/* Decides on the attempts of a wait, a part of bide.core.wait. */
#include <lauxlib.h>

#include "host/api/wait_state.h"
#include "host/failure.h"
#include "host/members.h"
#include "host/memory.h"
#include "host/values/document.h"
#include "host/values/script_functions.h"
#include "jmespath/asking.h"

static void push_position(lua_State *L, size_t position) {
  if (position == 0)
    lua_pushnil(L);
  else
    lua_pushinteger(L, (lua_Integer)position);
}

/*
** Pushes verdict, acceptor, detail: "ask", position, nil; "retry", position | nil, delay;
** "success" or "failure", position | nil, reason. Keeps the time for which the service asked.
*/
static int push_decision(lua_State *L, BideWaitState *state, int64_t now,
                         const BideDecision *decision) {
  const char *verdict = decision->verdict == BIDE_ASK ? "ask" : bide_state_name(decision->state);
  if (decision->asked <= 0)
    state->not_before = 0;
  else if (__builtin_add_overflow(now, decision->asked, &state->not_before))
    state->not_before = INT64_MAX;
  lua_pushstring(L, verdict);
  push_position(L, decision->acceptor);
  if (decision->verdict == BIDE_ASK)
    lua_pushnil(L);
  else if (decision->verdict == BIDE_AGAIN)
    lua_pushinteger(L, decision->delay);
  else
    lua_pushstring(L, bide_reason_name(decision->reason));
  return 3;
}

/* The observation is the table at this index. Its documents stay in it during the call. */
#define SEEN 2

/* Its members, whose names are the upvalues of the functions that read one. */
enum {
  INPUT = 1,
  OUTPUT,
  ERROR_TYPE,
  RETRY_AFTER,
  TRANSIENT,
  STATUS,
  UNREAD,
  IS_OWN,
  IS_PLAIN,
  MEMBERS = IS_PLAIN
};

static const char *const names[MEMBERS] = {
  [INPUT - 1] = "input",           [OUTPUT - 1] = "output",
  [ERROR_TYPE - 1] = "error_type", [RETRY_AFTER - 1] = "retry_after",
  [TRANSIENT - 1] = "transient",   [STATUS - 1] = "status",
  [UNREAD - 1] = "unread",         [IS_OWN - 1] = "is_own",
  [IS_PLAIN - 1] = "is_plain",
};

/* The document, and the answer of a view, stay on the stack. */
static const BideValue *document_of(lua_State *L, int member, const BideAnswer **answer) {
  if (bide_member_push(L, SEEN, member) == LUA_TNIL)
    return NULL;
  return &bide_document_check_answered(L, -1, answer)->root;
}

/* A compact input is read only where a matcher asks for it. */
static const BideValue *input_of(lua_State *L, const BideDefinition *of) {
  const BideAnswer *none = NULL;
  return of->reads_input ? document_of(L, INPUT, &none) : NULL;
}

/* The text stays in the observation. */
static BideText text_of(lua_State *L, int member) {
  BideText text = {NULL, 0};
  if (bide_member_push(L, SEEN, member) == LUA_TSTRING)
    text.bytes = lua_tolstring(L, -1, &text.length);
  lua_pop(L, 1);
  return text;
}

/* Returns 0 for anything but an integer, since a script may raise any status. */
static int64_t integer_of(lua_State *L, int member) {
  int64_t integer = bide_member_push(L, SEEN, member) == LUA_TNUMBER ? (int64_t)lua_tointeger(L, -1)
                                                                     : 0;
  lua_pop(L, 1);
  return integer;
}

/* Reads a bide.Observation of lua/bide/probe/asking/operation.lua, at which the state looks. */
static BideObservation check_observation(lua_State *L, BideWaitState *state,
                                         const BideDefinition *of) {
  BideObservation observation = {.seen = &state->seen};
  luaL_checktype(L, SEEN, LUA_TTABLE);
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  observation.input = input_of(L, of);
  observation.output = document_of(L, OUTPUT, &observation.answer);
  observation.status = integer_of(L, STATUS);
  if (bide_member_is_set(L, SEEN, IS_PLAIN))
    return observation;
  observation.retry_after = integer_of(L, RETRY_AFTER);
  if (observation.output != NULL) {
    observation.is_unread = bide_member_is_set(L, SEEN, UNREAD);
  } else {
    observation.error_type = text_of(L, ERROR_TYPE);
    observation.transient = bide_member_is_set(L, SEEN, TRANSIENT);
    observation.is_own = bide_member_is_set(L, SEEN, IS_OWN);
  }
  return observation;
}

/* What a decision needs beside the observation: memory for paths, and functions of scripts. */
typedef struct Deciding {
  BideArena scratch; /* freed at once */
  BideError note;
  BideScriptFunctionsUse use;
} Deciding;

static void begin_deciding(lua_State *L, const BideDefinition *of, Deciding *deciding) {
  deciding->note.code = BIDE_OK;
  bide_arena_init(&deciding->scratch, 0);
  deciding->scratch.budget = &bide_memory_of(L)->budget;
  if (of->functions != NULL)
    bide_script_functions_begin(L, of->depth, &deciding->use);
}

/*
** Pushes the decision: verdict, acceptor, detail, note | nil. Raises the error of a JMESPath
** function of a script.
*/
static int end_deciding(lua_State *L, const BideDefinition *of, Deciding *deciding,
                        BideWaitState *state, int64_t now, const BideDecision *decision) {
  const BideError *note = &deciding->note;
  bide_arena_free(&deciding->scratch);
  if (of->functions != NULL)
    bide_script_functions_end(L, &deciding->use);
  if (note->code == BIDE_ERROR_MEMORY)
    return bide_failure_no_memory(L);
  push_decision(L, state, now, decision);
  if (note->code == BIDE_OK)
    return 3;
  lua_pushfstring(L, "%s: %s", bide_error_name(note->code), note->message);
  return 4;
}

static int push_observed(lua_State *L, BideWaitState *state, size_t first, int64_t now) {
  const BideDefinition *of = bide_wait_state_definition(L);
  BideObservation observation = check_observation(L, state, of);
  BideDecision decision;
  Deciding deciding;
  luaL_argcheck(L, observation.input != NULL || !of->reads_input, SEEN, "has no input");
  state->status = observation.status;
  begin_deciding(L, of, &deciding);
  decision = bide_waiter_observe(&state->waiter, of, &observation, first, now, &deciding.scratch,
                                 &deciding.note);
  return end_deciding(L, of, &deciding, state, now, &decision);
}

/* Takes the time of the arguments (state, now, observation, …), as those of decide are. */
static int64_t take_time(lua_State *L) {
  int64_t now = luaL_checkinteger(L, 2);
  lua_settop(L, 4);
  lua_remove(L, 2);
  return now;
}

/* Returns the position of an acceptor, behind the observation. */
static size_t check_position(lua_State *L, const BideDefinition *of) {
  lua_Integer position = luaL_checkinteger(L, SEEN + 1);
  luaL_argcheck(L, position >= 1 && (size_t)position <= of->count, 4, "no such acceptor");
  return (size_t)position;
}

/*
** state:observe(now, observation, first | nil) -> verdict, acceptor, detail, note | nil
*/
static int observe(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  int64_t now = take_time(L);
  lua_Integer position = luaL_optinteger(L, SEEN + 1, 1);
  luaL_argcheck(L, position >= 1, 4, "acceptors count from 1");
  return push_observed(L, state, (size_t)position, now);
}

/*
** state:decide(observation) -> now, verdict, acceptor, detail, note | nil; only the time if the
** deadline is over. Reads the clock again.
*/
static int decide(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  int64_t now = bide_wait_state_clock(L, state);
  int pushed;
  lua_settop(L, SEEN);
  if (now > bide_waiter_deadline(&state->waiter)) {
    lua_pushinteger(L, now);
    return 1;
  }
  pushed = push_observed(L, state, 1, now);
  lua_pushinteger(L, now);
  lua_insert(L, -1 - pushed);
  return pushed + 1;
}

/*
** state:accept(now, observation, acceptor) -> verdict, acceptor, detail, note | nil; without an
** output the operation raised an error
*/
static int accept_match(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  int64_t now = take_time(L);
  const BideDefinition *of = bide_wait_state_definition(L);
  size_t position = check_position(L, of);
  BideObservation observation = check_observation(L, state, of);
  BideDecision decision;
  Deciding deciding;
  begin_deciding(L, of, &deciding);
  decision = bide_waiter_accept(&state->waiter, of, &observation, position, now, &deciding.scratch,
                                &deciding.note);
  return end_deciding(L, of, &deciding, state, now, &decision);
}

/* state:take_back(now, observation, acceptor) -> verdict, acceptor, detail */
static int take_back(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  int64_t now = take_time(L);
  const BideDefinition *of = bide_wait_state_definition(L);
  size_t position = check_position(L, of);
  BideObservation observation = check_observation(L, state, of);
  BideDecision decision = bide_waiter_take_back(&state->waiter, &observation, position, now);
  return push_decision(L, state, now, &decision);
}

/* ---- what conditions saw ----------------------------------------------------- */

void bide_wait_state_look(lua_State *L, BideWaitState *state, const BideDefinition *of,
                          int output) {
  BideObservation observation = {.output = &bide_document_check(L, output)->root,
                                 .answer = bide_document_answer(L, output),
                                 .seen = &state->seen};
  for (size_t i = 0; i < of->count; i++)
    bide_matcher_look(&of->acceptors[i].matcher, &observation);
}

/* state:recall(output) */
static int recall(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  bide_wait_state_look(L, state, bide_wait_state_definition(L), 2);
  return 0;
}

/*
** state:members() -> asked, had: the members that conditions asked for, and those that outputs had,
** as bits
*/
static int members(lua_State *L) {
  const BideWaitState *state = bide_wait_state_check(L);
  lua_pushinteger(L, (lua_Integer)state->seen.asked);
  lua_pushinteger(L, (lua_Integer)state->seen.had);
  return 2;
}

/* state:recall_members(asked, had): adds those of an earlier process */
static int recall_members(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  lua_Integer asked = luaL_checkinteger(L, 2), had = luaL_checkinteger(L, 3);
  state->seen.asked |= (uint64_t)asked;
  state->seen.had |= (uint64_t)had;
  return 0;
}

/* Appends { condition = position, noun = text, name = text } to the list on top of the stack. */
static void append_missing(lua_State *L, uint32_t position, const char *noun, const char *name,
                           size_t length) {
  lua_createtable(L, 0, 3);
  lua_pushstring(L, noun);
  lua_setfield(L, -2, "noun");
  lua_pushinteger(L, (lua_Integer)position);
  lua_setfield(L, -2, "condition");
  lua_pushlstring(L, name, length);
  lua_setfield(L, -2, "name");
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/*
** state:missing(acceptor) -> { { condition = position, name = text }, … }: the members that the
** conditions of an acceptor asked for, and that no output had
*/
static int missing(lua_State *L) {
  BideWaitState *state = bide_wait_state_check(L);
  lua_Integer position = luaL_checkinteger(L, 2);
  const BideDefinition *of = bide_wait_state_definition(L);
  const BideCondition *list;
  uint32_t count;
  luaL_argcheck(L, position >= 1 && (size_t)position <= of->count, 2, "no such acceptor");
  list = bide_matcher_conditions(&of->acceptors[position - 1].matcher, &count);
  lua_newtable(L);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t bits = bide_condition_missing(&list[i], &state->seen);
    for (unsigned bit = 0; bit < BIDE_ASKING_MOST; bit++) {
      size_t length;
      const char *name = bits >> bit & 1 ? bide_asking_name(list[i].expression, bit, &length)
                                         : NULL;
      if (name != NULL)
        append_missing(L, i + 1, bide_asking_noun(list[i].expression, bit), name, length);
    }
  }
  return 1;
}

/* state:is_blind() -> whether conditions could not look into the output of the last attempt */
static int is_blind(lua_State *L) {
  lua_pushboolean(L, bide_wait_state_check(L)->seen.is_blind);
  return 1;
}

void bide_wait_decision_add_to_state(lua_State *L) {
  static const luaL_Reg deciding[] = {
    {"observe", observe},     {"decide", decide}, {"accept", accept_match},
    {"take_back", take_back}, {NULL, NULL},
  };
  static const luaL_Reg seeing[] = {
    {"recall", recall},   {"members", members},   {"recall_members", recall_members},
    {"missing", missing}, {"is_blind", is_blind}, {NULL, NULL},
  };
  bide_members_set_functions(L, deciding, names, MEMBERS);
  luaL_setfuncs(L, seeing, 0);
}
