/*
** bide.secure: TLS over memory, which lua/bide/probe/peer/secure.lua drives over a socket. It is a
** module of its own, so that only runs with TLS beside HTTP load libssl. Annotated in
** lua/bide/meta/secure.lua.
*/
#include <lauxlib.h>
#include <limits.h>
#include <string.h>

#include "base/crypto_memory.h"
#include "base/export.h"
#include "host/argument.h"
#include "host/class.h"
#include "host/failure.h"
#include "net/tls.h"

static const BideClass authorities_class = {"bide.secure.authorities"};
static const BideClass session_class = {"bide.secure.session"};

BIDE_API int luaopen_bide_secure(lua_State *L);

static size_t shortages; /* of memory, as libcrypto counts them */

static int push_failure(lua_State *L, const BideError *error) {
  bide_failure_check_crypto(L, &shortages);
  if (error->code == BIDE_ERROR_MEMORY)
    return bide_failure_no_memory(L);
  return bide_failure_push_text(L, "TlsFailure", error->message);
}

/* ---- authorities ------------------------------------------------------------------------ */

static int free_authorities(lua_State *L) {
  BideTlsAuthorities **authorities = bide_class_check(L, 1, &authorities_class);
  bide_tls_authorities_free(*authorities);
  *authorities = NULL;
  return 0;
}

/* secure.authorities(pem | nil, folders | nil, of_system) -> authorities | nil, failure */
static int new_authorities(lua_State *L) {
  size_t length = 0;
  const char *text = luaL_optlstring(L, 1, NULL, &length);
  const char *folders = lua_isnoneornil(L, 2) ? NULL : bide_argument_text(L, 2);
  bool of_system = lua_toboolean(L, 3);
  BideError error = {.code = BIDE_OK};
  BideTlsAuthorities **authorities;
  luaL_argcheck(L, length <= INT_MAX, 1, "too long");
  lua_settop(L, 3);
  authorities = lua_newuserdatauv(L, sizeof *authorities, 0);
  *authorities = NULL;
  bide_class_set(L, &authorities_class);
  *authorities = bide_tls_authorities_new();
  if (*authorities == NULL)
    return bide_failure_no_memory(L);
  if (text != NULL && !bide_tls_authorities_add(*authorities, text, length, &error))
    return push_failure(L, &error);
  if (folders != NULL && !bide_tls_authorities_add_folders(*authorities, folders, &error))
    return push_failure(L, &error);
  if (of_system && !bide_tls_authorities_add_folders(*authorities, NULL, &error))
    return push_failure(L, &error);
  bide_failure_check_crypto(L, &shortages);
  return 1;
}

/* ---- sessions --------------------------------------------------------------------------- */

static int free_session(lua_State *L) {
  BideTls **session = bide_class_check(L, 1, &session_class);
  bide_tls_free(*session);
  *session = NULL;
  return 0;
}

static BideTls *check(lua_State *L) {
  BideTls **session = bide_class_check(L, 1, &session_class);
  if (*session == NULL)
    luaL_error(L, "the TLS session is closed");
  bide_failure_check_crypto(L, &shortages);
  return *session;
}

static const char *opt_long_text(lua_State *L, int index, size_t *length) {
  const char *text = luaL_optlstring(L, index, NULL, length);
  luaL_argcheck(L, text == NULL || *length <= INT_MAX, index, "too long");
  return text;
}

/*
** secure.session(host, trust, authorities | nil, protocols | nil, certificate | nil, key | nil,
** key_password | nil) -> session | nil, failure
*/
static int new_session(lua_State *L) {
  static const char *const trusts[] = {"host", "authority", "anything", NULL};
  BideTlsOptions options = {.host = bide_argument_text(L, 1)};
  BideError error = {.code = BIDE_OK};
  BideTls **session;
  options.trust = (BideTlsTrust)luaL_checkoption(L, 2, NULL, trusts);
  if (!lua_isnoneornil(L, 3))
    options.authorities = *(BideTlsAuthorities **)bide_class_check(L, 3, &authorities_class);
  luaL_argcheck(L, options.trust == BIDE_TLS_TRUST_ANYTHING || options.authorities != NULL, 3,
                "expected authorities");
  options.protocols = opt_long_text(L, 4, &options.protocols_length);
  options.certificate = opt_long_text(L, 5, &options.certificate_length);
  options.key = opt_long_text(L, 6, &options.key_length);
  luaL_argcheck(L, (options.certificate == NULL) == (options.key == NULL), 6,
                "expected both a certificate and a key, or neither");
  options.key_password = lua_isnoneornil(L, 7) ? NULL : bide_argument_text(L, 7);
  lua_settop(L, 7);
  session = lua_newuserdatauv(L, sizeof *session, 0);
  *session = NULL;
  bide_class_set(L, &session_class);
  *session = bide_tls_new(&options, &error);
  bide_failure_check_crypto(L, &shortages);
  return *session != NULL ? 1 : push_failure(L, &error);
}

/* Pushes the word of a state, or nil and the failure. */
static int push_state(lua_State *L, BideTlsState state, const BideError *error) {
  bide_failure_check_crypto(L, &shortages);
  switch (state) {
    case BIDE_TLS_DONE: lua_pushliteral(L, "done"); return 1;
    case BIDE_TLS_WANTS: lua_pushliteral(L, "wants"); return 1;
    case BIDE_TLS_CLOSED: lua_pushliteral(L, "closed"); return 1;
    case BIDE_TLS_FAILED: break;
  }
  return push_failure(L, error);
}

/* session:handshake() -> "done" | "wants" | "closed" | nil, failure */
static int handshake(lua_State *L) {
  BideError error = {.code = BIDE_OK};
  return push_state(L, bide_tls_handshake(check(L), &error), &error);
}

/* session:feed(bytes) -> the number of bytes that were taken */
static int feed(lua_State *L) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 2, &length);
  BideTls *session = check(L);
  length = bide_tls_feed(session, bytes, length);
  bide_failure_check_crypto(L, &shortages);
  lua_pushinteger(L, (lua_Integer)length);
  return 1;
}

/* session:drain() -> bytes to send, "" if there are none */
static int drain(lua_State *L) {
  BideTls *session = check(L);
  char bytes[BIDE_TLS_RECORD];
  size_t length = bide_tls_drain(session, bytes, sizeof bytes);
  lua_pushlstring(L, bytes, length);
  return 1;
}

/* session:read() -> "done", bytes | "wants" | "closed" | nil, failure */
static int read_bytes(lua_State *L) {
  BideTls *session = check(L);
  char bytes[BIDE_TLS_RECORD];
  size_t length;
  BideError error = {.code = BIDE_OK};
  BideTlsState state = bide_tls_read(session, bytes, sizeof bytes, &length, &error);
  if (state != BIDE_TLS_DONE)
    return push_state(L, state, &error);
  bide_failure_check_crypto(L, &shortages);
  lua_pushliteral(L, "done");
  lua_pushlstring(L, bytes, length);
  return 2;
}

/* session:write(bytes) -> "done" | "wants" | nil, failure */
static int write_bytes(lua_State *L) {
  BideError error = {.code = BIDE_OK};
  size_t length;
  const char *bytes = luaL_checklstring(L, 2, &length);
  luaL_argcheck(L, length <= BIDE_TLS_RECORD, 2, "expected at most 16384 bytes");
  return push_state(L, bide_tls_write(check(L), bytes, length, &error), &error);
}

/* session:finish() */
static int finish(lua_State *L) {
  bide_tls_finish(check(L));
  bide_failure_check_crypto(L, &shortages);
  return 0;
}

/* ---- what was agreed on ----------------------------------------------------------------- */

static void set_text(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

static void set_integer(lua_State *L, const char *name, int64_t number) {
  lua_pushinteger(L, number);
  lua_setfield(L, -2, name);
}

/* session:problem() -> { kind, words, depth } | nil */
static int problem(lua_State *L) {
  BideTlsProblem found;
  if (!bide_tls_problem(check(L), &found))
    return 0;
  lua_createtable(L, 0, 3);
  set_text(L, "kind", found.kind);
  set_text(L, "words", found.words);
  set_integer(L, "depth", found.depth);
  return 1;
}

/* session:agreement() -> { version, cipher, protocol } */
static int agreement(lua_State *L) {
  size_t length;
  const char *protocol;
  lua_createtable(L, 0, 3);
  set_text(L, "version", bide_tls_version(check(L)));
  set_text(L, "cipher", bide_tls_cipher(check(L)));
  protocol = bide_tls_protocol(check(L), &length);
  if (protocol != NULL) {
    lua_pushlstring(L, protocol, length);
    lua_setfield(L, -2, "protocol");
  }
  return 1;
}

static void push_certificate(lua_State *L, const BideTlsCertificate *found) {
  const char *name = found->names;
  bide_failure_check_crypto(L, &shortages);
  lua_createtable(L, 0, 6);
  set_text(L, "subject", found->subject);
  set_text(L, "issuer", found->issuer);
  set_text(L, "fingerprint", found->fingerprint);
  set_integer(L, "not_before", found->not_before);
  set_integer(L, "not_after", found->not_after);
  lua_createtable(L, (int)found->name_count, 0); /* certificate names */
  for (size_t i = 0; i < found->name_count; i++) {
    lua_pushstring(L, name);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
    name += strlen(name) + 1;
  }
  lua_setfield(L, -2, "names");
}

/* session:certificate(position, from 1) -> certificate | nil */
static int certificate(lua_State *L) {
  BideTls *session = check(L);
  lua_Integer position = luaL_checkinteger(L, 2);
  BideTlsCertificate found;
  if (position < 1 || !bide_tls_certificate(session, (size_t)position - 1, &found))
    return 0;
  push_certificate(L, &found);
  return 1;
}

/* session:first_to_expire() -> certificate | nil */
static int first_to_expire(lua_State *L) {
  BideTlsCertificate found;
  if (!bide_tls_first_to_expire(check(L), &found))
    return 0;
  push_certificate(L, &found);
  return 1;
}

/* session:binding() -> digest | nil */
static int binding(lua_State *L) {
  unsigned char digest[BIDE_TLS_DIGEST];
  size_t length = bide_tls_binding(check(L), digest);
  bide_failure_check_crypto(L, &shortages);
  if (length == 0)
    return 0;
  lua_pushlstring(L, (const char *)digest, length);
  return 1;
}

static const luaL_Reg authorities_methods[] = {{"__gc", free_authorities}, {NULL, NULL}};

static const luaL_Reg session_methods[] = {
  {"agreement", agreement},
  {"binding", binding},
  {"first_to_expire", first_to_expire},
  {"certificate", certificate},
  {"close", free_session},
  {"drain", drain},
  {"feed", feed},
  {"finish", finish},
  {"handshake", handshake},
  {"problem", problem},
  {"read", read_bytes},
  {"write", write_bytes},
  {"__gc", free_session},
  {"__close", free_session},
  {NULL, NULL},
};

static const luaL_Reg functions[] = {
  {"authorities", new_authorities},
  {"session", new_session},
  {NULL, NULL},
};

int luaopen_bide_secure(lua_State *L) {
  bide_crypto_memory_init();
  bide_class_define(L, &authorities_class, authorities_methods);
  bide_class_define(L, &session_class, session_methods);
  luaL_newlib(L, functions);
  return 1;
}
