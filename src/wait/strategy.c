#include "wait/strategy.h"

#include <math.h>

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* Returns base * 2^doublings, at most cap. Compares by shifting cap down, to avoid overflow. */
static int64_t doubled(const BideStrategy *strategy, uint64_t doublings) {
  if (doublings > 62 || strategy->base > strategy->cap >> doublings)
    return strategy->cap;
  return strategy->base << doublings;
}

/* Returns base * growth^exponent in whole milliseconds, at most cap. A power may be infinite. */
static int64_t ceiling_of(const BideStrategy *strategy, uint64_t exponent) {
  double ceiling;
  if (strategy->growth == 2)
    return doubled(strategy, exponent);
  ceiling = (double)strategy->base * pow(strategy->growth, (double)exponent);
  return ceiling < (double)strategy->cap ? smaller(strategy->cap, llround(ceiling)) : strategy->cap;
}

static int64_t equal_jitter(int64_t ceiling, BideRandom *random) {
  int64_t half = ceiling / 2;
  return half + bide_random_between(random, 0, ceiling - half);
}

static int64_t decorrelated_jitter(const BideStrategy *strategy, int64_t previous,
                                   BideRandom *random) {
  int64_t before = previous > strategy->base ? previous : strategy->base;
  int64_t highest = before > INT64_MAX / 3 ? INT64_MAX : before * 3;
  return smaller(strategy->cap, bide_random_between(random, strategy->base, highest));
}

int64_t bide_strategy_delay(const BideStrategy *strategy, uint64_t attempt, int64_t previous,
                            BideRandom *random) {
  switch (strategy->kind) {
    case BIDE_EXPONENTIAL: return ceiling_of(strategy, attempt);
    case BIDE_FULL_JITTER: return bide_random_between(random, 0, ceiling_of(strategy, attempt));
    case BIDE_EQUAL_JITTER: return equal_jitter(ceiling_of(strategy, attempt), random);
    case BIDE_DECORRELATED_JITTER: return decorrelated_jitter(strategy, previous, random);
    case BIDE_RANDOM_BASE:
      return bide_random_between(random, 0, ceiling_of(strategy, attempt > 0 ? attempt - 1 : 0));
  }
  return strategy->cap;
}
