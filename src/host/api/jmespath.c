/*
** bide.core.jmespath: expressions for Lua. Annotated in
** lua/bide/meta/jmespath.lua.
*/
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "host/api/modules.h"
#include "host/class.h"
#include "host/failure.h"
#include "host/memory.h"
#include "host/task.h"
#include "host/values/document.h"
#include "host/values/script_functions.h"
#include "host/values/shape_table.h"
#include "jmespath/analysis/condition.h"
#include "jmespath/asking.h"
#include "jmespath/function.h"
#include "jmespath/jmespath.h"
#include "jmespath/print.h"

static const BideClass expression_class = {"bide.expression"};

#define STEPS_PER_INSTRUCTION 2 /* of a search, in the time of one instruction of Lua */

/* The most memory that the scratch of an expression keeps between searches. */
#define MOST_KEPT ((size_t)1 << 20)

/*
** A compiled expression and the scratch of its searches, whose memory is used again by the next
** search.
*/
typedef struct Expression {
  BideArena arena;
  BideArena scratch;
  const BideExpression *compiled; /* NULL until it is compiled */
  bool is_busy;                   /* its scratch is in use */
} Expression;

/*
** A finalizer may use an expression that was collected before, together with the finalizer's
** object.
*/
static Expression *check_expression(lua_State *L, int index) {
  Expression *expression = bide_class_check(L, index, &expression_class);
  luaL_argcheck(L, expression->compiled != NULL, index, "the expression was collected");
  return expression;
}

static int collect_expression(lua_State *L) {
  Expression *expression = bide_class_check(L, 1, &expression_class);
  bide_arena_free(&expression->arena);
  bide_arena_free(&expression->scratch);
  expression->compiled = NULL;
  return 0;
}

static Expression *push_expression(lua_State *L) {
  Expression *expression = lua_newuserdatauv(L, sizeof *expression, 0);
  bide_arena_init(&expression->arena, 0);
  bide_arena_init(&expression->scratch, 0);
  expression->arena.budget = expression->scratch.budget = &bide_memory_of(L)->budget;
  expression->compiled = NULL;
  expression->is_busy = false;
  bide_class_set(L, &expression_class);
  return expression;
}

/* ---- failures ---- */

static int push_text_failure(lua_State *L, const BideError *error, const char *text,
                             size_t length) {
  bide_failure_push(L, error);
  bide_failure_add_text(L, error, bide_error_name(error->code), text, length);
  return 2;
}

/* ---- functions ---- */

/* jmespath.compile(text) -> expression | nil, failure */
static int jmespath_compile(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  Expression *expression = push_expression(L);
  BideError error;
  expression->compiled = bide_jmespath_compile(&expression->arena, bide_script_functions_of(L),
                                               text, length, &error);
  if (expression->compiled == NULL)
    return push_text_failure(L, &error, text, length);
  return 1;
}

static void append_name(lua_State *L, const BideFunction *function) {
  lua_pushstring(L, function->name);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/*
** jmespath.functions() -> the names of the functions of the language, then of those that scripts
** registered, the newest first
*/
static int jmespath_functions(lua_State *L) {
  const BideFunction *function;
  lua_newtable(L);
  for (size_t i = 0; (function = bide_function_at(i)) != NULL; i++)
    append_name(L, function);
  for (function = bide_script_functions_of(L); function != NULL; function = function->next)
    append_name(L, function);
  return 1;
}

/* ---- methods ---- */

static int push_search_failure(lua_State *L, const Expression *expression, const BideError *error) {
  size_t length;
  const char *text = bide_jmespath_text(expression->compiled, &length);
  return push_text_failure(L, error, text, length);
}

/*
** Searches on behalf of L. Raises the error of a registered function. Pushes a table of the
** documents that such functions returned, from which the result may borrow, or nil.
*/
static bool search(lua_State *L, Expression *expression, const BideValue *input,
                   const BideAnswer *answer, BideArena *scratch, BideValue *result,
                   BideError *error) {
  BideScriptFunctionsUse use;
  uint64_t steps;
  bool found;
  bide_script_functions_begin(L, bide_jmespath_depth(expression->compiled), &use);
  found = bide_jmespath_search(expression->compiled, input, answer, scratch, result, error, &steps);
  if (!found && scratch == &expression->scratch)
    expression->is_busy = false;
  bide_script_functions_end(L, &use);
  bide_task_charge(L, (int64_t)(steps / STEPS_PER_INSTRUCTION));
  return found;
}

/*
** Returns the expression's own scratch, or a new document's arena if the scratch is busy: a
** function that the expression calls, or a finalizer, may search with the same expression. A flag
** that an error has left set costs no more than a new arena.
*/
static BideArena *take_scratch(lua_State *L, Expression *expression) {
  if (expression->is_busy)
    return bide_document_push(L, 0)->arena;
  if (expression->scratch.used > MOST_KEPT)
    bide_arena_free(&expression->scratch);
  bide_arena_reset(&expression->scratch);
  expression->is_busy = true;
  return &expression->scratch;
}

/* expression:search(value) -> value | nil, failure */
static int expression_search(lua_State *L) {
  Expression *expression = check_expression(L, 1);
  BideValue input, result;
  BideArena *scratch;
  BideError error;
  lua_settop(L, 2);
  lua_pushnil(L); /* expression value keep */
  scratch = take_scratch(L, expression);
  if (!bide_document_from_lua(L, 2, 3, scratch, &input, &error)) {
    expression->is_busy = expression->is_busy && scratch != &expression->scratch;
    return bide_failure_push(L, &error);
  }
  if (!search(L, expression, &input, bide_document_answer(L, 2), scratch, &result, &error))
    return push_search_failure(L, expression, &error);
  bide_document_to_lua(L, &result);
  if (scratch == &expression->scratch)
    expression->is_busy = false;
  return 1;
}

/*
** expression:query(document) -> document | nil, failure. The new document keeps what its value may
** borrow from: the input, the expression and the documents that registered functions returned.
*/
static int expression_query(lua_State *L) {
  Expression *expression = check_expression(L, 1);
  const BideDocument *input = bide_document_check(L, 2);
  BideDocument *document;
  BideError error;
  lua_settop(L, 2);
  document = bide_document_push(L, 0);
  if (!search(L, expression, &input->root, bide_document_answer(L, 2), document->arena,
              &document->root, &error))
    return push_search_failure(L, expression, &error);
  lua_createtable(L, 3, 0); /* expression input document kept keep */
  for (int part = 1; part <= 3; part++) {
    lua_pushvalue(L, part < 3 ? part : 4);
    lua_rawseti(L, 5, part);
  }
  bide_document_keep(L, 3, 5);
  lua_settop(L, 3);
  return 1;
}

/* tostring(expression) -> its text */
static int expression_text(lua_State *L) {
  const Expression *expression = check_expression(L, 1);
  size_t length;
  const char *text = bide_jmespath_text(expression->compiled, &length);
  lua_pushlstring(L, text, length);
  return 1;
}

/*
** expression:analyse(shape | nil) -> analysis | nil, failure; the document holds it until it is
** pushed
*/
static int expression_analyse(lua_State *L) {
  const Expression *expression = check_expression(L, 1);
  BideDocument *document;
  const BideShape *input;
  BideAnalysis analysis;
  BideError error;
  lua_settop(L, 2);
  document = bide_document_push(L, 0); /* expression shape document */
  input = lua_isnil(L, 2) ? bide_shape_of_kind(BIDE_SHAPE_ANY)
                          : bide_shape_table_read(L, 2, document->arena);
  if (!bide_jmespath_analyse(expression->compiled, input, document->arena, &analysis, &error))
    return bide_failure_push(L, &error);
  bide_shape_table_push_analysis(L, expression->compiled, &analysis);
  return 1;
}

static const char *const yes_names[] = {
  [BIDE_YES_SUCCESS] = "success",
  [BIDE_YES_FAILURE] = "failure",
  [BIDE_YES_TRUTH] = "truth",
  [BIDE_YES_TEXT] = "text",
  [BIDE_YES_VALUE] = "value",
  [BIDE_YES_STRING_EQUALS] = "stringEquals",
  [BIDE_YES_BOOLEAN_EQUALS] = "booleanEquals",
  [BIDE_YES_ALL_STRING_EQUALS] = "allStringEquals",
  [BIDE_YES_ANY_STRING_EQUALS] = "anyStringEquals",
  [BIDE_YES_MESSAGE] = "message",
  NULL,
};

/* Pushes a set of the names. */
static void push_rules(lua_State *L) {
  lua_newtable(L);
  for (const char *const *name = yes_names; *name != NULL; name++) {
    lua_pushboolean(L, true);
    lua_setfield(L, -2, *name);
  }
}

static int push_reason(lua_State *L, const Expression *expression, const BideError *reason) {
  size_t length;
  const char *text = bide_jmespath_text(expression->compiled, &length);
  bide_failure_push_table(L, reason);
  bide_failure_add_text(L, reason, NULL, text, length);
  return 1;
}

/* expression:judge(yes, wanted | nil) -> verdict, reason | nil */
static int expression_judge(lua_State *L) {
  const Expression *expression = check_expression(L, 1);
  BideWanted wanted = {.yes = (BideYes)luaL_checkoption(L, 2, NULL, yes_names)};
  BideDocument *document;
  BidePossibility verdict;
  BideError reason;
  uint64_t steps;
  bool judged;
  lua_settop(L, 3);
  if (wanted.yes == BIDE_YES_TEXT ||
      (wanted.yes >= BIDE_YES_STRING_EQUALS && wanted.yes <= BIDE_YES_ANY_STRING_EQUALS))
    wanted.text = luaL_checklstring(L, 3, &wanted.length);
  lua_pushnil(L); /* expression yes wanted keep */
  document = bide_document_push(L, 0);
  if (wanted.yes == BIDE_YES_VALUE &&
      !bide_document_from_lua(L, 3, 4, document->arena, &wanted.value, &reason))
    return bide_failure_push(L, &reason);
  judged = bide_condition_judge(expression->compiled, &wanted, document->arena, &verdict, &steps,
                                &reason);
  bide_task_charge(L, (int64_t)(steps / STEPS_PER_INSTRUCTION));
  if (!judged)
    return bide_failure_push(L, &reason);
  lua_pushstring(L, bide_verdict_name(verdict));
  if (verdict == BIDE_VERDICT_MAYBE)
    return 1;
  return 1 + push_reason(L, expression, &reason);
}

/* expression:bare_word() -> mistake | nil */
static int expression_bare_word(lua_State *L) {
  const Expression *expression = check_expression(L, 1);
  BideError mistake;
  if (!bide_condition_bare_word(expression->compiled, &mistake))
    return 0;
  return push_reason(L, expression, &mistake);
}

/* expression:member_count() -> how many members it asks for by name, each at each of its places */
static int expression_member_count(lua_State *L) {
  const Expression *expression = check_expression(L, 1);
  lua_pushinteger(L, (lua_Integer)bide_asking_count(expression->compiled));
  return 1;
}

/*
** expression:asks_answer() -> whether it calls header(), status() or text(), whether it asks of the
** answer alone
*/
static int expression_asks_answer(lua_State *L) {
  const Expression *expression = check_expression(L, 1);
  lua_pushboolean(L, bide_jmespath_asks_answer(expression->compiled));
  lua_pushboolean(L, bide_asking_is_of_answer(expression->compiled));
  return 2;
}

/* expression:tree() -> document | nil, failure */
static int expression_tree(lua_State *L) {
  const Expression *expression = check_expression(L, 1);
  BideDocument *document;
  BideError error;
  lua_settop(L, 1);
  document = bide_document_push(L, 0);
  bide_document_keep(L, 2, 1);
  if (!bide_jmespath_tree(expression->compiled, document->arena, &document->root, &error))
    return bide_failure_push(L, &error);
  return 1;
}

/* jmespath.shape_of(value) -> shape | nil, failure */
static int jmespath_shape_of(lua_State *L) {
  BideDocument *document;
  const BideShape *shape;
  BideValue value;
  BideError error;
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  lua_pushnil(L); /* value keep */
  document = bide_document_push(L, 0);
  if (!bide_document_from_lua(L, 1, 2, document->arena, &value, &error))
    return bide_failure_push(L, &error);
  shape = bide_shape_of_value(document->arena, &value);
  if (shape == NULL)
    return bide_failure_no_memory(L);
  bide_shape_table_push(L, shape);
  return 1;
}

/* Returns expression.text, or a method, from the table in the upvalue. */
static int expression_index(lua_State *L) {
  check_expression(L, 1);
  if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "text") == 0)
    return expression_text(L);
  lua_settop(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  return 1;
}

/* expression:has_own() -> whether it calls a function of bide's own */
static int expression_has_own(lua_State *L) {
  lua_pushboolean(L, bide_jmespath_has_own(check_expression(L, 1)->compiled));
  return 1;
}

static const luaL_Reg methods[] = {
  {"search", expression_search},           {"query", expression_query},
  {"analyse", expression_analyse},         {"judge", expression_judge},
  {"bare_word", expression_bare_word},     {"tree", expression_tree},
  {"asks_answer", expression_asks_answer}, {"member_count", expression_member_count},
  {"has_own", expression_has_own},         {NULL, NULL},
};

const luaL_Reg bide_functions_jmespath[] = {
  {"compile", jmespath_compile},
  {"functions", jmespath_functions},
  {"register", bide_script_functions_register},
  {"new_vocabulary", bide_script_functions_add_vocabulary},
  {"restore_vocabulary", bide_script_functions_restore_vocabulary},
  {"vocabulary", bide_script_functions_vocabulary},
  {"use_vocabulary", bide_script_functions_use_vocabulary},
  {"shape_of", jmespath_shape_of},
  {NULL, NULL},
};

void bide_define_jmespath(lua_State *L) {
  push_rules(L);
  lua_setfield(L, -2, "rules");
  bide_class_push(L, &expression_class);
  lua_pushcfunction(L, collect_expression);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, expression_text);
  lua_setfield(L, -2, "__tostring");
  luaL_newlib(L, methods);
  lua_pushcclosure(L, expression_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
