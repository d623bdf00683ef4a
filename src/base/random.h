/*
** A random number generator (xoshiro256**, public domain, Blackman and Vigna) whose state is a
** small plain value, so that the state of a wait can be stored and the same seed gives the same
** delays. Not for secrets.
*/
#ifndef BIDE_BASE_RANDOM_H
#define BIDE_BASE_RANDOM_H

#include <stdint.h>

typedef struct BideRandom {
  uint64_t state[4];
} BideRandom;

/* Seeds the generator. Every seed is valid, 0 included. */
void bide_random_seed(BideRandom *random, uint64_t seed);

/*
** Returns a whole number from `low` to `high`, both inclusive, all equally likely. Returns `low`
** if high < low.
*/
int64_t bide_random_between(BideRandom *random, int64_t low, int64_t high);

#endif
