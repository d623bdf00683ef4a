/*
** bide.digest: SHA-256, HMAC and PBKDF2, and SHA-1 for old protocols, by libcrypto. It is a module
** of its own, so that only runs with a password load libcrypto. Annotated in
** lua/bide/meta/digest.lua.
*/
#include <lauxlib.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/crypto_memory.h"
#include "base/export.h"
#include "host/failure.h"

#define DIGEST_LENGTH 32

/* They take a tenth of a second; more would delay everything else for too long. */
#define MOST_ITERATIONS 200000

BIDE_API int luaopen_bide_digest(lua_State *L);

/* Returns a length as an int, as libcrypto has it. */
static int check_length(lua_State *L, int position, size_t length) {
  luaL_argcheck(L, length <= INT_MAX, position, "too long");
  return (int)length;
}

/* What libcrypto makes after an allocation of its has failed is not to be trusted. */
static size_t shortages;

static void check_memory(lua_State *L) {
  size_t before = shortages;
  shortages = bide_crypto_memory_shortages();
  if (shortages != before)
    bide_failure_no_memory(L);
}

static int push(lua_State *L, const unsigned char *digest, int is_made) {
  check_memory(L);
  if (!is_made)
    return luaL_error(L, "libcrypto has no SHA-256");
  lua_pushlstring(L, (const char *)digest, DIGEST_LENGTH);
  return 1;
}

static int digest_sha256(lua_State *L) {
  unsigned char digest[DIGEST_LENGTH];
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  return push(L, digest, EVP_Digest(bytes, length, digest, NULL, EVP_sha256(), NULL));
}

static int digest_sha1(lua_State *L) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  size_t length;
  unsigned int size = 0;
  const char *bytes = luaL_checklstring(L, 1, &length);
  int is_made = EVP_Digest(bytes, length, digest, &size, EVP_sha1(), NULL);
  check_memory(L);
  if (!is_made)
    return luaL_error(L, "libcrypto has no SHA-1");
  lua_pushlstring(L, (const char *)digest, size);
  return 1;
}

static int digest_hmac(lua_State *L) {
  unsigned char digest[DIGEST_LENGTH];
  size_t key_length, length;
  const char *key = luaL_checklstring(L, 1, &key_length);
  const char *bytes = luaL_checklstring(L, 2, &length);
  return push(L, digest,
              HMAC(EVP_sha256(), key, check_length(L, 1, key_length), (const unsigned char *)bytes,
                   length, digest, NULL) != NULL);
}

static int digest_pbkdf2(lua_State *L) {
  unsigned char digest[DIGEST_LENGTH];
  size_t length, salt_length;
  const char *password = luaL_checklstring(L, 1, &length);
  const char *salt = luaL_checklstring(L, 2, &salt_length);
  lua_Integer iterations = luaL_checkinteger(L, 3);
  luaL_argcheck(L, iterations >= 1 && iterations <= MOST_ITERATIONS, 3,
                "expected 1 to 200000 iterations");
  return push(L, digest,
              PKCS5_PBKDF2_HMAC(password, check_length(L, 1, length), (const unsigned char *)salt,
                                check_length(L, 2, salt_length), (int)iterations, EVP_sha256(),
                                DIGEST_LENGTH, digest));
}

static const luaL_Reg functions[] = {
  {"hmac", digest_hmac}, {"pbkdf2", digest_pbkdf2},
  {"sha1", digest_sha1}, {"sha256", digest_sha256},
  {NULL, NULL},
};

int luaopen_bide_digest(lua_State *L) {
  bide_crypto_memory_init();
  luaL_newlib(L, functions);
  return 1;
}
