#include "host/api/http_options.h"

#include <lauxlib.h>
#include <stddef.h>
#include <string.h>

#include "host/failure.h"
#include "host/host.h"

const char *bide_http_options_text(lua_State *L, int index, const char *name) {
  size_t length;
  const char *text;
  if (lua_type(L, index) != LUA_TSTRING)
    luaL_error(L, "the option '%s' must be a string", name);
  text = lua_tolstring(L, index, &length);
  if (strlen(text) != length) {
    bide_failure_push_operation_error(L, strcmp(name, "url") == 0 ? "InvalidUrl" : "InvalidRequest",
                                      lua_pushfstring(L, "the %s holds a NUL byte", name));
    lua_error(L);
  }
  return text;
}

static void read_body(lua_State *L, int index, BideHttpRequest *request) {
  request->body = lua_tolstring(L, index, &request->body_length);
  if (request->body == NULL)
    luaL_error(L, "the option 'body' must be a string");
  request->has_body = true;
}

/* Leaves the text on the stack, which keeps it. */
static const char *header_text(lua_State *L, int list, lua_Integer place) {
  lua_rawgeti(L, list, place);
  return bide_http_options_text(L, -1, "headers");
}

#define MOST_HEADERS 10000

/*
** Reads the headers in the table at `list`: name, value, name, value. Leaves them and their array
** on the stack.
*/
static void read_headers(lua_State *L, int list, BideHttpRequest *request) {
  BideHttpHeader *headers;
  size_t count;
  luaL_checktype(L, list, LUA_TTABLE);
  count = lua_rawlen(L, list) / 2;
  if (count > MOST_HEADERS)
    luaL_error(L, "more than 10000 headers");
  luaL_checkstack(L, 2 * (int)count + LUA_MINSTACK, "too many headers");
  headers = lua_newuserdatauv(L, (count + 1) * sizeof *headers, 0);
  for (size_t i = 0; i < count; i++) {
    headers[i].name = header_text(L, list, (lua_Integer)(2 * i + 1));
    headers[i].value = header_text(L, list, (lua_Integer)(2 * i + 2));
  }
  request->headers = headers;
  request->header_count = count;
}

/* The offset of a member; it does not compile if the member has another type. */
#define MEMBER(type, member) \
  _Generic(((BideHttpRequest *)0)->member, type : offsetof(BideHttpRequest, member))

typedef struct Member {
  const char *name;
  size_t offset;
} Member;

static const Member texts[] = {
  {"method", MEMBER(const char *, method)},
  {"url", MEMBER(const char *, url)},
  {"user", MEMBER(const char *, user)},
  {"password", MEMBER(const char *, password)},
  {"bearer", MEMBER(const char *, bearer)},
  {"certificate", MEMBER(const char *, certificate)},
  {"key", MEMBER(const char *, key)},
  {"key_password", MEMBER(const char *, key_password)},
  {"ca", MEMBER(const char *, authority)},
  {"ca_folder", MEMBER(const char *, authority_folder)},
  {"unix_socket", MEMBER(const char *, unix_socket)},
  {"address", MEMBER(const char *, address)},
  {"proxy", MEMBER(const char *, proxy)},
};

static const Member integers[] = {
  {"number", MEMBER(int64_t, number)},
  {"timeout", MEMBER(int64_t, timeout)},
  {"connect_timeout", MEMBER(int64_t, connect_timeout)},
  {"idle_timeout", MEMBER(int64_t, idle_timeout)},
  {"body_limit", MEMBER(int64_t, body_limit)},
};

static bool read_text(lua_State *L, const char *name, int index, BideHttpRequest *request) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(name, texts[i].name) == 0) {
      const char **member = (const char **)(void *)((char *)request + texts[i].offset);
      *member = bide_http_options_text(L, index, name);
      return true;
    }
  return false;
}

static bool read_integer(lua_State *L, const char *name, int index, BideHttpRequest *request) {
  int is_integer;
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
    if (strcmp(name, integers[i].name) == 0) {
      int64_t *member = (int64_t *)(void *)((char *)request + integers[i].offset);
      *member = lua_tointegerx(L, index, &is_integer);
      if (!is_integer)
        luaL_error(L, "the option '%s' must be an integer", name);
      return true;
    }
  return false;
}

/* The prefix of the options of lua/bide/probe/http/redirect.lua, which follows redirects. */
#define FOLLOWING "redirect_"

static void read_option(lua_State *L, const char *name, int index, BideHttpRequest *request) {
  if (strcmp(name, "body") == 0)
    read_body(L, index, request);
  else if (strcmp(name, "insecure") == 0)
    request->insecure = lua_toboolean(L, index);
  else if (strcmp(name, "http2") == 0)
    request->version = lua_toboolean(L, index) ? BIDE_HTTP_2 : BIDE_HTTP_1;
  else if (!read_text(L, name, index, request) && !read_integer(L, name, index, request) &&
           strncmp(name, FOLLOWING, sizeof FOLLOWING - 1) != 0)
    luaL_error(L, "unknown option '%s'", name);
}

/* A proxy of the environment would lead to any address. */
static bool has_policy(lua_State *L) {
  return *bide_host_policy(bide_host_check(L)) != NULL;
}

void bide_http_options_read(lua_State *L, int options, BideHttpRequest *request) {
  int headers = 0;
  memset(request, 0, sizeof *request);
  lua_pushnil(L);
  while (lua_next(L, options)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_error(L, "the names of options must be strings");
    luaL_checkstack(L, LUA_MINSTACK, "too many options");
    lua_insert(L, -2); /* value name */
    if (strcmp(lua_tostring(L, -1), "headers") == 0)
      headers = lua_gettop(L) - 1;
    else
      read_option(L, lua_tostring(L, -1), lua_gettop(L) - 1, request);
  }
  if (headers != 0)
    read_headers(L, headers, request);
  if (request->method == NULL || request->url == NULL)
    luaL_error(L, "a request must have a method and a url");
  if (request->proxy == NULL && (!bide_http_environment_has_proxy() || has_policy(L)))
    request->proxy = "";
}
