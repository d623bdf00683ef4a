/*
** bide.transfer: HTTP transfers. It is a Lua module of its own, since libcurl takes longer to
** load than all the rest of bide. Annotated in lua/bide/meta/transfer.lua.
*/
#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>
#include <string.h>

#include "base/export.h"
#include "host/api/http_options.h"
#include "host/argument.h"
#include "host/class.h"
#include "host/failure.h"
#include "host/host.h"
#include "host/memory.h"
#include "host/values/response.h"
#include "host/values/scratch.h"
#include "host/waker.h"
#include "net/http.h"
#include "net/http_url.h"

static const BideClass transfer_class = {"bide.transfer"};
static const BideClass client_class = {"bide.client"};
static const BideClass stream_class = {"bide.stream"};

static const char client_key = 0;

/* The stack of transfer.exchange. */
enum { REQUEST = 1, MARK, NUMBER, CLIENT_AT };

/* The user value of a transfer. */
enum { CLIENT = 1 };

/*
** The user values of a client: a transfer that has ended, for the next exchange, or nil; and the
** User-Agent of requests.
*/
enum { SPARE = 1, AGENT, CLIENT_VALUES = AGENT };

typedef struct LuaTransfer {
  BideTransfer *transfer; /* NULL if it is closed */
  BideWaker waker;        /* fired when the transfer has ended */
} LuaTransfer;

/* ---- the client --------------------------------------------------------- */

static int collect_client(lua_State *L) {
  BideHttpClient **client = bide_class_check(L, 1, &client_class);
  if (*client != NULL)
    bide_http_client_destroy(*client);
  *client = NULL;
  return 0;
}

static BideHttpClient **push_closed_client(lua_State *L) {
  BideHttpClient **client = lua_newuserdatauv(L, sizeof(BideHttpClient *), CLIENT_VALUES);
  *client = NULL;
  bide_class_set(L, &client_class);
  return client;
}

/*
** Pushes the client of this state, created at its first use. A state that closes collects objects
** in the reverse order of their creation: transfers, then the client, then the host with the
** loop. Returns NULL if the client has been collected.
*/
static BideHttpClient *push_client(lua_State *L) {
  BideHttpClient **client;
  BideHost *host;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &client_key) != LUA_TNIL)
    return *(BideHttpClient **)lua_touserdata(L, -1);
  lua_pop(L, 1);
  host = bide_host_check(L);
  client = push_closed_client(L);
  *client = bide_http_client_create(bide_host_loop(host), bide_host_policy(host));
  if (*client == NULL)
    bide_failure_no_memory(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &client_key);
  return *client;
}

/* ---- transfers ---------------------------------------------------------- */

static void on_done(BideTransfer *transfer, void *context) {
  LuaTransfer *self = context;
  (void)transfer;
  bide_waker_fire(&self->waker);
}

static int close_transfer(lua_State *L) {
  LuaTransfer *self = bide_class_check(L, 1, &transfer_class);
  if (self->transfer != NULL)
    bide_http_free(self->transfer);
  self->transfer = NULL;
  return 0;
}

/* Pushes a new transfer of the client on top of the stack. */
static void push_new_transfer(lua_State *L) {
  LuaTransfer *self = lua_newuserdatauv(L, sizeof *self, CLIENT);
  *self = (LuaTransfer){.transfer = NULL};
  bide_class_set(L, &transfer_class);
  lua_pushvalue(L, -2); /* client transfer client */
  lua_setiuservalue(L, -2, CLIENT);
}

/* Pushes a transfer of the client on top of the stack, which has not begun. */
static LuaTransfer *push_closed_transfer(lua_State *L) {
  LuaTransfer *self;
  if (lua_getiuservalue(L, -1, SPARE) == LUA_TNIL) {
    lua_pop(L, 1);
    push_new_transfer(L);
  } else {
    lua_pushnil(L); /* client transfer nil */
    lua_setiuservalue(L, -3, SPARE);
  }
  self = lua_touserdata(L, -1);
  *self = (LuaTransfer){.transfer = NULL};
  return self;
}

/* Frees the transfer at `index`, which has ended, and keeps its userdata for the next exchange. */
static void spare(lua_State *L, int index, LuaTransfer *self) {
  bide_http_free(self->transfer);
  self->transfer = NULL;
  lua_getiuservalue(L, index, CLIENT);
  lua_pushvalue(L, index); /* client transfer */
  lua_setiuservalue(L, -2, SPARE);
  lua_pop(L, 1);
}

/*
** Collects garbage, such as bodies of earlier requests, if the copies of a request need the
** memory.
*/
static void make_room(lua_State *L, const BideHttpRequest *request) {
  if (request->budget->limit > 0 && !bide_budget_fits(request->budget, bide_http_copies(request)))
    lua_gc(L, LUA_GCCOLLECT);
}

static void push_operation_error(lua_State *L, const BideHttpResult *result) {
  bide_failure_push_operation_error(L, result->error, result->message);
  if (result->code != NULL) {
    lua_pushstring(L, result->code);
    lua_setfield(L, -2, "code");
  }
  if (result->status >= 200) { /* after a 1xx another answer follows */
    lua_pushinteger(L, result->status);
    lua_setfield(L, -2, "began");
  }
  if (result->address[0] == '\0')
    return;
  lua_pushstring(L, result->address);
  lua_setfield(L, -2, "address");
}

/*
** Raises that the policy refused the transfer, or that memory was short; or pushes nil and what
** bide lacked for it. Returns the number of values; 0 for an answer, or an error of the server.
*/
static int push_lack(lua_State *L, const BideHttpResult *result) {
  if (result->refusal[0] != '\0')
    bide_task_refuse(L, result->refusal);
  if (result->out_of_memory && !result->shortage) /* of the script: no answer for acceptors */
    bide_memory_of(L)->budget.refused = true;
  if (result->out_of_memory || result->shortage)
    return bide_failure_no_memory(L);
  if (result->lack == NULL)
    return 0;
  lua_pushnil(L);
  lua_pushstring(L, result->lack);
  return 2;
}

#define RAISED 0 /* in place of the number of values: the one on top is an error to raise */

/* Pushes the result of a transfer that has ended; returns the number of values. */
static int push_result(lua_State *L, LuaTransfer *self) {
  BideHttpResult *result = bide_http_result(self->transfer);
  int status = result->status, values = push_lack(L, result);
  if (values > 0)
    return values;
  if (result->error != NULL && result->is_of_last) {
    lua_pushnil(L);
    lua_pushnil(L);
    push_operation_error(L, result);
    return 3;
  }
  if (result->error != NULL) {
    push_operation_error(L, result);
    return RAISED;
  }
  bide_response_push(L, result);
  lua_pushnil(L);
  lua_pushinteger(L, status);
  return 3;
}

/*
** Sets what came of the transfer in the mark: the error on top of the stack, or of its results the
** response, or the failure of the last address.
*/
static void set_mark(lua_State *L, int values) {
  bool is_response = values == 3 && !lua_isnil(L, -3);
  if (lua_isnil(L, MARK) || values == 2)
    return;
  lua_pushvalue(L, is_response ? -3 : -1);
  lua_setfield(L, MARK, is_response ? "response" : "failure");
}

/* Continues when the transfer, at `index`, has ended, or too early if a script has resumed it. */
static int continue_exchange(lua_State *L, int status, lua_KContext index) {
  LuaTransfer *self = bide_class_check(L, (int)index, &transfer_class);
  int values;
  (void)status;
  lua_settop(L, (int)index);
  if (self->transfer == NULL)
    return luaL_error(L, "the transfer is closed");
  if (!self->waker.fired)
    return bide_task_pause_on(L, (int)index, &self->waker, continue_exchange);
  values = push_result(L, self);
  set_mark(L, values);
  spare(L, (int)index, self);
  return values == RAISED ? lua_error(L) : values;
}

/*
** Begins a transfer of the request by the client, which is at `index`. Leaves the values that it
** read.
*/
static BideTransfer *start(lua_State *L, int index, BideHttpClient *client,
                           void (*done)(BideTransfer *, void *), void *context) {
  BideHttpRequest request;
  BideTransfer *transfer;
  bide_http_options_read(L, REQUEST, &request);
  lua_getiuservalue(L, index, AGENT); /* … agent */
  request.agent = lua_tostring(L, -1);
  request.budget = &bide_memory_of(L)->budget;
  make_room(L, &request);
  transfer = bide_http_start(client, &request, done, context);
  if (transfer == NULL)
    bide_failure_no_memory(L);
  return transfer;
}

/* The upvalues of transfer.exchange: the text "number", and the client from its first use on. */
#define NUMBER_NAME lua_upvalueindex(1)
#define KEPT_CLIENT lua_upvalueindex(2)

/* Pushes the client, which is looked up once. */
static BideHttpClient *push_kept_client(lua_State *L) {
  BideHttpClient *client;
  lua_pushvalue(L, KEPT_CLIENT);
  if (lua_isuserdata(L, -1))
    return *(BideHttpClient **)lua_touserdata(L, -1);
  lua_pop(L, 1);
  client = push_client(L);
  lua_pushvalue(L, -1);
  lua_replace(L, KEPT_CLIENT);
  return client;
}

/*
** transfer.exchange(request, mark) -> response, nil, status | nil, what bide lacks | nil, nil,
** the operation error of the last of several addresses, each of which failed; raises the operation
** error of any other transfer that failed. Sets the response or the failure of the table `mark`, if
** there is one.
*/
static int exchange(lua_State *L) {
  BideHttpClient *client;
  LuaTransfer *self;
  int place;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, MARK);
  lua_pushvalue(L, NUMBER_NAME); /* request mark "number" */
  lua_rawget(L, REQUEST);        /* request mark number */
  client = push_kept_client(L);
  if (client == NULL)
    return luaL_error(L, "bide: the host is closed");
  self = push_closed_transfer(L); /* request mark number client transfer */
  place = lua_gettop(L);
  self->transfer = bide_http_start_again(client, lua_tointeger(L, NUMBER),
                                         &bide_memory_of(L)->budget, on_done, self);
  if (self->transfer == NULL)
    self->transfer = start(L, CLIENT_AT, client, on_done, self);
  self->waker.fired = bide_task_may_skip_pause(L) && bide_http_take_end(self->transfer);
  if (!self->waker.fired || bide_http_result(self->transfer)->error != NULL)
    lua_toclose(L, place); /* however this function ends; a good answer is read at once */
  return bide_task_pause_on(L, place, &self->waker, continue_exchange);
}

/* transfer.set_agent(text): the User-Agent of requests whose headers have none */
static int set_agent(lua_State *L) {
  bide_http_options_text(L, 1, "agent");
  lua_settop(L, 1);
  push_client(L);
  lua_pushvalue(L, 1); /* agent client agent */
  lua_setiuservalue(L, -2, AGENT);
  return 0;
}

/* ---- streams ------------------------------------------------------------- */

typedef struct LuaStream {
  BideTransfer *transfer; /* NULL if it is closed */
  BideWaker waker;        /* fired when something has come, or the transfer has ended */
  bool is_open;           /* the headers were reported */
  bool has_ended;
} LuaStream;

static void on_part(BideTransfer *transfer, void *context) {
  LuaStream *self = context;
  (void)transfer;
  bide_waker_fire(&self->waker);
}

static void on_end(BideTransfer *transfer, void *context) {
  LuaStream *self = context;
  self->has_ended = true;
  on_part(transfer, context);
}

static LuaStream *check_stream(lua_State *L) {
  return bide_class_check(L, 1, &stream_class);
}

/* stream:close(): ends the transfer; does nothing if it is closed */
static int close_stream(lua_State *L) {
  LuaStream *self = check_stream(L);
  if (self->transfer != NULL)
    bide_http_free(self->transfer);
  self->transfer = NULL;
  return 0;
}

/* Pushes the end of the stream: returns nothing, or raises. Returns nil and what bide lacked. */
static int push_end(lua_State *L, LuaStream *self) {
  BideHttpResult *result = bide_http_result(self->transfer);
  int values = push_lack(L, result);
  if (values > 0 || result->error == NULL)
    return values;
  push_operation_error(L, result);
  return lua_error(L);
}

/*
** Continues a read: pushes what has come, and the status. A pause that ends for another reason
** begins again.
*/
static int continue_read(lua_State *L, int status, lua_KContext context) {
  LuaStream *self = check_stream(L);
  BideBuffer *body;
  int answer;
  (void)status;
  (void)context;
  if (self->transfer == NULL)
    return luaL_error(L, "the stream is closed");
  body = &bide_http_result(self->transfer)->body;
  answer = bide_http_status(self->transfer);
  if (answer != 0 && (body->length > 0 || !self->is_open)) {
    self->is_open = true;
    lua_settop(L, 1);
    lua_pushlstring(L, body->bytes, body->length); /* stream bytes */
    lua_pushinteger(L, answer);
    if (self->transfer != NULL)
      bide_http_take_part(self->transfer);
    return 2;
  }
  if (self->has_ended)
    return push_end(L, self);
  self->waker = (BideWaker){.task = NULL};
  return bide_task_pause_on(L, 1, &self->waker, continue_read);
}

/*
** stream:read() -> bytes, status: what has come, "" for the headers alone | nothing at the end |
** nil, what bide lacks; raises the operation error of a transfer that failed
*/
static int read_stream(lua_State *L) {
  const LuaStream *self = check_stream(L);
  if (self->waker.task != NULL && !self->waker.fired)
    return luaL_error(L, "another task reads the stream");
  lua_settop(L, 1);
  return continue_read(L, LUA_OK, 0);
}

/* transfer.stream(request) -> stream; close it */
static int stream(lua_State *L) {
  BideHttpClient *client;
  LuaStream *self;
  luaL_checktype(L, REQUEST, LUA_TTABLE);
  lua_settop(L, REQUEST);
  client = push_client(L);
  if (client == NULL)
    return luaL_error(L, "bide: the host is closed");
  self = lua_newuserdatauv(L, sizeof *self, CLIENT);
  *self = (LuaStream){.transfer = NULL};
  bide_class_set(L, &stream_class);
  lua_insert(L, 2); /* request stream client */
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 2, CLIENT); /* request stream client */
  self->transfer = start(L, 3, client, on_end, self);
  bide_http_stream(self->transfer, on_part);
  lua_settop(L, 2);
  return 1;
}

/* transfer.close_idle(): closes connections that are kept and not used */
static int close_idle(lua_State *L) {
  BideHttpClient *client = push_client(L);
  if (client != NULL)
    bide_http_close_idle(client);
  return 0;
}

/* transfer.resolve(base, location) -> url, origin | nil */
static int resolve(lua_State *L) {
  const char *base = bide_argument_text(L, 1), *location = bide_argument_text(L, 2);
  BideScratch *scratch = bide_scratch_push(L);
  const char *end;
  if (!bide_http_url_resolve(&scratch->buffer, base, location))
    return 0;
  end = memchr(scratch->buffer.bytes, '\n', scratch->buffer.length);
  lua_pushlstring(L, scratch->buffer.bytes, (size_t)(end - scratch->buffer.bytes));
  /* base location scratch url */
  lua_pushlstring(L, end + 1, scratch->buffer.length - (size_t)(end + 1 - scratch->buffer.bytes));
  bide_scratch_free(scratch);
  return 2;
}

/* transfer.origin(url) -> origin | nil */
static int origin(lua_State *L) {
  size_t length;
  const char *url = luaL_checklstring(L, 1, &length);
  BideScratch *scratch = bide_scratch_push(L);
  if (strlen(url) != length || !bide_http_url_origin(&scratch->buffer, url))
    return 0;
  bide_scratch_push_text(L, scratch);
  return 1;
}

/* transfer.version() -> string */
static int version(lua_State *L) {
  lua_pushstring(L, bide_http_version());
  return 1;
}

static const luaL_Reg client_methods[] = {{"__gc", collect_client}, {NULL, NULL}};

static const luaL_Reg transfer_methods[] = {
  {"__gc", close_transfer},
  {"__close", close_transfer},
  {NULL, NULL},
};

static const luaL_Reg stream_methods[] = {
  {"read", read_stream}, {"close", close_stream}, {"__gc", close_stream}, {"__close", close_stream},
  {NULL, NULL},
};

static const luaL_Reg functions[] = {
  {"stream", stream},   {"set_agent", set_agent}, {"close_idle", close_idle},
  {"resolve", resolve}, {"origin", origin},       {"version", version},
  {NULL, NULL},
};

BIDE_API int luaopen_bide_transfer(lua_State *L);

int luaopen_bide_transfer(lua_State *L) {
  bide_host_open(L); /* a script may load this module before any other */
  bide_class_define(L, &client_class, client_methods);
  bide_class_define(L, &transfer_class, transfer_methods);
  bide_class_define(L, &stream_class, stream_methods);
  luaL_newlib(L, functions);
  lua_pushliteral(L, "number");
  lua_pushnil(L);
  lua_pushcclosure(L, exchange, 2);
  lua_setfield(L, -2, "exchange");
  bide_response_push_methods(L);
  lua_setfield(L, -2, "methods");
  return 1;
}
