#include "wait/ends.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces and groups ------------------------------------------------------- */

typedef struct Bound {
  int64_t time;
  bool is_after;
} Bound;

/* An end at t is until t, and not after t: of one time, each `until` comes first. */
static int compare_bounds(const void *left, const void *right) {
  const Bound *a = left, *b = right;
  if (a->time != b->time)
    return a->time < b->time ? -1 : 1;
  return (int)a->is_after - (int)b->is_after;
}

/* Finds the pieces: each `after` that an `until` follows at once. */
static bool find_pieces(BideEnds *ends, const BideEnd *list) {
  size_t count = ends->count * 2;
  Bound *bounds = malloc(count * sizeof *bounds);
  if (bounds == NULL)
    return false;
  for (size_t i = 0; i < ends->count; i++) {
    bounds[2 * i] = (Bound){list[i].after, true};
    bounds[2 * i + 1] = (Bound){list[i].until, false};
  }
  qsort(bounds, count, sizeof *bounds, compare_bounds);
  for (size_t i = 1; i < count; i++)
    if (bounds[i - 1].is_after && !bounds[i].is_after)
      ends->pieces[ends->piece_count++] = (BideEndPiece){bounds[i - 1].time, bounds[i].time, 0};
  free(bounds);
  return true;
}

/* Returns the first piece that begins at `time` or later. */
static size_t first_from(const BideEnds *ends, int64_t time) {
  size_t low = 0, high = ends->piece_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ends->pieces[middle].after < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Returns the last piece that ends at `time` or earlier. */
static size_t last_until(const BideEnds *ends, int64_t time) {
  size_t low = 0, high = ends->piece_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ends->pieces[middle].until <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

static int compare_groups(const void *left, const void *right) {
  const BideEndGroup *a = left, *b = right;
  if (a->first != b->first)
    return a->first < b->first ? -1 : 1;
  return a->last < b->last ? -1 : a->last > b->last;
}

/* Groups the waits, which are in the order of their pieces then. */
static void find_groups(BideEnds *ends, const BideEnd *list) {
  BideEndGroup *groups = ends->groups;
  for (size_t i = 0; i < ends->count; i++)
    groups[i] = (BideEndGroup){first_from(ends, list[i].after), last_until(ends, list[i].until), 1};
  qsort(groups, ends->count, sizeof *groups, compare_groups);
  for (size_t i = 0; i < ends->count; i++) {
    size_t count = ends->group_count;
    if (count > 0 && compare_groups(&groups[count - 1], &groups[i]) == 0)
      groups[count - 1].count++;
    else
      groups[ends->group_count++] = groups[i];
    ends->group_of[i] = ends->group_count - 1;
  }
}

/* ---- the estimate ------------------------------------------------------------ */

/* The arrays of one step, as long as there are pieces, but for the sums, which have one more. */
typedef struct Work {
  double *sums;     /* of the masses before a piece */
  double *gradient; /* of the likelihood, by the mass of a piece */
  double *curvature;
  double *wanted; /* sums, then masses, that ICM wants */
  double *weights;
  double *lengths; /* of the blocks of the isotonic regression */
} Work;

#define WORK_ARRAYS 6

static Work work_of(const BideEnds *ends) {
  size_t length = ends->piece_count + 1;
  double *at = ends->scratch;
  return (Work){
    at, at + length, at + 2 * length, at + 3 * length, at + 4 * length, at + 5 * length};
}

/* The chance of a group can be rounded to 0 while a step is tried. */
static double chance_of(const BideEndGroup *group, const double *sums) {
  double chance = sums[group->last + 1] - sums[group->first];
  return chance > 1e-300 ? chance : 1e-300;
}

static void add_up(const BideEnds *ends, double *sums) {
  sums[0] = 0;
  for (size_t i = 0; i < ends->piece_count; i++)
    sums[i + 1] = sums[i] + ends->pieces[i].mass;
}

static double likelihood(const BideEnds *ends, const double *sums) {
  double sum = 0;
  for (size_t i = 0; i < ends->group_count; i++)
    if (ends->groups[i].count > 0)
      sum += ends->groups[i].count * log(chance_of(&ends->groups[i], sums));
  return sum;
}

/*
** Computes the sums, the gradient and the curvature: what each group adds begins at its first piece
** and ends behind its last. Returns the bound by which the likelihood is below the greatest.
*/
static double measure(const BideEnds *ends, Work *work) {
  double slope = 0, greatest = 0;
  memset(work->gradient, 0, (ends->piece_count + 1) * sizeof(double));
  memset(work->curvature, 0, (ends->piece_count + 1) * sizeof(double));
  add_up(ends, work->sums);
  for (size_t i = 0; i < ends->group_count; i++) {
    const BideEndGroup *group = &ends->groups[i];
    double chance = chance_of(group, work->sums), share = group->count / chance;
    work->gradient[group->first] += share;
    work->gradient[group->last + 1] -= share;
    work->curvature[group->first] += share / chance;
    work->curvature[group->last + 1] += share / chance;
  }
  for (size_t i = 0; i < ends->piece_count; i++) {
    slope += work->gradient[i];
    work->gradient[i] = slope;
    if (slope > greatest)
      greatest = slope;
  }
  return greatest - (double)ends->count;
}

static void step_of_em(BideEnds *ends, Work *work) {
  double total = 0;
  for (size_t i = 0; i < ends->piece_count; i++)
    total += ends->pieces[i].mass *= work->gradient[i] / (double)ends->count;
  for (size_t i = 0; i < ends->piece_count; i++)
    ends->pieces[i].mass /= total;
}

/* Makes `wanted` from 1 on, with its weights, the nearest numbers that never fall. */
static void make_isotonic(Work *work, size_t count) {
  size_t blocks = 0;
  double *value = work->wanted, *weight = work->weights, *length = work->lengths;
  for (size_t i = 1; i < count; i++) {
    double sum = value[i], of = weight[i], long_ = 1;
    while (blocks > 0 && value[blocks] >= sum) {
      sum = (sum * of + value[blocks] * weight[blocks]) / (of + weight[blocks]);
      of += weight[blocks];
      long_ += length[blocks];
      blocks--;
    }
    blocks++;
    value[blocks] = sum;
    weight[blocks] = of;
    length[blocks] = long_;
  }
  for (size_t block = blocks, i = count; block > 0; block--)
    for (size_t left = (size_t)length[block]; left > 0; left--)
      value[--i] = value[block];
}

static double within_one(double value) {
  return value < 0 ? 0 : value > 1 ? 1 : value;
}

/* Returns the masses that the step of ICM wants, in `wanted`. */
static void want(const BideEnds *ends, Work *work) {
  size_t count = ends->piece_count;
  for (size_t i = 1; i < count; i++) {
    double curvature = work->curvature[i] > 1e-9 ? work->curvature[i] : 1e-9;
    double slope = work->curvature[i] > 1e-9 ? work->gradient[i - 1] - work->gradient[i] : 0;
    work->wanted[i] = work->sums[i] + slope / curvature;
    work->weights[i] = curvature;
  }
  make_isotonic(work, count);
  work->wanted[count] = 1;
  for (size_t i = 0; i < count; i++) {
    double below = i == 0 ? 0 : within_one(work->wanted[i]);
    work->weights[i] = within_one(work->wanted[i + 1]) - below;
  }
  memcpy(work->wanted, work->weights, count * sizeof(double));
}

/* Goes towards the wanted masses, as far as the likelihood becomes greater. */
static void step_of_icm(BideEnds *ends, Work *work) {
  double before = likelihood(ends, work->sums);
  want(ends, work);
  for (double length = 1; length > 1e-3; length /= 2) {
    double sum = 0;
    for (size_t i = 0; i < ends->piece_count; i++) {
      double mass = ends->pieces[i].mass;
      work->sums[i] = sum;
      sum += mass + length * (work->wanted[i] - mass);
    }
    work->sums[ends->piece_count] = sum;
    if (likelihood(ends, work->sums) <= before)
      continue;
    for (size_t i = 0; i < ends->piece_count; i++)
      ends->pieces[i].mass += length * (work->wanted[i] - ends->pieces[i].mass);
    return;
  }
}

static void fit(BideEnds *ends) {
  Work work = work_of(ends);
  for (ends->steps = 0; ends->steps < BIDE_ENDS_STEPS; ends->steps++) {
    ends->excess = measure(ends, &work);
    if (ends->excess <= BIDE_ENDS_PRECISION)
      return;
    step_of_em(ends, &work);
    measure(ends, &work);
    step_of_icm(ends, &work);
  }
  ends->excess = measure(ends, &work);
}

/* A piece with less has none: the steps leave a little everywhere. */
#define SOME_MASS 1e-6

/* Lets the last mass come later than its piece, by as much as the mass before it is earlier. */
static void stretch_tail(BideEnds *ends) {
  size_t last = ends->piece_count - 1, before;
  while (last > 0 && ends->pieces[last].mass < SOME_MASS)
    last--;
  for (before = last; before > 0 && ends->pieces[before - 1].mass < SOME_MASS;)
    before--;
  if (before == 0 || ends->intervals[last].until == BIDE_ENDS_UNSEEN)
    return;
  ends->pieces[last].until = ends->intervals[last].until +
                             (ends->intervals[last].after - ends->intervals[before - 1].until);
}

/* ---- the contract ------------------------------------------------------------ */

bool bide_ends_init(BideEnds *ends, const BideEnd *list, size_t count) {
  *ends = (BideEnds){.count = count};
  ends->pieces = malloc(count * sizeof *ends->pieces);
  ends->intervals = malloc(count * sizeof *ends->intervals);
  ends->groups = malloc(count * sizeof *ends->groups);
  ends->group_of = malloc(count * sizeof *ends->group_of);
  if (ends->pieces == NULL || ends->intervals == NULL || ends->groups == NULL ||
      ends->group_of == NULL || !find_pieces(ends, list))
    return false;
  ends->scratch = calloc((ends->piece_count + 1) * WORK_ARRAYS, sizeof *ends->scratch);
  if (ends->scratch == NULL)
    return false;
  find_groups(ends, list);
  for (size_t i = 0; i < ends->piece_count; i++) {
    ends->pieces[i].mass = 1 / (double)ends->piece_count;
    ends->intervals[i] = (BideEnd){ends->pieces[i].after, ends->pieces[i].until};
  }
  fit(ends);
  stretch_tail(ends);
  return true;
}

/*
** Puts the mass of each piece into a part of it. A piece that may never end stays whole, as does
** one of a millisecond.
*/
static void place_pieces(BideEnds *ends, BideRandom *random) {
  for (size_t i = 0; i < ends->piece_count; i++) {
    const BideEndPiece whole = ends->pieces[i];
    int64_t one, other;
    if (whole.until == BIDE_ENDS_UNSEEN || whole.until - whole.after <= 1)
      continue;
    one = bide_random_between(random, whole.after, whole.until - 1);
    other = bide_random_between(random, whole.after, whole.until - 1);
    ends->pieces[i].after = one < other ? one : other;
    ends->pieces[i].until = (one < other ? other : one) + 1;
  }
}

static void put_into_interval(BideEnds *ends, size_t piece) {
  ends->pieces[piece].after = ends->intervals[piece].after;
  ends->pieces[piece].until = ends->intervals[piece].until;
}

/* A piece without mass gets none by EM: all pieces begin with a little. */
void bide_ends_resample(BideEnds *ends, BideRandom *random) {
  for (size_t i = 0; i < ends->group_count; i++)
    ends->groups[i].count = 0;
  for (size_t i = 0; i < ends->count; i++) {
    size_t drawn = (size_t)bide_random_between(random, 0, (int64_t)ends->count - 1);
    ends->groups[ends->group_of[drawn]].count++;
  }
  for (size_t i = 0; i < ends->piece_count; i++)
    ends->pieces[i].mass = 0.9 * ends->pieces[i].mass + 0.1 / (double)ends->piece_count;
  fit(ends);
  for (size_t i = 0; i < ends->piece_count; i++)
    put_into_interval(ends, i);
  stretch_tail(ends);
  place_pieces(ends, random);
}

void bide_ends_free(BideEnds *ends) {
  free(ends->pieces);
  free(ends->intervals);
  free(ends->groups);
  free(ends->group_of);
  free(ends->scratch);
  *ends = (BideEnds){0};
}
