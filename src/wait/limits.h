/*
** What the caller allows a wait. Each limit is a member of BideWaitLimits and a row of the
** table in limits.c: what reads limits from Lua and what writes them down walk that table.
*/
#ifndef BIDE_WAIT_LIMITS_H
#define BIDE_WAIT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "wait/backoff.h"
#include "wait/definition.h"

/* No limit on attempts. */
#define BIDE_ANY_ATTEMPTS UINT64_MAX

/* Times in milliseconds. */
typedef struct BideWaitLimits {
  BideBackoff backoff;
  int64_t max_wait;        /* above 0 */
  uint64_t max_attempts;   /* at least 1 */
  BideSpan tolerance;      /* of transient errors in a row that no acceptor matched; {0, 0} is none */
  int64_t retry_after_cap; /* how long a service may ask to wait; 0 ignores its wish */
} BideWaitLimits;

/* How many there are: each has 64 bits. */
#define BIDE_WAIT_LIMITS (sizeof(BideWaitLimits) / sizeof(uint64_t))

typedef struct BideWaitLimit {
  const char *name;  /* in Lua, and in records */
  bool is_count;     /* a uint64_t; else milliseconds, an int64_t */
  size_t offset;     /* within BideWaitLimits */
  int64_t least;
  int64_t otherwise; /* where the caller does not give it; below `least`: it must */
} BideWaitLimit;

extern const BideWaitLimit bide_wait_limits[];

/* Sets the limit of a row. */
void bide_wait_limits_set(BideWaitLimits *limits, const BideWaitLimit *row, int64_t value);

/*
** Gives a retry_after_cap that was not given the value of max_delay. Returns false, with the
** code DEFINITION, where a limit breaks its rule.
*/
bool bide_wait_limits_complete(BideWaitLimits *limits, BideError *error);

#endif
