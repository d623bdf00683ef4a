/*
** The limits of one wait, set by the caller. Each limit is a member of BideWaitLimits and a row of
** the table in limits.c; the reader of Lua options and the writer of records walk that table.
*/
#ifndef BIDE_WAIT_LIMITS_H
#define BIDE_WAIT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "wait/backoff.h"
#include "wait/definition.h"

/* The value of max_attempts that means "no limit". */
#define BIDE_ANY_ATTEMPTS UINT64_MAX

/*
** The retry_after_cap that means maxDelay after an output, and after an error maxDelay or
** BIDE_RETRY_AFTER_CAP, whichever is longer.
*/
#define BIDE_USUAL_CAP INT64_C(-1)
#define BIDE_RETRY_AFTER_CAP INT64_C(300000)

/* The last_spread of a wait whose last attempt was spread. */
#define BIDE_SPREAD_IS_OVER INT64_C(-1)

/* The limits of a wait. Times are milliseconds. */
typedef struct BideWaitLimits {
  BideBackoff backoff;
  int64_t max_wait;        /* above 0 */
  uint64_t max_attempts;   /* at least 1 */
  BideSpan tolerance;      /* of consecutive transient errors that no acceptor matched;
                              {0, 0} tolerates no error */
  int64_t retry_after_cap; /* the longest Retry-After that is honoured; 0 ignores it;
                              BIDE_USUAL_CAP by default */
  BideSpan hold;           /* in place of the definition's; {0, 0} leaves it that one */
  int64_t hold_delay;      /* the least delay while that hold lasts */
  int64_t last_spread;     /* the time over which last attempts are spread that a Retry-After
                              would put off beyond the end of the wait; 0 spreads none;
                              BIDE_SPREAD_IS_OVER */
} BideWaitLimits;

/* The number of limits: each has 64 bits. */
#define BIDE_WAIT_LIMITS (sizeof(BideWaitLimits) / sizeof(uint64_t))

typedef struct BideWaitLimit {
  const char *name; /* in Lua and in records */
  bool is_count;    /* a uint64_t; otherwise milliseconds or billionths, an int64_t */
  int since;        /* the first version of records that has it; earlier ones mean `otherwise` */
  size_t offset;    /* within BideWaitLimits */
  int64_t least;
  int64_t otherwise; /* the default; below `least` if the limit is required */
} BideWaitLimit;

extern const BideWaitLimit bide_wait_limits[];

/* Gives each limit its default. */
void bide_wait_limits_init(BideWaitLimits *limits);

/* Sets the limit that the row describes. */
void bide_wait_limits_set(BideWaitLimits *limits, const BideWaitLimit *row, int64_t value);

/*
** Checks all limits. Returns false, with the code DEFINITION, if a limit breaks its rule.
*/
bool bide_wait_limits_check(const BideWaitLimits *limits, BideError *error);

#endif
