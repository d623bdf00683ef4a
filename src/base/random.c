#include "base/random.h"

/* Spreads one word of seed over the state (splitmix64), so the state is never all zero. */
static uint64_t spread(uint64_t *seed) {
  uint64_t z = *seed += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

void bide_random_seed(BideRandom *random, uint64_t seed) {
  for (int i = 0; i < 4; i++)
    random->state[i] = spread(&seed);
}

static uint64_t rotate_left(uint64_t x, int by) {
  return (x << by) | (x >> (64 - by));
}

static uint64_t next_word(BideRandom *random) {
  uint64_t *s = random->state;
  uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

int64_t bide_random_between(BideRandom *random, int64_t low, int64_t high) {
  uint64_t span, reject, word;
  if (high <= low)
    return low;
  span = (uint64_t)high - (uint64_t)low + 1;
  if (span == 0) /* all of int64 */
    return (int64_t)next_word(random);
  reject = (UINT64_MAX - span + 1) % span; /* 2^64 mod span: would favour small numbers */
  do
    word = next_word(random);
  while (word < reject);
  return (int64_t)((uint64_t)low + word % span);
}
