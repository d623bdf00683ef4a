#include "wait/schedule.h"

#include <math.h>
#include <stdbool.h>

#include "base/random.h"
#include "wait/waiter.h"

/* ---- from poll to poll -------------------------------------------------------- */

typedef struct Walk {
  const BideSchedule *schedule;
  BideRandom random;
  int64_t at;        /* when the poll begins */
  uint64_t attempts; /* with this poll */
  bool is_random;    /* whether another stream may have other delays */
} Walk;

static Walk begin(const BideSchedule *schedule, uint64_t seed) {
  BideWaiter waiter = {.limits = &schedule->limits};
  Walk walk = {.schedule = schedule, .attempts = 1};
  bide_random_seed(&walk.random, seed);
  walk.at = bide_waiter_first(&waiter, schedule->initial_delay);
  return walk;
}

static int64_t ended(const Walk *walk) {
  return walk->at + walk->schedule->latency;
}

/*
** Draws by one random number whatever the range, so that the n-th draws of two schedules are the
** same part of their ranges.
*/
static int64_t draw(Walk *walk, BideDelayRange range) {
  int64_t fraction = bide_random_between(&walk->random, 0, (INT64_C(1) << 53) - 1);
  double width = (double)(range.high - range.low) + 1;
  int64_t drawn = range.low + (int64_t)((double)fraction / 9007199254740992.0 * width);
  return drawn < range.high ? drawn : range.high;
}

/* Goes to the next poll. Returns false if there is none. */
static bool next(Walk *walk) {
  const BideWaitLimits *limits = &walk->schedule->limits;
  int64_t now = ended(walk), remaining = limits->max_wait - now;
  BideDelayRange range;
  if (remaining <= limits->backoff.min_delay || walk->attempts >= limits->max_attempts)
    return false;
  range = bide_backoff_range(&limits->backoff, walk->attempts, now);
  walk->is_random = walk->is_random || range.high > range.low;
  walk->at = now + bide_backoff_delay(&limits->backoff, draw(walk, range), remaining);
  walk->attempts++;
  return true;
}

/* Reports whether the deadline lets the poll end. */
static bool is_answered(const Walk *walk) {
  return ended(walk) <= walk->schedule->limits.max_wait;
}

/* ---- against ends -------------------------------------------------------------- */

/* The ends until a time. */
typedef struct Sum {
  size_t place; /* the first one that is not over */
  double share;
  double moment; /* the ends' times, weighed by their shares */
} Sum;

static double start_of(const BideEndPlace *place) {
  return place->after > 0 ? (double)place->after : 0;
}

/* Returns the first place from `place` on that is not over at a time: it is mostly near. */
static size_t not_over(const BideEnds *ends, size_t place, int64_t time) {
  size_t step = 1, high;
  while (place + step <= ends->place_count && ends->places[place + step - 1].until <= time) {
    place += step;
    step *= 2;
  }
  high = place + step <= ends->place_count ? place + step - 1 : ends->place_count;
  return bide_ends_first_above(&ends->places->until, sizeof *ends->places, place, high, time);
}

static void sum_until(Sum *sum, const BideEnds *ends, int64_t time) {
  sum->place = not_over(ends, sum->place, time);
  sum->share = ends->places[sum->place].share;
  sum->moment = ends->places[sum->place].moment;
  for (size_t i = sum->place; i < ends->place_count && ends->places[i].earliest < time; i++) {
    const BideEndPlace *place = &ends->places[i];
    double start = start_of(place), part;
    if (place->until == BIDE_ENDS_UNSEEN || (double)time <= start)
      continue;
    part = place->mass * ((double)time - start) / ((double)place->until - start);
    sum->share += part;
    sum->moment += part * (start + (double)time) / 2;
  }
}

/*
** Adds the figures of one stream; the lateness is that of all waits together. Returns false as soon
** as there are more than `most` polls in all streams.
*/
static bool add_stream(BideScheduleFigures *figures, Walk *walk, const BideEnds *ends,
                       double most) {
  Sum sum = {0}, before;
  do {
    before = sum;
    figures->polls += 1 - before.share;
    if (figures->polls > most)
      return false;
    if (!is_answered(walk))
      break;
    sum_until(&sum, ends, walk->at);
    figures->lateness += (double)ended(walk) * (sum.share - before.share);
    figures->lateness -= sum.moment - before.moment;
  } while (sum.share < 1 - 1e-12 && next(walk));
  figures->found += sum.share;
  return true;
}

BideScheduleFigures bide_schedule_against(const BideSchedule *schedule, const BideEnds *ends,
                                          uint64_t seed, int streams, double most) {
  const BideBackoff *backoff = &schedule->limits.backoff;
  BideScheduleFigures figures = {0};
  int done = 0, all = backoff->min_delay == backoff->max_delay ? 1 : streams;
  bool is_random = true;
  for (; done < all && is_random; done++) {
    Walk walk = begin(schedule, seed + (uint64_t)done);
    if (!add_stream(&figures, &walk, ends, most * all))
      return (BideScheduleFigures){.polls = INFINITY};
    is_random = walk.is_random;
  }
  if (figures.polls > most * done)
    return (BideScheduleFigures){.polls = INFINITY};
  figures.lateness = figures.found > 0 ? figures.lateness / figures.found : 0;
  figures.polls /= done;
  figures.found /= done;
  return figures;
}

/* ---- without ends -------------------------------------------------------------- */

#define LEAST_SKIP INT64_C(256)

/* Reports whether `count` more delays are drawn from one range, and fit into the wait. */
static bool is_steady(const Walk *walk, BideDelayRange range, int64_t count) {
  const BideWaitLimits *limits = &walk->schedule->limits;
  int64_t longest = range.high + walk->schedule->latency, now = ended(walk);
  BideDelayRange later;
  if (longest > (limits->max_wait - now - limits->backoff.min_delay) / count ||
      limits->max_attempts - walk->attempts <= (uint64_t)count)
    return false;
  later = bide_backoff_range(&limits->backoff, walk->attempts + (uint64_t)count,
                             now + longest * count);
  return later.low == range.low && later.high == range.high;
}

/* Skips polls whose delays are drawn from one range. Returns the sum of their squares. */
static double skip(Walk *walk) {
  BideDelayRange range = bide_backoff_range(&walk->schedule->limits.backoff, walk->attempts,
                                            ended(walk));
  double width = (double)(range.high - range.low) + 1;
  double mean = (double)(range.high + range.low) / 2 + (double)walk->schedule->latency;
  int64_t count = LEAST_SKIP;
  if (!is_steady(walk, range, count))
    return 0;
  while (is_steady(walk, range, 2 * count))
    count *= 2;
  walk->at += (int64_t)(mean * (double)count);
  walk->attempts += (uint64_t)count;
  walk->is_random = walk->is_random || range.high > range.low;
  return (double)count * (mean * mean + (width * width - 1) / 12);
}

BideScheduleFigures bide_schedule_alone(const BideSchedule *schedule, uint64_t seed, int streams) {
  double polls = 0, squares = 0, length = 0, steps = 0;
  bool is_random = true;
  int done = 0;
  for (; done < streams && is_random && steps < BIDE_SCHEDULE_POLLS; done++) {
    Walk walk = begin(schedule, seed + (uint64_t)done);
    int64_t before = 0;
    do {
      double gap = (double)(walk.at - before);
      squares += gap * gap + skip(&walk);
      before = walk.at;
      steps++;
    } while (next(&walk));
    polls += (double)walk.attempts;
    length += (double)before;
    is_random = walk.is_random;
  }
  return (BideScheduleFigures){
    .polls = polls / done,
    .lateness = (length > 0 ? squares / 2 / length : 0) + (double)schedule->latency,
    .found = 1,
  };
}
