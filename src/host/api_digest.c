/* bide.core.digest: SHA-256 and what stands on it. Annotated in lua/bide/meta/digest.lua. */
#include <lauxlib.h>

#include "base/sha256.h"
#include "host/api.h"

/* More would hold up everything else for too long: it is a tenth of a second. */
#define MOST_ITERATIONS 200000

static BideBytes check_bytes(lua_State *L, int position) {
  BideBytes bytes;
  bytes.bytes = luaL_checklstring(L, position, &bytes.length);
  return bytes;
}

static int push(lua_State *L, const unsigned char *digest) {
  lua_pushlstring(L, (const char *)digest, BIDE_SHA256_LENGTH);
  return 1;
}

static int digest_sha256(lua_State *L) {
  unsigned char digest[BIDE_SHA256_LENGTH];
  BideBytes message = check_bytes(L, 1);
  bide_sha256(message.bytes, message.length, digest);
  return push(L, digest);
}

static int digest_hmac(lua_State *L) {
  unsigned char digest[BIDE_SHA256_LENGTH];
  bide_sha256_hmac(check_bytes(L, 1), check_bytes(L, 2), digest);
  return push(L, digest);
}

static int digest_pbkdf2(lua_State *L) {
  unsigned char digest[BIDE_SHA256_LENGTH];
  lua_Integer iterations = luaL_checkinteger(L, 3);
  luaL_argcheck(L, iterations >= 1 && iterations <= MOST_ITERATIONS, 3, "wanted 1 to 200000 iterations");
  bide_sha256_pbkdf2(check_bytes(L, 1), check_bytes(L, 2), (uint32_t)iterations, digest);
  return push(L, digest);
}

static const luaL_Reg functions[] = {
  {"hmac", digest_hmac},
  {"pbkdf2", digest_pbkdf2},
  {"sha256", digest_sha256},
  {NULL, NULL}
};

int bide_open_digest(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
