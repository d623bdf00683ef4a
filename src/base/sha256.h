/*
** SHA-256 (FIPS 180-4), and on it HMAC (RFC 2104) and PBKDF2 (RFC 8018), by which a password is shown to a service
** without being sent. Digests are 32 bytes, in the caller's memory. Nothing here fails.
*/
#ifndef BIDE_BASE_SHA256_H
#define BIDE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define BIDE_SHA256_LENGTH 32

void bide_sha256(const void *bytes, size_t length, unsigned char digest[BIDE_SHA256_LENGTH]);

typedef struct BideBytes {
  const void *bytes;
  size_t length;
} BideBytes;

void bide_sha256_hmac(BideBytes key, BideBytes message, unsigned char digest[BIDE_SHA256_LENGTH]);

/* One block of PBKDF2; its time grows with `iterations`, of which there is one at least. */
void bide_sha256_pbkdf2(BideBytes password, BideBytes salt, uint32_t iterations,
                        unsigned char digest[BIDE_SHA256_LENGTH]);

#endif
