/*
** bide.digest: SHA-256, HMAC and chains of it, and SHA-1 for old protocols, by libcrypto. It is a
** module of its own, so that only runs with a password load libcrypto. Annotated in
** lua/bide/meta/digest.lua.
*/
#include <lauxlib.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>

#include "base/crypto_memory.h"
#include "base/export.h"
#include "host/failure.h"

#define DIGEST_LENGTH 32

/* They take 1 ms; more would delay everything else for too long. */
#define MOST_ROUNDS 4096

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

/* Replaces the block by its HMAC in each round, and adds it to the sum by exclusive or. */
static int make_chain(EVP_MAC_CTX *context, unsigned char *block, unsigned char *sum,
                      lua_Integer rounds) {
  size_t length;
  for (lua_Integer round = 0; round < rounds; round++) {
    if (!EVP_MAC_init(context, NULL, 0, NULL) || !EVP_MAC_update(context, block, DIGEST_LENGTH) ||
        !EVP_MAC_final(context, block, &length, DIGEST_LENGTH))
      return 0;
    for (int i = 0; i < DIGEST_LENGTH; i++)
      sum[i] ^= block[i];
  }
  return 1;
}

/* Returns a context of HMAC-SHA-256 with a key, or NULL. */
static EVP_MAC_CTX *new_context(const unsigned char *key, size_t length) {
  char name[] = "SHA256";
  OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string("digest", name, 0),
                             OSSL_PARAM_construct_end()};
  EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  EVP_MAC_CTX *context = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
  EVP_MAC_free(mac);
  if (context == NULL || EVP_MAC_init(context, key, length, parameters))
    return context;
  EVP_MAC_CTX_free(context);
  return NULL;
}

/* digest.hmac_chain(key, block, rounds) -> the last block, the sum of all */
static int digest_hmac_chain(lua_State *L) {
  unsigned char block[DIGEST_LENGTH], sum[DIGEST_LENGTH] = {0};
  size_t key_length, length;
  const char *key = luaL_checklstring(L, 1, &key_length);
  const char *first = luaL_checklstring(L, 2, &length);
  lua_Integer rounds = luaL_checkinteger(L, 3);
  luaL_argcheck(L, length == DIGEST_LENGTH, 2, "expected 32 bytes");
  luaL_argcheck(L, rounds >= 0 && rounds <= MOST_ROUNDS, 3, "expected 0 to 4096 rounds");
  for (int i = 0; i < DIGEST_LENGTH; i++)
    block[i] = (unsigned char)first[i];
  EVP_MAC_CTX *context = new_context((const unsigned char *)key, key_length);
  int is_made = context != NULL && make_chain(context, block, sum, rounds);
  EVP_MAC_CTX_free(context);
  push(L, block, is_made);
  return 1 + push(L, sum, is_made);
}

static const luaL_Reg functions[] = {
  {"hmac", digest_hmac}, {"hmac_chain", digest_hmac_chain},
  {"sha1", digest_sha1}, {"sha256", digest_sha256},
  {NULL, NULL},
};

int luaopen_bide_digest(lua_State *L) {
  bide_crypto_memory_init();
  luaL_newlib(L, functions);
  return 1;
}
