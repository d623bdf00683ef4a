/*
** Random numbers as a small plain value (xoshiro256**, public domain, Blackman
** and Vigna), so that the state of a wait can be written down and the same seed
** gives the same delays. Not for secrets; those come from bide_random_bytes.
*/
#ifndef BIDE_BASE_RANDOM_H
#define BIDE_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BideRandom {
  uint64_t state[4];
} BideRandom;

/* Every seed is good, 0 too. */
void bide_random_seed(BideRandom *random, uint64_t seed);

/*
** A whole number between `low` and `high`, both inclusive, each as likely as
** the others. Where high < low, low is returned.
*/
int64_t bide_random_between(BideRandom *random, int64_t low, int64_t high);

/* Fills `bytes` from the system's randomness; false when it cannot be had. */
bool bide_random_bytes(void *bytes, size_t length);

#endif
