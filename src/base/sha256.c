#include "base/sha256.h"

#include <string.h>

#define BLOCK 64

typedef struct Hash {
  uint32_t state[8];
  uint64_t length; /* in bytes, of all that came */
  unsigned char block[BLOCK];
} Hash;

static const uint32_t constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned count) {
  return word >> count | word << (32 - count);
}

static uint32_t read_word(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void write_word(unsigned char *bytes, uint32_t word) {
  for (unsigned i = 0; i < 4; i++)
    bytes[i] = (unsigned char)(word >> (24 - 8 * i));
}

/* ---- blocks ---- */

static void expand(const unsigned char *block, uint32_t schedule[64]) {
  for (size_t i = 0; i < 16; i++)
    schedule[i] = read_word(block + 4 * i);
  for (size_t i = 16; i < 64; i++) {
    uint32_t early = schedule[i - 15], late = schedule[i - 2];
    schedule[i] = schedule[i - 16] + schedule[i - 7] + (rotate(early, 7) ^ rotate(early, 18) ^ early >> 3) +
                  (rotate(late, 17) ^ rotate(late, 19) ^ late >> 10);
  }
}

/* `w` are the eight working variables, a to h. */
static void turn(uint32_t w[8], uint32_t input) {
  uint32_t choice = (w[4] & w[5]) ^ (~w[4] & w[6]);
  uint32_t majority = (w[0] & w[1]) ^ (w[0] & w[2]) ^ (w[1] & w[2]);
  uint32_t first = w[7] + (rotate(w[4], 6) ^ rotate(w[4], 11) ^ rotate(w[4], 25)) + choice + input;
  uint32_t second = (rotate(w[0], 2) ^ rotate(w[0], 13) ^ rotate(w[0], 22)) + majority;
  memmove(w + 1, w, 7 * sizeof *w);
  w[4] += first;
  w[0] = first + second;
}

static void compress(uint32_t state[8], const unsigned char *block) {
  uint32_t schedule[64], working[8];
  expand(block, schedule);
  memcpy(working, state, sizeof working);
  for (size_t i = 0; i < 64; i++)
    turn(working, schedule[i] + constants[i]);
  for (size_t i = 0; i < 8; i++)
    state[i] += working[i];
}

/* ---- a hash ---- */

static void begin(Hash *hash) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, start, sizeof start);
  hash->length = 0;
}

static void add(Hash *hash, const void *bytes, size_t length) {
  const unsigned char *next = bytes;
  for (size_t i = 0; i < length; i++) {
    hash->block[hash->length++ % BLOCK] = next[i];
    if (hash->length % BLOCK == 0)
      compress(hash->state, hash->block);
  }
}

static void finish(Hash *hash, unsigned char *digest) {
  uint64_t bits = hash->length * 8;
  unsigned char length[8];
  write_word(length, (uint32_t)(bits >> 32));
  write_word(length + 4, (uint32_t)bits);
  add(hash, "\x80", 1);
  while (hash->length % BLOCK != BLOCK - sizeof length)
    add(hash, "", 1);
  add(hash, length, sizeof length);
  for (size_t i = 0; i < 8; i++)
    write_word(digest + 4 * i, hash->state[i]);
}

void bide_sha256(const void *bytes, size_t length, unsigned char digest[BIDE_SHA256_LENGTH]) {
  Hash hash;
  begin(&hash);
  add(&hash, bytes, length);
  finish(&hash, digest);
}

/* ---- with a key ---- */

/* The inner and the outer hash, both past the block that the key is. */
typedef struct Keyed {
  Hash inner, outer;
} Keyed;

static void begin_padded(Hash *hash, const unsigned char key[BLOCK], unsigned char padding) {
  unsigned char block[BLOCK];
  for (size_t i = 0; i < BLOCK; i++)
    block[i] = key[i] ^ padding;
  begin(hash);
  add(hash, block, sizeof block);
}

static void begin_keyed(Keyed *keyed, BideBytes key) {
  unsigned char block[BLOCK] = {0};
  if (key.length > BLOCK)
    bide_sha256(key.bytes, key.length, block);
  else if (key.length > 0)
    memcpy(block, key.bytes, key.length);
  begin_padded(&keyed->inner, block, 0x36);
  begin_padded(&keyed->outer, block, 0x5c);
}

/* `keyed` serves again: the hashes that go on are copies. */
static void finish_keyed(const Keyed *keyed, BideBytes first, BideBytes second, unsigned char *digest) {
  Hash inner = keyed->inner, outer = keyed->outer;
  add(&inner, first.bytes, first.length);
  add(&inner, second.bytes, second.length);
  finish(&inner, digest);
  add(&outer, digest, BIDE_SHA256_LENGTH);
  finish(&outer, digest);
}

static const BideBytes nothing = {"", 0};

void bide_sha256_hmac(BideBytes key, BideBytes message, unsigned char digest[BIDE_SHA256_LENGTH]) {
  Keyed keyed;
  begin_keyed(&keyed, key);
  finish_keyed(&keyed, message, nothing, digest);
}

void bide_sha256_pbkdf2(BideBytes password, BideBytes salt, uint32_t iterations,
                        unsigned char digest[BIDE_SHA256_LENGTH]) {
  static const BideBytes first_block = {"\0\0\0\1", 4};
  unsigned char round[BIDE_SHA256_LENGTH];
  BideBytes previous = {round, sizeof round};
  Keyed keyed;
  begin_keyed(&keyed, password);
  finish_keyed(&keyed, salt, first_block, round);
  memcpy(digest, round, sizeof round);
  for (uint32_t i = 1; i < iterations; i++) {
    finish_keyed(&keyed, previous, nothing, round);
    for (size_t j = 0; j < sizeof round; j++)
      digest[j] ^= round[j];
  }
}
