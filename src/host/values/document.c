#include "host/values/document.h"

#include <lauxlib.h>
#include <string.h>

#include "host/class.h"
#include "host/failure.h"
#include "host/memory.h"
#include "host/task.h"
#include "host/values/scratch.h"
#include "json/packed.h"
#include "json/reader.h"
#include "json/writer.h"

static const BideClass document_class = {"bide.document"};
static const BideClass packed_class = {"bide.document"};   /* a document packed into its userdata */
static const BideClass answered_class = {"bide.document"}; /* a view with an answer */
static const BideClass compact_class = {"bide.document"};  /* the text of a document */

/* A document is packed if its text, or the packed value, has at most this number of bytes. */
#define SMALL_TEXT ((size_t)512)
#define SMALL ((size_t)2048)

static int collect_document(lua_State *L) {
  BideDocument *document = bide_class_check(L, 1, &document_class);
  bide_arena_free(document->arena);
  document->root = bide_value_null();
  return 0;
}

int bide_document_push_repairs(lua_State *L, const BideJsonRepairs *repairs) {
  char note[BIDE_JSON_REPAIRS_TEXT];
  if (bide_json_repairs_describe(repairs, note) == 0)
    return 1;
  lua_pushnil(L);
  lua_pushstring(L, note);
  if (repairs->repeated == 0)
    return 3;
  if (repairs->lacks_names)
    lua_pushboolean(L, true);
  else
    lua_pushlstring(L, repairs->names, repairs->length);
  return 4;
}

/* The metatable has its finalizer before any document has the metatable. */
static void push_metatable(lua_State *L) {
  if (bide_class_push(L, &document_class)) {
    lua_pushcfunction(L, collect_document);
    lua_setfield(L, -2, "__gc");
  }
}

static void set_methods(lua_State *L, const luaL_Reg *methods, const luaL_Reg *metamethods) {
  luaL_setfuncs(L, metamethods, 0);
  lua_newtable(L); /* metatable methods */
  luaL_setfuncs(L, methods, 0);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

void bide_document_set_methods(lua_State *L, const luaL_Reg *methods, const luaL_Reg *metamethods) {
  static const BideClass *const others[] = {&packed_class, &answered_class, &compact_class};
  push_metatable(L);
  set_methods(L, methods, metamethods);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    bide_class_push(L, others[i]);
    set_methods(L, methods, metamethods);
  }
}

BideDocument *bide_document_push(lua_State *L, size_t limit) {
  BideMemory *memory = bide_memory_of(L);
  BideDocument *document;
  bide_memory_make_room(L, memory);
  document = lua_newuserdatauv(L, sizeof *document + sizeof *document->arena, 1);
  bide_arena_init(document->arena, limit);
  document->arena->budget = &memory->budget;
  document->root = bide_value_null();
  push_metatable(L);
  lua_setmetatable(L, -2);
  return document;
}

_Static_assert(_Alignof(BideDocument) >= _Alignof(BideMember), "members may follow a document");

/* Returns the document at `index`, NULL for a compact one too. */
static BideDocument *test_read(lua_State *L, int index) {
  BideDocument *document = bide_class_test(L, index, &packed_class);
  if (document == NULL)
    document = bide_class_test(L, index, &document_class);
  return document != NULL ? document : bide_class_test(L, index, &answered_class);
}

/* Pushes the document at `known` if its value is `root`. */
static bool push_known(lua_State *L, const BideValue *root, int known) {
  const BideDocument *document = known != 0 ? test_read(L, known) : NULL;
  if (document == NULL || !bide_packed_is_same(root, &document->root))
    return false;
  lua_pushvalue(L, known);
  return true;
}

/* Pushes the known document or a packed copy of `root`; returns false if it is not small. */
static bool push_packed(lua_State *L, const BideValue *root, int known) {
  size_t room = SMALL;
  BideDocument *document;
  if (push_known(L, root, known))
    return true;
  if (!bide_packed_fits(root, &room))
    return false;
  document = lua_newuserdatauv(L, sizeof *document + SMALL - room, 0);
  document->root = bide_packed_copy(root, (char *)(document + 1), SMALL - room);
  bide_class_push(L, &packed_class); /* which has no finalizer */
  lua_setmetatable(L, -2);
  return true;
}

/* Replaces the document on top by the known one if that is the same. */
static void prefer_known(lua_State *L, const BideDocument *document, int known) {
  if (push_known(L, &document->root, known))
    lua_replace(L, -2);
}

/*
** Reads a small text first into an arena whose only block is on the C stack, so that nothing has
** to be freed, whatever happens. If this fails for any reason, reads the text again, into a
** document that is not small, or for the error.
*/
bool bide_document_push_json(lua_State *L, const char *text, size_t length, size_t limit, int known,
                             const BideJsonOptions *options, BideError *error) {
  _Alignas(BIDE_ARENA_ALIGNMENT) char block[2 * SMALL];
  BideDocument *document;
  BideArena arena;
  BideValue root;
  int64_t mark;
  bool is_read;
  bide_arena_init_within(&arena, block, sizeof block);
  if (length <= SMALL_TEXT && bide_json_read(&arena, text, length, options, &root, NULL) &&
      push_packed(L, &root, known))
    return true;
  document = bide_document_push(L, limit);
  mark = bide_task_begin_own_work(bide_host_of(L));
  is_read = bide_json_read(document->arena, text, length, options, &document->root, error);
  bide_task_end_own_work(bide_host_of(L), mark);
  if (is_read) {
    prefer_known(L, document, known);
    return true;
  }
  if (document->arena->starved)
    bide_failure_no_memory(L);
  lua_pop(L, 1);
  return false;
}

/* A packed document borrows from no other document. */
bool bide_document_push_lua(lua_State *L, int index, int known, BideError *error) {
  _Alignas(BIDE_ARENA_ALIGNMENT) char block[2 * SMALL];
  BideDocument *document;
  BideArena arena;
  BideValue root;
  int keep;
  index = lua_absindex(L, index);
  bide_arena_init_within(&arena, block, sizeof block);
  lua_pushnil(L);
  keep = lua_gettop(L);
  if (bide_document_from_lua(L, index, keep, &arena, &root, error) &&
      push_packed(L, &root, known)) {
    lua_remove(L, keep);
    return true;
  }
  document = bide_document_push(L, 0); /* keep document */
  if (!bide_document_from_lua(L, index, keep, document->arena, &document->root, error)) {
    lua_pop(L, 2);
    return false;
  }
  bide_document_keep(L, -1, keep);
  prefer_known(L, document, known);
  lua_remove(L, keep);
  return true;
}

/* ---- compact documents -------------------------------------------------------- */

typedef struct Compact {
  size_t length;
  char text[];
} Compact;

void bide_document_push_compact(lua_State *L, int index) {
  const BideDocument *document = bide_class_test(L, index, &packed_class);
  BideScratch *scratch;
  BideBuffer *text;
  BideError error;
  Compact *compact;
  int top;
  lua_pushvalue(L, index);
  if (document == NULL)
    return;
  top = lua_gettop(L);
  scratch = bide_scratch_push(L); /* document scratch */
  text = &scratch->buffer;
  if (bide_json_write(text, &document->root, 0, &error) &&
      bide_document_push_json(L, text->bytes, text->length, 0, top, NULL, &error) &&
      lua_rawequal(L, -1, top)) {
    compact = lua_newuserdatauv(L, sizeof *compact + text->length, 0);
    compact->length = text->length;
    memcpy(compact->text, text->bytes, text->length);
    bide_class_push(L, &compact_class);
    lua_setmetatable(L, -2);
    lua_replace(L, top);
  }
  bide_scratch_free(scratch);
  lua_settop(L, top);
}

bool bide_document_push_text(lua_State *L, int index) {
  const Compact *compact = bide_class_test(L, index, &compact_class);
  if (compact != NULL)
    lua_pushlstring(L, compact->text, compact->length);
  return compact != NULL;
}

/* Replaces the compact document at `index` by what its text says. */
static BideDocument *expand(lua_State *L, int index, const Compact *compact) {
  BideError error;
  index = lua_absindex(L, index);
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  if (!bide_document_push_json(L, compact->text, compact->length, 0, 0, NULL, &error))
    luaL_error(L, "bide: %s", error.message);
  lua_replace(L, index);
  return lua_touserdata(L, index);
}

BideDocument *bide_document_test(lua_State *L, int index) {
  BideDocument *document = test_read(L, index);
  const Compact *compact;
  if (document != NULL)
    return document;
  compact = bide_class_test(L, index, &compact_class);
  return compact != NULL ? expand(L, index, compact) : NULL;
}

BideDocument *bide_document_check(lua_State *L, int index) {
  BideDocument *document = bide_document_test(L, index);
  if (document == NULL)
    luaL_typeerror(L, index, document_class.name);
  return document;
}

/* ---- views -------------------------------------------------------------------- */

/* It begins as a document does, without an arena. */
typedef struct Answered {
  BideValue root;
  BideAnswer answer;
} Answered;

/* The user values of a view. */
enum { OF = 1, ANSWER };

void bide_document_push_plain(lua_State *L, int index) {
  if (bide_class_test(L, index, &answered_class) != NULL)
    lua_getiuservalue(L, index, OF);
  else
    lua_pushvalue(L, index);
}

void bide_document_push_answered(lua_State *L, int document, int index, const BideAnswer *answer) {
  Answered *view;
  document = lua_absindex(L, document);
  index = lua_absindex(L, index);
  view = lua_newuserdatauv(L, sizeof *view, ANSWER);
  view->root = bide_document_check(L, document)->root;
  view->answer = *answer;
  bide_document_push_plain(L, document);
  lua_setiuservalue(L, -2, OF);
  lua_pushvalue(L, index);
  lua_setiuservalue(L, -2, ANSWER);
  bide_class_push(L, &answered_class);
  lua_setmetatable(L, -2);
}

const BideAnswer *bide_document_answer(lua_State *L, int index) {
  const Answered *view = bide_class_test(L, index, &answered_class);
  return view != NULL ? &view->answer : NULL;
}

BideDocument *bide_document_check_answered(lua_State *L, int index, const BideAnswer **answer) {
  BideDocument *packed = bide_class_test(L, index, &packed_class);
  *answer = packed == NULL ? bide_document_answer(L, index) : NULL;
  return packed != NULL ? packed : bide_document_check(L, index);
}

void bide_document_keep(lua_State *L, int document, int index) {
  document = lua_absindex(L, document);
  lua_pushvalue(L, index);
  lua_setiuservalue(L, document, 1);
}
