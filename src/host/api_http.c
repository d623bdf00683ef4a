/*
** bide.transfer: HTTP transfers, a Lua module of its own, since libcurl takes
** longer to load than all the rest of bide. Annotated in lua/bide/meta/transfer.lua.
*/
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "host/host.h"
#include "host/response.h"
#include "host/waker.h"
#include "net/http.h"

#define TRANSFER "bide.transfer"

static const char client_key = 0;

/* What a transfer's user values keep alive, or remember. */
enum { WAKER = 1, CLIENT, RESPONSE };

typedef struct LuaTransfer {
  BideTransfer *transfer; /* NULL when it is closed */
  BideWaker *waker;
  bool finished;
} LuaTransfer;

/* ---- the client --------------------------------------------------------- */

static int close_client(lua_State *L) {
  BideHttpClient **client = lua_touserdata(L, 1);
  if (*client != NULL)
    bide_http_client_destroy(*client);
  *client = NULL;
  return 0;
}

static BideHttpClient **push_closed_client(lua_State *L) {
  BideHttpClient **client = lua_newuserdatauv(L, sizeof(BideHttpClient *), 0);
  *client = NULL;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_client);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return client;
}

/*
** Pushes the client of this state, made at its first use. A state that closes
** collects in the reverse order of making: transfers, then the client, then the
** host with the loop. NULL where that has already happened.
*/
static BideHttpClient *push_client(lua_State *L) {
  BideHttpClient **client;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &client_key) != LUA_TNIL)
    return *(BideHttpClient **)lua_touserdata(L, -1);
  lua_pop(L, 1);
  client = push_closed_client(L);
  *client = bide_http_client_create(bide_host_loop(bide_host_of(L)));
  if (*client == NULL)
    luaL_error(L, "libcurl cannot be set up");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &client_key);
  return *client;
}

/* ---- options ------------------------------------------------------------ */

static void push_error(lua_State *L, const char *type, const char *message) {
  lua_createtable(L, 0, 3);
  lua_pushstring(L, type);
  lua_setfield(L, -2, "type");
  lua_pushstring(L, message);
  lua_setfield(L, -2, "message");
}

/* libcurl's text ends at a NUL: what stands behind one would be lost in silence. */
static const char *check_text(lua_State *L, const char *name) {
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  if (text == NULL)
    luaL_error(L, "the option '%s' must be a string", name);
  if (strlen(text) != length) {
    push_error(L, strcmp(name, "url") == 0 ? "InvalidUrl" : "InvalidRequest",
               lua_pushfstring(L, "the %s holds a NUL byte", name));
    lua_error(L);
  }
  return text;
}

/* The text stays on the stack, which keeps it until the transfer has copied it. */
static const char *text_option(lua_State *L, const char *name) {
  return lua_getfield(L, 1, name) == LUA_TNIL ? NULL : check_text(L, name);
}

static int64_t integer_option(lua_State *L, const char *name) {
  int is_integer = 1;
  lua_Integer integer = 0;
  if (lua_getfield(L, 1, name) != LUA_TNIL)
    integer = lua_tointegerx(L, -1, &is_integer);
  if (!is_integer)
    luaL_error(L, "the option '%s' must be an integer", name);
  lua_pop(L, 1);
  return integer;
}

static bool flag_option(lua_State *L, const char *name) {
  bool flag;
  lua_getfield(L, 1, name);
  flag = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return flag;
}

static void read_body(lua_State *L, BideHttpRequest *request) {
  if (lua_getfield(L, 1, "body") == LUA_TNIL)
    return;
  request->body = lua_tolstring(L, -1, &request->body_length);
  if (request->body == NULL)
    luaL_error(L, "the option 'body' must be a string");
  request->has_body = true;
}

static const char *header_text(lua_State *L, int list, lua_Integer place) {
  const char *text;
  lua_rawgeti(L, list, place);
  text = check_text(L, "headers");
  lua_pop(L, 1); /* the list keeps it */
  return text;
}

/* `headers` is a list: name, value, name, value. */
static void read_headers(lua_State *L, BideHttpRequest *request) {
  size_t count;
  int list;
  BideHttpHeader *headers;
  if (lua_getfield(L, 1, "headers") == LUA_TNIL)
    return;
  luaL_checktype(L, -1, LUA_TTABLE);
  list = lua_gettop(L);
  count = lua_rawlen(L, list) / 2;
  headers = lua_newuserdatauv(L, (count + 1) * sizeof *headers, 0);
  for (size_t i = 0; i < count; i++) {
    headers[i].name = header_text(L, list, (lua_Integer)(2 * i + 1));
    headers[i].value = header_text(L, list, (lua_Integer)(2 * i + 2));
  }
  request->headers = headers;
  request->header_count = count;
}

/* All that is read stays on the stack until the caller returns. */
static void read_options(lua_State *L, BideHttpRequest *request) {
  memset(request, 0, sizeof *request);
  luaL_checkstack(L, 30, NULL);
  request->method = text_option(L, "method");
  request->url = text_option(L, "url");
  if (request->method == NULL || request->url == NULL)
    luaL_error(L, "the options 'method' and 'url' are required");
  read_headers(L, request);
  read_body(L, request);
  request->agent = text_option(L, "agent");
  request->user = text_option(L, "user");
  request->password = text_option(L, "password");
  request->bearer = text_option(L, "bearer");
  request->certificate = text_option(L, "certificate");
  request->key = text_option(L, "key");
  request->authority = text_option(L, "ca");
  request->unix_socket = text_option(L, "unix_socket");
  request->proxy = text_option(L, "proxy");
  request->insecure = flag_option(L, "insecure");
  request->timeout = integer_option(L, "timeout");
  request->connect_timeout = integer_option(L, "connect_timeout");
  request->body_limit = integer_option(L, "body_limit");
  request->max_redirects = (int)integer_option(L, "max_redirects");
}

/* ---- transfers ---------------------------------------------------------- */

static void on_done(BideTransfer *transfer, void *context) {
  LuaTransfer *self = context;
  (void)transfer;
  self->finished = true;
  bide_waker_fire(self->waker);
}

static LuaTransfer *check(lua_State *L) {
  return luaL_checkudata(L, 1, TRANSFER);
}

static int close_transfer(lua_State *L) {
  LuaTransfer *self = check(L);
  if (self->transfer != NULL)
    bide_http_free(self->transfer);
  self->transfer = NULL;
  return 0;
}

static LuaTransfer *push_closed_transfer(lua_State *L, BideWaker *waker) {
  LuaTransfer *self = lua_newuserdatauv(L, sizeof *self, RESPONSE);
  self->transfer = NULL;
  self->waker = waker;
  self->finished = false;
  luaL_setmetatable(L, TRANSFER);
  return self;
}

/* transfer.start(options, waker) -> transfer */
static int start(lua_State *L) {
  BideWaker *waker = bide_waker_check(L, 2);
  BideHttpClient *client;
  BideHttpRequest request;
  LuaTransfer *self;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  read_options(L, &request);
  client = push_client(L);
  if (client == NULL)
    return luaL_error(L, "the Lua state closes");
  self = push_closed_transfer(L, waker); /* client transfer */
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, WAKER);
  lua_pushvalue(L, -2);
  lua_setiuservalue(L, -2, CLIENT);
  self->transfer = bide_http_start(client, &request, on_done, self);
  if (self->transfer == NULL)
    return luaL_error(L, "not enough memory");
  return 1;
}

static void push_failure(lua_State *L, const BideHttpResult *result) {
  push_error(L, result->error, result->message);
  if (result->address[0] == '\0')
    return;
  lua_pushstring(L, result->address);
  lua_setfield(L, -2, "address");
}

/* transfer:result() -> response | nil, error */
static int result(lua_State *L) {
  LuaTransfer *self = check(L);
  BideHttpResult *answer;
  if (lua_getiuservalue(L, 1, RESPONSE) != LUA_TNIL)
    return 1;
  if (self->transfer == NULL || !self->finished)
    return luaL_error(L, "the transfer is %s", self->transfer == NULL ? "closed" : "not finished");
  answer = bide_http_result(self->transfer);
  if (answer->error != NULL) {
    push_failure(L, answer);
    return 2;
  }
  bide_response_push(L, answer);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, RESPONSE);
  return 1;
}

/* transfer.version() -> string */
static int version(lua_State *L) {
  lua_pushstring(L, bide_http_version());
  return 1;
}

static const luaL_Reg methods[] = {
  {"result", result},
  {NULL, NULL}
};

static const luaL_Reg metamethods[] = {
  {"__gc", close_transfer},
  {"__close", close_transfer},
  {NULL, NULL}
};

static const luaL_Reg functions[] = {
  {"start", start},
  {"version", version},
  {NULL, NULL}
};

LUAMOD_API int luaopen_bide_transfer(lua_State *L);

int luaopen_bide_transfer(lua_State *L) {
  luaL_newmetatable(L, TRANSFER);
  luaL_setfuncs(L, metamethods, 0);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  luaL_newlib(L, functions);
  bide_response_push_methods(L);
  lua_setfield(L, -2, "methods");
  return 1;
}
