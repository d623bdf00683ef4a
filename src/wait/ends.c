#include "wait/ends.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t bide_ends_first_above(const int64_t *times, size_t step, size_t low, size_t high,
                             int64_t time) {
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (*(const int64_t *)(const void *)((const char *)times + middle * step) <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

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

/* Finds the looks, and the pieces: each `after` that an `until` follows at once. */
static bool find_pieces(BideEnds *ends, const BideEnd *list) {
  size_t count = ends->count * 2;
  Bound *bounds = bide_arena_alloc(&ends->arena, count * sizeof *bounds);
  if (bounds == NULL)
    return false;
  for (size_t i = 0; i < ends->count; i++) {
    bounds[2 * i] = (Bound){list[i].after, true};
    bounds[2 * i + 1] = (Bound){list[i].until, false};
  }
  qsort(bounds, count, sizeof *bounds, compare_bounds);
  for (size_t i = 0; i < count; i++)
    ends->looks[i] = bounds[i].time;
  for (size_t i = 1; i < count; i++)
    if (bounds[i - 1].is_after && !bounds[i].is_after)
      ends->pieces[ends->piece_count++] = (BideEndPiece){bounds[i - 1].time, bounds[i].time, 0};
  return true;
}

/* Returns the first piece that begins at `time` or later. */
static size_t first_from(const BideEnds *ends, int64_t time) {
  return bide_ends_first_above(&ends->pieces->after, sizeof *ends->pieces, 0, ends->piece_count,
                               time - 1);
}

/* Returns the last piece that ends at `time` or earlier. */
static size_t last_until(const BideEnds *ends, int64_t time) {
  return bide_ends_first_above(&ends->pieces->until, sizeof *ends->pieces, 0, ends->piece_count,
                               time) -
         1;
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

/* ---- places ------------------------------------------------------------------ */

/* A piece with less than this part of a wait has none: the steps leave a little everywhere. */
#define SOME_WAIT 1e-3

/* So few looks say little of where a mass is: any of them may be chance. */
#define FEW_LOOKS 5

/* Returns the first piece from `piece` on that has mass; piece_count if there is none. */
static size_t with_mass(const BideEnds *ends, size_t piece) {
  while (piece < ends->piece_count && ends->pieces[piece].mass * (double)ends->count < SOME_WAIT)
    piece++;
  return piece;
}

/* Returns the first look at `time` or later. */
static size_t look_from(const BideEnds *ends, int64_t time) {
  return bide_ends_first_above(ends->looks, sizeof *ends->looks, 0, 2 * ends->count, time - 1);
}

/* Goes into the gaps on both sides of a place by few looks. */
static void cross_looks(const BideEnds *ends, BideEndPlace *place, const BideEndPiece *before,
                        const BideEndPiece *own, const BideEndPiece *next) {
  size_t first = look_from(ends, own->after), last = look_from(ends, own->until) + FEW_LOOKS;
  int64_t after = first < FEW_LOOKS ? before->until : ends->looks[first - FEW_LOOKS];
  int64_t until = last >= 2 * ends->count ? next->after : ends->looks[last];
  after = after > before->until ? after : before->until;
  until = until < next->after ? until : next->after;
  place->after = after < place->after ? after : place->after;
  place->until = until > place->until ? until : place->until;
}

/*
** Returns where the mass of a piece is spread. `before` and `next` are the pieces beside it that
** have mass, or NULL. Nothing is spread to before the wait began.
*/
static BideEndPlace place_of(const BideEnds *ends, const BideEndPiece *before,
                             const BideEndPiece *own, const BideEndPiece *next) {
  BideEndPlace place = {.after = own->after, .until = own->until, .mass = own->mass};
  int64_t start = own->after > 0 ? own->after : 0, reach = start;
  if (own->until == BIDE_ENDS_UNSEEN || (before == NULL && next == NULL))
    return place;
  if (before != NULL && start - before->until < reach)
    reach = start - before->until;
  if (next != NULL && next->after - own->until < reach)
    reach = next->after - own->until;
  place.after -= reach;
  place.until += reach;
  if (before != NULL && next != NULL)
    cross_looks(ends, &place, before, own, next);
  return place;
}

/*
** Draws the part of a place that has its mass: any part of the piece, with at least a quarter of
** the gaps that were added to it.
*/
static void draw_part(BideEndPlace *place, const BideEndPiece *own, BideRandom *random) {
  int64_t span, one, other;
  if (place->until == BIDE_ENDS_UNSEEN)
    return;
  span = (3 * (place->until - place->after) + own->until - own->after) / 4;
  one = bide_random_between(random, 0, span - 1);
  other = bide_random_between(random, 0, span - 1);
  place->after += one < other ? one : other;
  place->until -= span - 1 - (one < other ? other : one);
}

/* Draws where an end of one of the waits may have been, or later by a quarter of where. */
static BideEndPlace draw_end(const BideEnds *ends, BideRandom *random) {
  const BideEnd *wait = &ends->waits[bide_random_between(random, 0, (int64_t)ends->count - 1)];
  BideEndPlace place = {.after = wait->after, .until = wait->until};
  if (wait->until != BIDE_ENDS_UNSEEN) {
    int64_t last = wait->until + (wait->until - wait->after) / 4;
    place.until = bide_random_between(random, wait->after + 1, last);
    place.after = place.until - 1;
  }
  return place;
}

/* Draws how many waits the added one counts for: the mean is a half. */
static double draw_weight(BideRandom *random) {
  double luck = (double)bide_random_between(random, 1, INT64_C(1) << 53) / 9007199254740992.0;
  return -log(luck) / 2;
}

static int compare_places(const void *left, const void *right) {
  const BideEndPlace *a = left, *b = right;
  if (a->until != b->until)
    return a->until < b->until ? -1 : 1;
  return a->after < b->after ? -1 : a->after > b->after;
}

/* Adds up what a schedule asks of the places before a time, which may be many thousands. */
static void add_up_places(BideEnds *ends) {
  double share = 0, moment = 0;
  for (size_t i = 0; i < ends->place_count; i++) {
    BideEndPlace *at = &ends->places[i];
    double start = at->after > 0 ? (double)at->after : 0;
    at->share = share;
    at->moment = moment;
    share += at->mass;
    moment += at->mass * (start + (double)at->until) / 2;
  }
  ends->places[ends->place_count] = (BideEndPlace){.share = share, .moment = moment};
}

/* Places the masses: evenly without `random`, else as a sample of the bootstrap has them. */
static void place(BideEnds *ends, BideRandom *random) {
  const BideEndPiece *before = NULL;
  double extra = random == NULL ? 0 : draw_weight(random) / (double)ends->count, total = 0;
  int64_t earliest = INT64_MAX;
  ends->place_count = 0;
  for (size_t i = with_mass(ends, 0), after; i < ends->piece_count; i = after) {
    const BideEndPiece *own = &ends->pieces[i];
    after = with_mass(ends, i + 1);
    ends->places[ends->place_count] = place_of(
      ends, before, own, after < ends->piece_count ? &ends->pieces[after] : NULL);
    if (random != NULL)
      draw_part(&ends->places[ends->place_count], own, random);
    ends->place_count++;
    total += own->mass;
    before = own;
  }
  for (size_t i = 0; i < ends->place_count; i++)
    ends->places[i].mass /= total * (1 + extra);
  if (random != NULL) {
    ends->places[ends->place_count] = draw_end(ends, random);
    ends->places[ends->place_count++].mass = extra / (1 + extra);
  }
  qsort(ends->places, ends->place_count, sizeof *ends->places, compare_places);
  for (size_t i = ends->place_count; i > 0; i--) {
    if (ends->places[i - 1].after < earliest)
      earliest = ends->places[i - 1].after;
    ends->places[i - 1].earliest = earliest;
  }
  add_up_places(ends);
}

/* ---- the contract ------------------------------------------------------------ */

bool bide_ends_init(BideEnds *ends, const BideEnd *list, size_t count) {
  BideArena *arena = &ends->arena;
  *ends = (BideEnds){.count = count};
  ends->pieces = bide_arena_alloc(arena, count * sizeof *ends->pieces);
  ends->places = bide_arena_alloc(arena, (count + 2) * sizeof *ends->places);
  ends->groups = bide_arena_alloc(arena, count * sizeof *ends->groups);
  ends->waits = bide_arena_alloc(arena, count * sizeof *ends->waits);
  ends->looks = bide_arena_alloc(arena, 2 * count * sizeof *ends->looks);
  ends->group_of = bide_arena_alloc(arena, count * sizeof *ends->group_of);
  if (ends->pieces == NULL || ends->places == NULL || ends->groups == NULL || ends->waits == NULL ||
      ends->looks == NULL || ends->group_of == NULL || !find_pieces(ends, list))
    return false;
  ends->scratch = bide_arena_alloc(arena,
                                   (ends->piece_count + 1) * WORK_ARRAYS * sizeof *ends->scratch);
  if (ends->scratch == NULL)
    return false;
  memcpy(ends->waits, list, count * sizeof *list);
  find_groups(ends, list);
  for (size_t i = 0; i < ends->piece_count; i++)
    ends->pieces[i].mass = 1 / (double)ends->piece_count;
  fit(ends);
  place(ends, NULL);
  return true;
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
  place(ends, random);
}

void bide_ends_free(BideEnds *ends) {
  bide_arena_free(&ends->arena);
  *ends = (BideEnds){0};
}
