#include "host/values/response.h"

#include <lauxlib.h>
#include <string.h>

#include "base/text.h"
#include "host/argument.h"
#include "host/class.h"
#include "host/failure.h"
#include "host/values/document.h"
#include "host/values/headers.h"
#include "host/values/scratch.h"

static const BideClass response_class = {"bide.response"};

/* A body of the default limit fits, even if it has only empty arrays. */
#define DOCUMENT_LIMIT ((size_t)512 << 20)

/* The most bytes of a body that is copied into its response; a larger one is moved. */
#define SMALL_BODY ((size_t)4096)

/*
** Its texts are in `bytes`, so that most responses are one block of memory, collected without a
** finalizer.
*/
struct BideResponse {
  int status;
  const char *url;
  BideText headers;
  BideText body;           /* if it is small */
  BideJsonRepairs repairs; /* made when its document was read */
  bool is_being_read;      /* the bytes of the body must not be freed */
  const char *version;
  char address[64];
  char bytes[];
};

/* The user values of a response: the scratch with a large body, and what was created from it. */
enum { LARGE_BODY = 1, BODY, HEADERS, DOCUMENT, JSON, ORIGIN };

static BideResponse *test(lua_State *L, int index) {
  return bide_class_test(L, index, &response_class);
}

static BideResponse *check(lua_State *L) {
  return bide_class_check(L, 1, &response_class);
}

/* ---- headers ------------------------------------------------------------ */

static void push_headers(lua_State *L, BideResponse *response) {
  if (lua_getiuservalue(L, 1, HEADERS) != LUA_TNIL)
    return;
  lua_pop(L, 1);
  bide_headers_push_table(L, response->headers.bytes, response->headers.length);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, HEADERS);
}

/* response:header(name) -> its first value | nil; does not create the table of all headers */
static int header(lua_State *L) {
  const BideText *lines = &check(L)->headers;
  size_t length;
  const char *name = luaL_checklstring(L, 2, &length);
  return bide_headers_push(L, lines->bytes, lines->length, name, length) ? 1 : 0;
}

/* response:header_lines() -> the lines of its headers, as received */
static int header_lines(lua_State *L) {
  const BideText *lines = &check(L)->headers;
  lua_pushlstring(L, lines->length > 0 ? lines->bytes : "", lines->length);
  return 1;
}

static void push_media_type(lua_State *L, const BideResponse *response) {
  bide_headers_push_media_type(L, response->headers.bytes, response->headers.length);
}

/* response:media_type() -> "text/html" | nil */
static int media_type(lua_State *L) {
  push_media_type(L, check(L));
  return 1;
}

/* ---- the body ----------------------------------------------------------- */

/* Pushes the scratch with the large body, or nil; returns its buffer, or NULL. */
static BideBuffer *push_large_body(lua_State *L, int index) {
  BideScratch *scratch;
  lua_getiuservalue(L, index, LARGE_BODY);
  scratch = lua_touserdata(L, -1);
  return scratch != NULL ? &scratch->buffer : NULL;
}

/*
** Returns the body, wherever it is; its bytes live as long as the response. Of a large one that a
** closing state has collected already, nothing is left.
*/
static BideText find_body(lua_State *L, int index) {
  const BideResponse *response = lua_touserdata(L, index);
  const BideBuffer *large = push_large_body(L, index);
  BideText body = response->body;
  if (large != NULL)
    body = (BideText){large->bytes, large->length};
  if (lua_getiuservalue(L, index, BODY) != LUA_TNIL)
    body.bytes = lua_tolstring(L, -1, &body.length);
  lua_pop(L, 2);
  return body;
}

/* Pushes the body of the response at 1 as a string, which replaces a large one. */
static void push_body(lua_State *L, BideResponse *response) {
  BideText body = find_body(L, 1);
  BideBuffer *large;
  if (lua_getiuservalue(L, 1, BODY) != LUA_TNIL)
    return;
  lua_pop(L, 1);
  lua_pushlstring(L, body.bytes, body.length);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, BODY);
  large = push_large_body(L, 1);
  if (large != NULL && !response->is_being_read)
    bide_buffer_free(large);
  lua_pop(L, 1);
}

/* Lack of memory is raised: it is not an error of the service, which acceptors match. */
static void push_invalid_response(lua_State *L, const BideResponse *response,
                                  const BideError *error) {
  const char *type;
  if (error->code == BIDE_ERROR_MEMORY)
    bide_failure_no_memory(L);
  push_media_type(L, response); /* type */
  type = lua_isnil(L, -1) ? "no content type" : lua_tostring(L, -1);
  lua_pushfstring(L, "the body is not JSON (%s): %s, at line %d, column %d", type, error->message,
                  error->line, error->column); /* type message */
  bide_failure_push_operation_error(L, "InvalidResponse", lua_tostring(L, -1));
  lua_insert(L, -3); /* error type message */
  lua_pop(L, 2);
  lua_pushinteger(L, response->status);
  lua_setfield(L, -2, "status");
}

/* Pushes the response that owns the document of the one at 1: its original, or itself. */
static BideResponse *push_origin(lua_State *L) {
  if (lua_getiuservalue(L, 1, ORIGIN) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushvalue(L, 1);
  }
  return lua_touserdata(L, -1);
}

/* The places on the stack of push_document. */
enum { RESPONSE = 1, KNOWN, OWNER };

/*
** Reads the document of the origin. A finalizer that runs meanwhile may read the body as text,
** which must not free the bytes.
*/
static bool read_document(lua_State *L, BideResponse *origin, BideError *error) {
  const BideJsonOptions lenient = {.repairs = &origin->repairs};
  BideText body = find_body(L, OWNER);
  bool is_read;
  origin->is_being_read = true;
  is_read = bide_document_push_json(L, body.length > 0 ? body.bytes : "{}",
                                    body.length > 0 ? body.length : 2, DOCUMENT_LIMIT, KNOWN,
                                    &lenient, error);
  origin->is_being_read = false;
  return is_read;
}

/*
** Pushes the document of the response, or nil and an operation error. Returns the number of values
** pushed. On the stack are only the response and a known document, or nil, which is taken if the
** two are the same. An empty body is {}.
*/
static int push_document(lua_State *L, BideResponse *response) {
  BideResponse *origin = push_origin(L); /* response known owner */
  BideError error;
  if (lua_getiuservalue(L, OWNER, DOCUMENT) == LUA_TNIL) {
    lua_pop(L, 1);
    if (!read_document(L, origin, &error)) {
      lua_pushnil(L);
      push_invalid_response(L, response, &error);
      return 2; /* response known owner nil error */
    }
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, OWNER, DOCUMENT);
  }
  response->repairs = origin->repairs;
  return 1; /* response known owner document */
}

/* ---- methods ------------------------------------------------------------ */

/* Pushes the repairs of the response after the value on top; returns all values. */
static int push_repairs(lua_State *L, const BideResponse *response) {
  return bide_document_push_repairs(L, &response->repairs);
}

/* response:document() -> document | nil, error | document, nil, note, repeated */
static int document(lua_State *L) {
  BideResponse *response = check(L);
  lua_settop(L, RESPONSE);
  lua_pushnil(L);
  return push_document(L, response) == 1 ? push_repairs(L, response) : 2;
}

/*
** response:json() -> the body as Lua values | value, nil, note, repeated; raises the operation
** error InvalidResponse
*/
static int json(lua_State *L) {
  BideResponse *response = check(L);
  lua_settop(L, RESPONSE);
  if (lua_getiuservalue(L, RESPONSE, JSON) != LUA_TNIL)
    return push_repairs(L, response);
  if (push_document(L, response) != 1)
    return lua_error(L);
  bide_document_to_lua(L, &bide_document_check(L, -1)->root);
  lua_pushvalue(L, -1); /* response nil owner document value value */
  lua_setiuservalue(L, RESPONSE, JSON);
  return push_repairs(L, response);
}

static BideResponse *push_response(lua_State *L, const char *url, BideText headers, BideText body);

/* Copies a user value of the response at 1 to the copy on top. */
static void share_value(lua_State *L, int value) {
  lua_getiuservalue(L, 1, value);
  lua_setiuservalue(L, -2, value);
}

/* response:copy() -> response; a change of one is not seen in the other */
static int copy(lua_State *L) {
  BideResponse *response = check(L), *made;
  push_body(L, response); /* as a string, which both share */
  made = push_response(L, response->url, response->headers, (BideText){.length = 0});
  made->status = response->status;
  made->version = response->version;
  memcpy(made->address, response->address, sizeof made->address);
  share_value(L, BODY);
  push_origin(L);
  lua_setiuservalue(L, -2, ORIGIN); /* never a copy, so chains have one link */
  return 1;
}

/* The upvalue of response.read: the response whose small body it has read last, or nil. */
#define LATEST lua_upvalueindex(1)

/*
** Gives the response the document of the latest one if the bodies are the same to the byte, and no
** other document is known: a service mostly answers as it did before. Returns whether it did, and
** then pushes what push_document pushes.
*/
static bool take_latest(lua_State *L, BideResponse *response) {
  const BideResponse *latest = lua_touserdata(L, LATEST);
  size_t length = response->body.length;
  if (latest == NULL || length == 0 || latest->body.length != length ||
      memcmp(latest->body.bytes, response->body.bytes, length) != 0)
    return false;
  lua_pushvalue(L, RESPONSE);
  lua_getiuservalue(L, LATEST, DOCUMENT); /* response known owner document */
  if (!lua_isnil(L, KNOWN) && !lua_rawequal(L, KNOWN, -1)) {
    lua_settop(L, KNOWN);
    return false;
  }
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, RESPONSE, DOCUMENT);
  response->repairs = latest->repairs;
  return true;
}

int bide_response_read(lua_State *L) {
  static const char wish[] = "retry-after";
  BideResponse *response = test(L, RESPONSE);
  if (response == NULL)
    return 0;
  if (response->status >= 300) {
    lua_pushinteger(L, response->status);
    return 1;
  }
  lua_settop(L, KNOWN);
  if (take_latest(L, response)) {
    push_repairs(L, response);
  } else if (push_document(L, response) == 1) {
    push_repairs(L, response);
    if (response->body.length > 0) {
      lua_pushvalue(L, RESPONSE);
      lua_replace(L, LATEST);
    }
  }
  lua_settop(L, OWNER + 3); /* response known owner document error note */
  if (!bide_headers_push(L, response->headers.bytes, response->headers.length, wish,
                         sizeof wish - 1))
    lua_pushnil(L);
  lua_pushinteger(L, response->status);
  lua_replace(L, OWNER); /* response known status document error note wish */
  lua_pushboolean(L, response->body.length == 0 && find_body(L, RESPONSE).length == 0);
  return 6;
}

bool bide_response_parts(lua_State *L, int index, int document, BideResponseParts *parts) {
  const BideResponse *response = test(L, index);
  BideText body;
  bool is_own;
  if (response == NULL)
    return false;
  lua_getiuservalue(L, index, DOCUMENT);
  is_own = lua_rawequal(L, -1, document);
  lua_pop(L, 1);
  body = find_body(L, index);
  *parts = (BideResponseParts){.status = response->status,
                               .headers = response->headers.bytes,
                               .headers_length = response->headers.length,
                               .body = body.bytes,
                               .body_length = body.length};
  return is_own;
}

/* The body is a string, as that of a response that was read as text. */
int bide_response_make(lua_State *L) {
  lua_Integer status = luaL_checkinteger(L, 1);
  const char *url = bide_argument_text(L, 2);
  BideText headers;
  BideResponse *made;
  luaL_argcheck(L, status >= 100 && status <= 999, 1, "expected a status from 100 to 999");
  headers.bytes = luaL_checklstring(L, 3, &headers.length);
  luaL_checkstring(L, 4);
  lua_settop(L, 4);
  made = push_response(L, url, headers, (BideText){.length = 0});
  made->status = (int)status;
  made->version = "1.1";
  lua_pushvalue(L, 4);
  lua_setiuservalue(L, -2, BODY);
  return 1;
}

/* ---- views of documents ---------------------------------------------------- */

/* The body becomes a string if it is large, so that no later reader of it frees its bytes. */
static BideAnswer answer_of_response(lua_State *L, BideResponse *response) {
  int top = lua_gettop(L);
  BideText body;
  if (push_large_body(L, 1) != NULL)
    push_body(L, response);
  lua_settop(L, top);
  body = find_body(L, 1);
  return (BideAnswer){.headers = response->headers.bytes,
                      .headers_length = response->headers.length,
                      .text = body.bytes != NULL ? body.bytes : "",
                      .text_length = body.length,
                      .status = response->status};
}

/* Returns a text of the table at 1, which the table on top keeps. */
static BideText take_text(lua_State *L, const char *name) {
  BideText text = {NULL, 0};
  lua_pushstring(L, name);
  if (lua_rawget(L, 1) == LUA_TSTRING) {
    text.bytes = lua_tolstring(L, -1, &text.length);
    lua_setfield(L, -2, name);
  } else {
    lua_pop(L, 1);
  }
  return text;
}

/* Pushes a table that keeps the texts. */
static BideAnswer push_answer_of_table(lua_State *L) {
  BideText headers, text;
  BideAnswer answer = {.status = 0};
  lua_createtable(L, 0, 2);
  headers = take_text(L, "headers");
  text = take_text(L, "text");
  lua_pushliteral(L, "status");
  if (lua_rawget(L, 1) == LUA_TNUMBER)
    answer.status = (int64_t)lua_tointeger(L, -1);
  lua_pop(L, 1);
  answer.headers = headers.bytes;
  answer.headers_length = headers.length;
  answer.text = text.bytes;
  answer.text_length = text.length;
  return answer;
}

int bide_response_answered(lua_State *L) {
  BideResponse *response = test(L, RESPONSE);
  BideAnswer answer;
  if (response == NULL)
    luaL_checktype(L, 1, LUA_TTABLE);
  bide_document_check(L, 2);
  lua_settop(L, 2);
  if (response != NULL) {
    answer = answer_of_response(L, response);
    lua_pushvalue(L, 1);
  } else {
    answer = push_answer_of_table(L);
  }
  bide_document_push_answered(L, 2, 3, &answer);
  return 1;
}

static const luaL_Reg methods[] = {
  {"copy", copy}, {"document", document},         {"header", header},
  {"json", json}, {"header_lines", header_lines}, {"media_type", media_type},
  {NULL, NULL},
};

/* ---- fields ------------------------------------------------------------- */

/* Pushes a field of the response at 1; nothing if it has none of that name. */
static void push_field(lua_State *L, BideResponse *response, const char *name) {
  if (strcmp(name, "status") == 0)
    lua_pushinteger(L, response->status);
  else if (strcmp(name, "body") == 0)
    push_body(L, response);
  else if (strcmp(name, "headers") == 0)
    push_headers(L, response);
  else if (strcmp(name, "ok") == 0)
    lua_pushboolean(L, response->status >= 200 && response->status < 300);
  else if (strcmp(name, "url") == 0)
    lua_pushstring(L, response->url);
  else if (strcmp(name, "version") == 0)
    lua_pushstring(L, response->version);
  else if (strcmp(name, "address") == 0)
    lua_pushstring(L, response->address);
}

/* response.name: a method, from the table in the upvalue, or a field; else nil. */
static int get(lua_State *L) {
  BideResponse *response = check(L);
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL && lua_type(L, 2) == LUA_TSTRING)
    push_field(L, response, lua_tostring(L, 2));
  return 1;
}

static int to_text(lua_State *L) {
  lua_pushfstring(L, "response %d", check(L)->status);
  return 1;
}

/* ---- making ------------------------------------------------------------- */

static void push_metatable(lua_State *L) {
  if (!bide_class_push(L, &response_class))
    return;
  lua_pushcfunction(L, to_text);
  lua_setfield(L, -2, "__tostring");
  luaL_newlib(L, methods);
  lua_pushvalue(L, -1); /* metatable methods methods */
  lua_setfield(L, -3, "methods");
  lua_pushcclosure(L, get, 1);
  lua_setfield(L, -2, "__index");
}

void bide_response_push_methods(lua_State *L) {
  push_metatable(L);
  lua_getfield(L, -1, "methods");
  lua_remove(L, -2);
}

/* Copies a text to `*place`, and moves that behind it. */
static BideText store(char **place, BideText text) {
  BideText stored = {*place, text.length};
  if (text.length > 0)
    memcpy(*place, text.bytes, text.length);
  *place += text.length;
  return stored;
}

/* Pushes a response with copies of these texts. */
static BideResponse *push_response(lua_State *L, const char *url, BideText headers, BideText body) {
  BideText address = {url, strlen(url) + 1};
  size_t size = sizeof(BideResponse) + address.length + headers.length + body.length;
  BideResponse *response = lua_newuserdatauv(L, size, ORIGIN);
  char *place = response->bytes;
  memset(response, 0, sizeof *response);
  response->url = store(&place, address).bytes;
  response->headers = store(&place, headers);
  response->body = store(&place, body);
  push_metatable(L);
  lua_setmetatable(L, -2);
  return response;
}

/* Moves a large body to the response on top of the stack. */
static void move_body(lua_State *L, BideBuffer *body) {
  BideScratch *scratch = bide_scratch_push(L);
  scratch->buffer = *body;
  bide_buffer_init(body, 0);
  lua_setiuservalue(L, -2, LARGE_BODY);
}

void bide_response_push(lua_State *L, BideHttpResult *result) {
  BideText headers = {result->headers.bytes, result->headers.length};
  BideText body = {result->body.bytes, result->body.length};
  bool is_small = body.length <= SMALL_BODY;
  BideResponse *response = push_response(L, result->url, headers,
                                         is_small ? body : (BideText){.length = 0});
  response->status = result->status;
  response->version = result->http_version;
  memcpy(response->address, result->address, sizeof response->address);
  if (!is_small)
    move_body(L, &result->body);
}
