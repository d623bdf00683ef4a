/*
** Estimates how long waits take from waits that were seen to end. An end is seen only at an
** attempt: it came after the last attempt that saw none, and until the one that saw it. A wait that
** was cut has an end after its last attempt, if any.
**
** The estimate is Turnbull's: of all distributions the most likely one. Only the innermost
** intervals between an `after` and an `until`, the pieces, can have any mass. The masses are
** found by steps of EM, which never make the likelihood less, and of ICM (iterative convex
** minorant), which move mass to pieces that have none; Wellner and Zhan, "A hybrid algorithm for
** computation of the nonparametric maximum likelihood estimator from censored data", 1997. The
** likelihood is concave, so its gradient bounds how far it is from the greatest one: the steps end
** when it is within BIDE_ENDS_PRECISION of that.
**
** The bootstrap of this estimate is right for means over all ends. It is not for the share of the
** ends before one time, where the estimate has few masses with gaps between them (Sen and Xu,
** "Model based bootstrap methods for interval censored data", 2015), and a schedule of few polls
** depends on just such shares. So two things are added:
**
** - A mass is spread over a place: its piece, as much of the gaps on both sides as the smaller one
**   has, and as much as few looks are in. An estimate spreads it evenly, a sample of the
**   bootstrap over a part that is drawn. The share before a time is less rough then, and no mass is
**   moved on average (of smoothed estimates the bootstrap is right: Groeneboom and Hendrickx, "The
**   nonparametric bootstrap for the current status model", 2017).
** - A sample of the bootstrap has one more wait, which counts for half a wait on average, as in
**   Jeffreys' prior for a share. Its end is drawn from where an end of any wait may have been, or a
**   little later: the proper Bayesian bootstrap of Muliere and Secchi, 1996. Without it no sample
**   has a later end than the estimate, and a tail that no wait has shown is called impossible.
*/
#ifndef BIDE_WAIT_ENDS_H
#define BIDE_WAIT_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
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

/* The share of the ends that came in an innermost interval. */
typedef struct BideEndPiece {
  int64_t after;
  int64_t until; /* BIDE_ENDS_UNSEEN for ends that may never come */
  double mass;
} BideEndPiece;

/* Where a mass is spread evenly. Places may overlap. */
typedef struct BideEndPlace {
  int64_t after;
  int64_t until;
  double mass;
  int64_t earliest; /* the least `after` of this place and of all behind it */
  double share;     /* the mass of all places before this one */
  double moment;    /* the times of their ends, weighed by their masses */
} BideEndPlace;

/* Waits whose ends are in the same pieces. */
typedef struct BideEndGroup {
  size_t first; /* piece */
  size_t last;
  double count;
} BideEndGroup;

typedef struct BideEnds {
  BideArena arena;      /* owns the arrays */
  BideEndPiece *pieces; /* in their order */
  size_t piece_count;
  BideEndPlace *places; /* by their `until`; one more, behind them, has but the sums */
  size_t place_count;
  BideEndGroup *groups;
  size_t group_count;
  BideEnd *waits;   /* as they were given */
  int64_t *looks;   /* all bounds of the waits, in their order */
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
** Draws as many waits as there are, with replacement, and one more: a bootstrap. Estimates from
** them, and draws the part of each place that has the mass.
*/
void bide_ends_resample(BideEnds *ends, BideRandom *random);

void bide_ends_free(BideEnds *ends);

/*
** Returns the first of the ascending times from number `low` on, `step` bytes apart, that is above
** `time`; `high` if there is none before.
*/
size_t bide_ends_first_above(const int64_t *times, size_t step, size_t low, size_t high,
                             int64_t time);

#endif
