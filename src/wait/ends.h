/*
** Estimates how long waits take from waits that were seen to end. An end is seen only at an
** attempt: it came after the last attempt that saw none, and until the one that saw it. A wait that
** was cut has an end after its last attempt, if any.
**
** The estimate is Turnbull's: of all distributions the most likely one. Only the innermost
** intervals between an `after` and an `until`, the pieces, can have any mass. Where the mass is
** within a piece is not known: an estimate spreads it over the piece, a sample of the bootstrap
** over a part of it that is drawn, so that an interval has what is not known in it. The last mass
** is spread beyond its piece, by its distance from the mass before it: the most likely place of the
** latest ends is where the intervals of most of them meet, and a schedule that polls first near the
** end would seem never to poll twice. The masses are
** found by steps of EM, which never make the likelihood less, and of ICM (iterative convex
** minorant), which move mass to pieces that have none; Wellner and Zhan, "A hybrid algorithm for
** computation of the nonparametric maximum likelihood estimator from censored data", 1997. The
** likelihood is concave, so its gradient bounds how far it is from the greatest one: the steps end
** when it is within BIDE_ENDS_PRECISION of that.
*/
#ifndef BIDE_WAIT_ENDS_H
#define BIDE_WAIT_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

/* The `after` of an end that may have come before the wait began. */
#define BIDE_ENDS_BEFORE INT64_C(-1)

/* The `until` of an end that was not seen. */
#define BIDE_ENDS_UNSEEN INT64_MAX

/* How far the logarithm of the likelihood may be below the greatest, and the most steps. */
#define BIDE_ENDS_PRECISION 1e-3
#define BIDE_ENDS_STEPS 1000

/* When an end came, in milliseconds since the wait began: after < end <= until. */
typedef struct BideEnd {
  int64_t after; /* at least BIDE_ENDS_BEFORE */
  int64_t until; /* above `after` */
} BideEnd;

/* The share of the ends that came in an innermost interval, or where it is spread or drawn. */
typedef struct BideEndPiece {
  int64_t after;
  int64_t until; /* BIDE_ENDS_UNSEEN for ends that may never come */
  double mass;
} BideEndPiece;

/* Waits whose ends are in the same pieces. */
typedef struct BideEndGroup {
  size_t first; /* piece */
  size_t last;
  double count;
} BideEndGroup;

typedef struct BideEnds {
  BideEndPiece *pieces; /* in their order */
  size_t piece_count;
  BideEnd *intervals; /* the innermost one of each piece */
  BideEndGroup *groups;
  size_t group_count;
  size_t *group_of; /* by wait, in no order */
  size_t count;     /* of waits */
  double *scratch;
  int steps;     /* that the last fit took */
  double excess; /* the bound of how far its likelihood is from the greatest, as a logarithm */
} BideEnds;

/*
** Estimates from `count` ends, at least one. Returns false if memory runs out. bide_ends_free is
** right after either, and of a zeroed value.
*/
bool bide_ends_init(BideEnds *ends, const BideEnd *list, size_t count);

/*
** Draws as many waits as there are, with replacement, and estimates from them: a bootstrap. Draws
** the part of each piece that has its mass.
*/
void bide_ends_resample(BideEnds *ends, BideRandom *random);

void bide_ends_free(BideEnds *ends);

#endif
