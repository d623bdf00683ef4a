/*
** bide.core.bounded: functions of Lua's own library for scripts that are not trusted. Each calls
** the real function, charges the script for the work, and refuses calls that would not end.
** Annotated in lua/bide/meta/bounded.lua.
*/
#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#include "host/api/modules.h"
#include "host/task.h"

/*
** Measured: to copy, hash or change the case of a byte takes 0.1 to 1.2 ns, an instruction of Lua
** about 8 ns.
*/
#define BYTES_PER_INSTRUCTION 8
#define MOVES_PER_INSTRUCTION 1 /* of elements of a table, each 5 to 8 ns */
#define MOST_MOVED 10000000

enum { FUNCTION = 1, NAME };

static int64_t length_of(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TSTRING ? (int64_t)lua_rawlen(L, index) : 0;
}

static int64_t length_of_all(lua_State *L, int from) {
  int64_t length = 0;
  for (int index = from; index <= lua_gettop(L); index++)
    length += length_of(L, index);
  return length;
}

/* Calls the real function directly, so that its errors have the place of the script. */
static int call_real(lua_State *L) {
  return lua_tocfunction(L, lua_upvalueindex(FUNCTION))(L);
}

static int charge_results(lua_State *L, int results, int64_t bytes) {
  bytes += length_of_all(L, lua_gettop(L) - results + 1);
  bide_task_charge(L, results / 4 + bytes / BYTES_PER_INSTRUCTION);
  return results;
}

/* ---- strings ------------------------------------------------------------------ */

/* Charges for the length of the results. */
static int by_results(lua_State *L) {
  return charge_results(L, call_real(L), 0);
}

/* Charges for the length of all texts too. */
static int by_texts(lua_State *L) {
  int64_t bytes = length_of_all(L, 1);
  return charge_results(L, call_real(L), bytes);
}

/* Charges for the length of the first text too, a format. */
static int by_first(lua_State *L) {
  int64_t bytes = length_of(L, 1);
  return charge_results(L, call_real(L), bytes);
}

/* Returns "" for repetitions of "": Lua would count them all. */
static int repeat(lua_State *L) {
  bool is_nothing = lua_type(L, 1) == LUA_TSTRING && lua_rawlen(L, 1) == 0 &&
                    (lua_isnoneornil(L, 3) ||
                     (lua_type(L, 3) == LUA_TSTRING && lua_rawlen(L, 3) == 0));
  if (!is_nothing)
    return by_results(L);
  luaL_checkinteger(L, 2);
  lua_pushliteral(L, "");
  return 1;
}

/* ---- UTF-8: the work is the distance from the first position to the returned one ---- */

static int by_progress(lua_State *L, int index, lua_Integer otherwise) {
  lua_Integer from = lua_isinteger(L, index) ? lua_tointeger(L, index) : otherwise;
  int64_t length = length_of(L, 1);
  int results = call_real(L);
  lua_Integer to = results > 0 && lua_isinteger(L, -results) ? lua_tointeger(L, -results) : length;
  int64_t bytes = to > from ? to - from : from - to;
  bide_task_charge(L, (bytes < length ? bytes : length) / BYTES_PER_INSTRUCTION);
  return results;
}

/* offset(text, n, from): from the end backwards if n is negative */
static int offset(lua_State *L) {
  bool is_backwards = lua_isinteger(L, 2) && lua_tointeger(L, 2) < 0;
  return by_progress(L, 3, is_backwards ? length_of(L, 1) : 1);
}

static int next_code(lua_State *L) {
  return by_progress(L, 2, 0);
}

static int codes(lua_State *L) {
  int results = call_real(L);
  lua_pushvalue(L, -results);
  lua_pushcclosure(L, next_code, FUNCTION);
  lua_replace(L, -results - 1);
  return results;
}

/* ---- tables ------------------------------------------------------------------- */

static const char *const metamethods[] = {"__index", "__newindex", "__len",
                                          "__lt",    "__concat",   "__eq"};

/*
** Refuses metamethods: one that is a C function could be called for ever, without a Lua
** instruction.
*/
static void check_plain(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  if (!lua_getmetatable(L, index))
    return;
  for (size_t i = 0; i < sizeof metamethods / sizeof *metamethods; i++) {
    lua_pushstring(L, metamethods[i]); /* … metatable name */
    if (lua_rawget(L, -2) != LUA_TNIL)
      luaL_error(L, "table.%s: not of a table with %s for a sandboxed script",
                 lua_tostring(L, lua_upvalueindex(NAME)), metamethods[i]);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static int64_t moved_from(lua_State *L, int index) {
  int64_t count = (int64_t)lua_rawlen(L, 1);
  int64_t from = lua_isinteger(L, index) ? lua_tointeger(L, index) : count;
  return from < 1 || from > count ? 0 : (count - from) / MOVES_PER_INSTRUCTION;
}

static int concat(lua_State *L) {
  check_plain(L, 1);
  bide_task_charge(L, moved_from(L, 3) / 4);
  if (lua_isnoneornil(L, 3))
    bide_task_charge(L, (int64_t)lua_rawlen(L, 1) / 4);
  return by_results(L);
}

static int unpack(lua_State *L) {
  check_plain(L, 1);
  return by_results(L);
}

/* insert(list, position, value) moves the elements after the position */
static int insert(lua_State *L) {
  check_plain(L, 1);
  if (lua_gettop(L) == 3)
    bide_task_charge(L, moved_from(L, 2));
  return call_real(L);
}

static int remove_element(lua_State *L) {
  check_plain(L, 1);
  bide_task_charge(L, moved_from(L, 2));
  return call_real(L);
}

/* move(from, first, last, to, target) */
static int move(lua_State *L) {
  lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
  check_plain(L, 1);
  if (!lua_isnoneornil(L, 5))
    check_plain(L, 5);
  if (last >= first) {
    uint64_t count = (uint64_t)last - (uint64_t)first;
    if (count >= MOST_MOVED)
      return luaL_error(L, "table.move: at most %d elements for a sandboxed script", MOST_MOVED);
    bide_task_charge(L, (int64_t)count / MOVES_PER_INSTRUCTION);
  }
  return call_real(L);
}

/*
** Charges for the comparisons; the instructions of a Lua function that compares are counted
** besides.
*/
static int sort(lua_State *L) {
  int64_t count, rounds = 0;
  check_plain(L, 1);
  count = (int64_t)lua_rawlen(L, 1);
  while ((count >> rounds) > 1)
    rounds++;
  bide_task_charge(L, count * rounds / 2);
  return call_real(L);
}

/* ---- the module ----------------------------------------------------------------- */

static const struct {
  const char *name;
  lua_CFunction bounded;
} functions[] = {
  {"string.byte", by_results},    {"string.char", by_results},    {"string.format", by_first},
  {"string.lower", by_results},   {"string.pack", by_first},      {"string.packsize", by_first},
  {"string.rep", repeat},         {"string.reverse", by_results}, {"string.sub", by_results},
  {"string.unpack", by_first},    {"string.upper", by_results},   {"table.concat", concat},
  {"table.insert", insert},       {"table.move", move},           {"table.remove", remove_element},
  {"table.sort", sort},           {"table.unpack", unpack},       {"utf8.char", by_results},
  {"utf8.codepoint", by_results}, {"utf8.codes", codes},          {"utf8.len", by_texts},
  {"utf8.offset", offset},        {"os.date", by_first},          {"tonumber", by_texts},
  {"tostring", by_results},
};

static lua_CFunction find_bounded(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(functions[i].name, name) == 0)
      return functions[i].bounded;
  return NULL;
}

/*
** bounded.of(name, f) -> the function of Lua's library with that name, bounded | nil if it needs no
** bound
*/
static int of(lua_State *L) {
  const char *name = luaL_checkstring(L, 1), *dot = strchr(name, '.');
  lua_CFunction bounded = find_bounded(name);
  luaL_argcheck(L, lua_iscfunction(L, 2) && lua_getupvalue(L, 2, 1) == NULL, 2,
                "a C function without upvalues expected");
  if (bounded == NULL)
    return 0;
  lua_pushvalue(L, 2);
  lua_pushstring(L, dot != NULL ? dot + 1 : name); /* name f f "rep" */
  lua_pushcclosure(L, bounded, NAME);
  return 1;
}

/* bounded.charge(instructions): charges the script for other work */
static int charge(lua_State *L) {
  lua_Integer instructions = luaL_checkinteger(L, 1);
  luaL_argcheck(L, instructions >= 0, 1, "must be 0 or more");
  bide_task_charge(L, instructions);
  return 0;
}

const luaL_Reg bide_functions_bounded[] = {{"of", of}, {"charge", charge}, {NULL, NULL}};
