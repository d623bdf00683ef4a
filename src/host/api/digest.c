/*
** bide.digest: SHA-256, HMAC and chains of it, and SHA-1 for old protocols, by libcrypto. It is a
** module of its own, so that only runs with a password load libcrypto. Annotated in
** lua/bide/meta/digest.lua.
*/
#define OPENSSL_SUPPRESS_DEPRECATED /* make_sha256 says why */

#include <lauxlib.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/crypto_memory.h"
#include "base/export.h"
#include "host/failure.h"

/* They take 1 ms; more would delay everything else for too long. */
#define MOST_ROUNDS 4096

BIDE_API int luaopen_bide_digest(lua_State *L);

static size_t shortages; /* of memory, as libcrypto counts them */

/*
** The functions by their names, and as libcrypto calls them. SHA-1 and MD5 are broken, and only for
** protocols that require them.
*/
enum { SHA256_POSITION, SHA512_POSITION, SHA1_POSITION, MD5_POSITION };

static const char *const names[] = {"sha256", "sha512", "sha1", "md5", NULL};
static const char *const names_of_libcrypto[] = {"SHA256", "SHA512", "SHA1", "MD5"};

static const EVP_MD *function_of(int position) {
  switch (position) {
    case SHA256_POSITION: return EVP_sha256();
    case SHA512_POSITION: return EVP_sha512();
    case SHA1_POSITION: return EVP_sha1();
    default: return EVP_md5();
  }
}

/* Returns the position of the function that is named at `index`; that of SHA-256 by default. */
static int check_function(lua_State *L, int index) {
  return luaL_checkoption(L, index, names[0], names);
}

static int push(lua_State *L, const unsigned char *digest, size_t length, bool is_made) {
  bide_failure_check_crypto(L, &shortages);
  if (!is_made)
    return luaL_error(L, "libcrypto does not make this digest");
  lua_pushlstring(L, (const char *)digest, length);
  return 1;
}

#ifndef OPENSSL_NO_DEPRECATED_3_0
/* Reports whether libcrypto is configured for FIPS, in which only a provider may make digests. */
static bool needs_provider(void) {
  static int answer = -1;
  if (answer < 0)
    answer = EVP_default_properties_is_fips_enabled(NULL) != 0;
  return answer != 0;
}

/*
** Makes the SHA-256 of two parts, by functions that are deprecated since they know no providers: to
** set these up takes a fifteenth of a wait for a service of AWS that needs no TLS.
*/
static bool make_sha256(unsigned char *digest, const void *first, size_t first_length,
                        const void *second, size_t second_length) {
  SHA256_CTX context;
  bool is_made = SHA256_Init(&context) && SHA256_Update(&context, first, first_length) &&
                 SHA256_Update(&context, second, second_length) && SHA256_Final(digest, &context);
  OPENSSL_cleanse(&context, sizeof context);
  return is_made;
}

/* Makes an HMAC of SHA-256, as RFC 2104 defines it. */
static bool make_hmac_sha256(unsigned char *digest, const void *key, size_t key_length,
                             const void *bytes, size_t length) {
  unsigned char inner[SHA256_CBLOCK] = {0}, outer[SHA256_CBLOCK];
  bool is_made = true;
  if (key_length > sizeof inner)
    is_made = make_sha256(inner, key, key_length, NULL, 0);
  else
    memcpy(inner, key, key_length);
  for (size_t i = 0; i < sizeof inner; i++) {
    outer[i] = inner[i] ^ 0x5C;
    inner[i] ^= 0x36;
  }
  is_made = is_made && make_sha256(digest, inner, sizeof inner, bytes, length) &&
            make_sha256(digest, outer, sizeof outer, digest, SHA256_DIGEST_LENGTH);
  OPENSSL_cleanse(inner, sizeof inner);
  OPENSSL_cleanse(outer, sizeof outer);
  return is_made;
}
#endif

static int push_digest(lua_State *L, int function) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  size_t length;
  unsigned int size = SHA256_DIGEST_LENGTH;
  const char *bytes = luaL_checklstring(L, 1, &length);
#ifndef OPENSSL_NO_DEPRECATED_3_0
  if (function == SHA256_POSITION && !needs_provider())
    return push(L, digest, size, make_sha256(digest, bytes, length, NULL, 0));
#endif
  bool is_made = EVP_Digest(bytes, length, digest, &size, function_of(function), NULL);
  return push(L, digest, size, is_made);
}

/* digest.of(bytes, name) */
static int digest_of(lua_State *L) {
  return push_digest(L, check_function(L, 2));
}

static int digest_sha256(lua_State *L) {
  return push_digest(L, SHA256_POSITION);
}

static int digest_sha1(lua_State *L) {
  return push_digest(L, SHA1_POSITION);
}

/* digest.hmac(key, bytes, name) */
static int digest_hmac(lua_State *L) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  size_t key_length, length;
  unsigned int size = SHA256_DIGEST_LENGTH;
  const char *key = luaL_checklstring(L, 1, &key_length);
  const char *bytes = luaL_checklstring(L, 2, &length);
  int function = check_function(L, 3);
  luaL_argcheck(L, key_length <= INT_MAX, 1, "too long");
#ifndef OPENSSL_NO_DEPRECATED_3_0
  if (function == SHA256_POSITION && !needs_provider())
    return push(L, digest, size, make_hmac_sha256(digest, key, key_length, bytes, length));
#endif
  bool is_made = HMAC(function_of(function), key, (int)key_length, (const unsigned char *)bytes,
                      length, digest, &size) != NULL;
  return push(L, digest, size, is_made);
}

/* Replaces the block by its HMAC in each round, and adds it to the sum by exclusive or. */
static bool make_chain(EVP_MAC_CTX *context, unsigned char *block, unsigned char *sum, size_t size,
                       lua_Integer rounds) {
  size_t length;
  for (lua_Integer round = 0; round < rounds; round++) {
    if (!EVP_MAC_init(context, NULL, 0, NULL) || !EVP_MAC_update(context, block, size) ||
        !EVP_MAC_final(context, block, &length, size))
      return false;
    for (size_t i = 0; i < size; i++)
      sum[i] ^= block[i];
  }
  return true;
}

/* Returns a context of HMAC with a key, or NULL. */
static EVP_MAC_CTX *new_context(int function, const unsigned char *key, size_t length) {
  char *name = (char *)(uintptr_t)names_of_libcrypto[function]; /* it is only read */
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

/* digest.hmac_chain(key, block, rounds, name) -> the last block, the sum of all */
static int digest_hmac_chain(lua_State *L) {
  unsigned char block[EVP_MAX_MD_SIZE], sum[EVP_MAX_MD_SIZE] = {0};
  size_t key_length, length;
  const char *key = luaL_checklstring(L, 1, &key_length);
  const char *first = luaL_checklstring(L, 2, &length);
  lua_Integer rounds = luaL_checkinteger(L, 3);
  int function = check_function(L, 4);
  luaL_argcheck(L, length == (size_t)EVP_MD_get_size(function_of(function)), 2,
                "expected a digest of the function");
  luaL_argcheck(L, rounds >= 0 && rounds <= MOST_ROUNDS, 3, "expected 0 to 4096 rounds");
  memcpy(block, first, length);
  EVP_MAC_CTX *context = new_context(function, (const unsigned char *)key, key_length);
  bool is_made = context != NULL && make_chain(context, block, sum, length, rounds);
  EVP_MAC_CTX_free(context);
  push(L, block, length, is_made);
  return 1 + push(L, sum, length, is_made);
}

static const luaL_Reg functions[] = {
  {"hmac", digest_hmac}, {"hmac_chain", digest_hmac_chain}, {"of", digest_of},
  {"sha1", digest_sha1}, {"sha256", digest_sha256},         {NULL, NULL},
};

int luaopen_bide_digest(lua_State *L) {
  bide_crypto_memory_init();
  luaL_newlib(L, functions);
  return 1;
}
