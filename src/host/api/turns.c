/*
** bide.core.turns: the turns that a worker claims from a store, and what it has decided of them,
** many at a time. Annotated in lua/bide/meta/turns.lua. Rows are input: what bide cannot have
** written is a mistake, which ends that wait alone.
*/
#include <lauxlib.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "host/api/modules.h"
#include "host/members.h"
#include "host/values/document.h"

/* The members of turns, and of what was decided of them, are the upvalues of all functions here. */
enum {
  ATTEMPTS = 1,
  BYTES,
  DEADLINE,
  DUE,
  ENDING,
  FAILURE,
  FORMAT,
  ID,
  INPUT,
  KEPT_SINCE,
  OF_TURN,
  OUTPUT,
  STATE,
  WAIT,
  IS_WRITTEN,
  MEMBERS = IS_WRITTEN
};

static const char *const names[MEMBERS] = {
  [ATTEMPTS - 1] = "attempts",  [BYTES - 1] = "bytes",
  [DEADLINE - 1] = "deadline",  [DUE - 1] = "due",
  [ENDING - 1] = "ending",      [FAILURE - 1] = "error",
  [FORMAT - 1] = "format",      [ID - 1] = "id",
  [INPUT - 1] = "input",        [KEPT_SINCE - 1] = "kept_since",
  [OF_TURN - 1] = "turn",       [OUTPUT - 1] = "output",
  [STATE - 1] = "state",        [WAIT - 1] = "wait",
  [IS_WRITTEN - 1] = "written",
};

static void set_integer(lua_State *L, int index, int member, lua_Integer value) {
  lua_pushvalue(L, lua_upvalueindex(member));
  lua_pushinteger(L, value);
  lua_rawset(L, index);
}

/* ---- what was claimed ------------------------------------------------------- */

/* The arguments of turns.read: the turn, and the output that was read last. */
enum { TURN = 1, KNOWN };

/* The most that the numbers of a turn may be. */
#define MOST_ATTEMPTS ((lua_Integer)1 << 40)
#define LATEST ((lua_Integer)1 << 62)
#define LAST_FORMAT 32767

/* Pushes what is wrong with a member, and returns false. */
static bool refuse(lua_State *L, int member, const char *expected) {
  lua_pushfstring(L, "%s: expected %s", names[member - 1], expected);
  return false;
}

static bool read_number(lua_State *L, int member, lua_Integer most, const char *expected,
                        lua_Integer *value) {
  bide_member_push(L, TURN, member);
  *value = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : -1;
  lua_pop(L, 1);
  return (*value >= 0 && *value <= most) || refuse(L, member, expected);
}

/* A state belongs to a wait with attempts, and to no other. */
static bool check_state(lua_State *L, lua_Integer attempts, lua_Integer format) {
  size_t length = 0;
  bide_member_push(L, TURN, STATE);
  lua_tolstring(L, -1, &length);
  lua_pop(L, 1);
  if ((format == 0) == (attempts == 0) && (format == 0) == (length == 0))
    return true;
  lua_pushliteral(L, "a state belongs to a wait with attempts, and to no other");
  return false;
}

static bool read_numbers(lua_State *L) {
  lua_Integer attempts, format, time;
  return read_number(L, ATTEMPTS, MOST_ATTEMPTS, "a whole number, 0 or more", &attempts) &&
         read_number(L, DUE, LATEST, "a time", &time) &&
         read_number(L, DEADLINE, LATEST, "a time", &time) &&
         read_number(L, FORMAT, LAST_FORMAT, "a number", &format) &&
         check_state(L, attempts, format);
}

/* Pushes the document of a text, or nil for one that may be absent; or what is wrong. */
static bool push_document(lua_State *L, int member, bool may_be_absent) {
  int text = lua_gettop(L) + 1;
  const char *bytes;
  size_t length;
  BideError error;
  if (bide_member_push(L, TURN, member) == LUA_TNIL && may_be_absent)
    return true;
  bytes = lua_tolstring(L, text, &length);
  if (bytes == NULL || !bide_document_push_json(L, bytes, length, 0, 0, NULL, &error))
    return refuse(L, member, "JSON");
  lua_remove(L, text);
  return true;
}

static bool push_input(lua_State *L) {
  if (!push_document(L, INPUT, false))
    return false;
  return bide_document_check(L, -1)->root.type == BIDE_OBJECT || refuse(L, INPUT, "an object");
}

/*
** Pushes the document of the output, or nil, as push_document does. Very many waits see the same:
** `known`, which may be nil, is a table of the text and the document that were read last.
*/
static bool push_output(lua_State *L, int known) {
  int text = lua_gettop(L) + 1;
  if (lua_isnil(L, known))
    return push_document(L, OUTPUT, true);
  if (bide_member_push(L, TURN, OUTPUT) == LUA_TSTRING) {
    lua_rawgeti(L, known, 1);
    if (lua_rawequal(L, text, -1)) {
      lua_rawgeti(L, known, 2);
      lua_replace(L, text);
      lua_settop(L, text);
      return true;
    }
  }
  lua_settop(L, text); /* text */
  if (!push_document(L, OUTPUT, true))
    return false;
  if (lua_isstring(L, text)) {
    lua_pushvalue(L, text);
    lua_rawseti(L, known, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, known, 2);
  }
  lua_remove(L, text);
  return true;
}

/*
** Reports whether an input may have secrets by name, objects with a member "$secret", whose letters
** may be written by an escape.
*/
static bool may_name_secrets(lua_State *L) {
  const char *text;
  bool may;
  bide_member_push(L, TURN, INPUT);
  text = lua_tostring(L, -1); /* it has no zeros: it was read */
  may = strchr(text, '\\') != NULL || strstr(text, "$secret") != NULL;
  lua_pop(L, 1);
  return may;
}

/*
** turns.read(turn, known | nil)
**   -> input, nil, output | nil, error | nil, may_name_secrets | nil, mistake
** `known` is a table of its own.
*/
static int read_turn(lua_State *L) {
  luaL_checktype(L, TURN, LUA_TTABLE);
  lua_settop(L, KNOWN);
  if (!lua_isnil(L, KNOWN))
    luaL_checktype(L, KNOWN, LUA_TTABLE);
  if (read_numbers(L) && push_input(L) && push_output(L, KNOWN) &&
      push_document(L, FAILURE, true)) { /* turn known input output error */
    lua_pushnil(L);
    lua_insert(L, -3);
    lua_pushboolean(L, may_name_secrets(L));
    return 5;
  }
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

/* Pushes the list element at this place, a table. */
static void push_element(lua_State *L, int list, lua_Integer place) {
  int type = lua_rawgeti(L, list, place);
  luaL_argcheck(L, type == LUA_TTABLE, list, "has something else than tables");
}

static lua_Integer length_of(lua_State *L, int turn, int member) {
  size_t length = 0;
  bide_member_push(L, turn, member);
  lua_tolstring(L, -1, &length);
  lua_pop(L, 1);
  return (lua_Integer)length;
}

/* turns.weigh(turns) -> bytes of all; each gets its own */
static int weigh(lua_State *L) {
  lua_Integer count, sum = 0;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  count = (lua_Integer)lua_rawlen(L, 1);
  for (lua_Integer place = 1; place <= count; place++) {
    lua_Integer bytes;
    push_element(L, 1, place);
    bytes = length_of(L, 2, INPUT) + length_of(L, 2, OUTPUT) + length_of(L, 2, FAILURE);
    set_integer(L, 2, BYTES, bytes);
    lua_pop(L, 1);
    sum += bytes;
  }
  lua_pushinteger(L, sum);
  return 1;
}

/* turns.sum(hand, member) -> count, sum */
static int sum(lua_State *L) {
  enum { HAND = 1, MEMBER, TURN_ID, HELD, ATTEMPTS_OF };
  lua_Integer count = 0;
  lua_Unsigned all = 0;
  luaL_checktype(L, HAND, LUA_TTABLE);
  luaL_checktype(L, MEMBER, LUA_TSTRING);
  lua_settop(L, MEMBER);
  lua_pushnil(L);
  while (lua_next(L, HAND) != 0) {
    luaL_argcheck(L, lua_isinteger(L, TURN_ID) && lua_istable(L, HELD), HAND,
                  "has something else than turns by their ids");
    lua_pushvalue(L, MEMBER);
    lua_rawget(L, HELD);
    if (lua_isinteger(L, ATTEMPTS_OF))
      all += ((lua_Unsigned)lua_tointeger(L, TURN_ID) << 20) +
             (lua_Unsigned)lua_tointeger(L, ATTEMPTS_OF);
    count++;
    lua_settop(L, TURN_ID);
  }
  lua_pushinteger(L, count);
  lua_pushinteger(L, (lua_Integer)(all & LUA_MAXINTEGER));
  return 2;
}

/* ---- what was decided ------------------------------------------------------- */

/* Returns the room that a table needs for what is made of each element of a list. */
static int capacity(lua_State *L, int list) {
  lua_Unsigned count = lua_rawlen(L, list);
  return count < INT_MAX ? (int)count : INT_MAX;
}

static void append(lua_State *L, int list, int index) {
  lua_pushvalue(L, index);
  lua_rawseti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
}

static void add_to_set(lua_State *L, int set, lua_Integer id) {
  lua_pushboolean(L, true);
  lua_rawseti(L, set, id);
}

static bool is_in_set(lua_State *L, int set, lua_Integer id) {
  bool is_in = lua_rawgeti(L, set, id) != LUA_TNIL;
  lua_pop(L, 1);
  return is_in;
}

/* Reports whether the turn of the element at `one` is in hand. */
static bool is_held(lua_State *L, int one, int hand, lua_Integer id) {
  bool is_same;
  bide_member_push(L, one, OF_TURN);
  lua_rawgeti(L, hand, id);
  is_same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is_same;
}

/* turns.firsts(list, before, hand, most) -> firsts, rest, stale */
static int firsts(lua_State *L) {
  enum { LIST = 1, BEFORE, HAND, MOST, FIRSTS, REST, STALE, IDS, ONE };
  lua_Integer most = luaL_checkinteger(L, MOST), bytes = 0, count;
  luaL_checktype(L, LIST, LUA_TTABLE);
  luaL_checktype(L, BEFORE, LUA_TTABLE);
  luaL_checktype(L, HAND, LUA_TTABLE);
  lua_settop(L, MOST);
  lua_createtable(L, capacity(L, LIST), 0); /* nearly all are first */
  lua_newtable(L);
  lua_newtable(L);
  lua_createtable(L, 0, capacity(L, LIST));
  count = (lua_Integer)lua_rawlen(L, BEFORE);
  for (lua_Integer place = 1; place <= count; place++) {
    push_element(L, BEFORE, place);
    add_to_set(L, IDS, bide_member_integer(L, ONE, ID));
    lua_settop(L, IDS);
  }
  count = (lua_Integer)lua_rawlen(L, LIST);
  for (lua_Integer place = 1; place <= count; place++, lua_settop(L, IDS)) {
    int to = REST;
    lua_Integer id;
    push_element(L, LIST, place);
    id = bide_member_integer(L, ONE, ID);
    if (!is_held(L, ONE, HAND, id)) {
      append(L, STALE, ONE);
      continue;
    }
    if (!is_in_set(L, IDS, id)) {
      bytes += bide_member_integer(L, ONE, BYTES);
      if (lua_rawlen(L, FIRSTS) == 0 || bytes <= most)
        to = FIRSTS;
    }
    append(L, to, ONE);
    add_to_set(L, IDS, id);
  }
  lua_settop(L, STALE);
  return 3;
}

/* Reports whether all that a turn has decided is written with the element at `one`. */
static bool is_last(lua_State *L, int one, int turn, lua_Integer attempts) {
  bool is;
  if (bide_member_push(L, turn, ENDING) != LUA_TNIL) {
    is = lua_rawequal(L, one, -1);
  } else {
    bide_member_push(L, turn, WAIT);
    is = lua_isboolean(L, -1) && !lua_toboolean(L, -1) &&
         bide_member_integer(L, turn, ATTEMPTS) <= attempts;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return is;
}

/* turns.written(sent, ids, hand) -> left, bytes, leaving */
static int written(lua_State *L) {
  enum { SENT = 1, IDS, HAND, LEAVING, WRITTEN, ONE, OF };
  lua_Integer left = 0, bytes = 0, count;
  luaL_checktype(L, SENT, LUA_TTABLE);
  luaL_checktype(L, IDS, LUA_TTABLE);
  luaL_checktype(L, HAND, LUA_TTABLE);
  lua_settop(L, HAND);
  lua_newtable(L);
  lua_createtable(L, 0, capacity(L, IDS));
  count = (lua_Integer)lua_rawlen(L, IDS);
  for (lua_Integer place = 1; place <= count; place++) {
    lua_rawgeti(L, IDS, place);
    add_to_set(L, WRITTEN, luaL_checkinteger(L, -1));
    lua_settop(L, WRITTEN);
  }
  count = (lua_Integer)lua_rawlen(L, SENT);
  for (lua_Integer place = 1; place <= count; place++, lua_settop(L, WRITTEN)) {
    lua_Integer id, attempts;
    push_element(L, SENT, place);
    id = bide_member_integer(L, ONE, ID);
    attempts = bide_member_integer(L, ONE, ATTEMPTS);
    luaL_argcheck(L, bide_member_push(L, ONE, OF_TURN) == LUA_TTABLE, SENT,
                  "has something without a turn");
    if (!is_in_set(L, WRITTEN, id)) {
      append(L, LEAVING, ONE);
      continue;
    }
    set_integer(L, OF, IS_WRITTEN, attempts);
    if (!is_last(L, ONE, OF, attempts))
      continue;
    if (bide_member_is_set(L, OF, ENDING) || bide_member_is_set(L, OF, KEPT_SINCE) ||
        !is_held(L, ONE, HAND, id)) {
      append(L, LEAVING, ONE);
      continue;
    }
    lua_pushnil(L);
    lua_rawseti(L, HAND, id);
    left++;
    if (bide_member_push(L, OF, BYTES) != LUA_TNIL)
      bytes += luaL_checkinteger(L, -1);
  }
  lua_settop(L, LEAVING);
  lua_pushinteger(L, left);
  lua_pushinteger(L, bytes);
  lua_rotate(L, LEAVING, 2); /* left bytes leaving */
  return 3;
}

/* turns.have(list, member) -> whether an element has it */
static int have(lua_State *L) {
  lua_Integer count;
  bool is_there = false;
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TSTRING);
  lua_settop(L, 2);
  count = (lua_Integer)lua_rawlen(L, 1);
  for (lua_Integer place = 1; place <= count && !is_there; place++) {
    push_element(L, 1, place);
    lua_pushvalue(L, 2);
    is_there = lua_rawget(L, 3) != LUA_TNIL;
    lua_settop(L, 2);
  }
  lua_pushboolean(L, is_there);
  return 1;
}

const luaL_Reg bide_functions_turns[] = {
  {"read", read_turn}, {"weigh", weigh},     {"sum", sum}, {"have", have},
  {"firsts", firsts},  {"written", written}, {NULL, NULL}};

void bide_define_turns(lua_State *L) {
  bide_members_set_functions(L, bide_functions_turns, names, MEMBERS);
}
