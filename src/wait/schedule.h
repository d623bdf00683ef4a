/*
** Computes what a schedule costs and how soon it notices: the polls of a wait, and the time between
** an end and its discovery. The delays are random, so both are means over streams of random
** numbers. Stream k is the same for every schedule: two schedules differ by what they are, and not
** by their luck. Within a stream nothing is random: each interval between two polls is weighed by
** the share of the ends in it.
**
** An attempt sees what was so when it began, and says so `latency` later. Holds, rates and
** Retry-After are not part of it.
*/
#ifndef BIDE_WAIT_SCHEDULE_H
#define BIDE_WAIT_SCHEDULE_H

#include <stdint.h>

#include "wait/ends.h"
#include "wait/limits.h"

/* Times are milliseconds. */
typedef struct BideSchedule {
  BideWaitLimits limits; /* of which the delays, max_wait and max_attempts count */
  int64_t initial_delay;
  int64_t latency; /* of each attempt */
} BideSchedule;

typedef struct BideScheduleFigures {
  double polls;    /* of a wait */
  double lateness; /* between an end and its discovery; 0 if none is discovered */
  double found;    /* the share of the waits whose end is discovered */
} BideScheduleFigures;

/* How long all streams of bide_schedule_alone may be together. */
#define BIDE_SCHEDULE_POLLS 4000000

/*
** Returns the figures for ends as they were estimated, with each mass spread evenly over its
** place. What lies beyond the max wait is never discovered, and costs all polls. Of a schedule of
** more than `most` polls, which may be INFINITY, the polls are INFINITY and the rest is 0.
*/
BideScheduleFigures bide_schedule_against(const BideSchedule *schedule, const BideEnds *ends,
                                          uint64_t seed, int streams, double most);

/*
** Returns the polls of a wait that never ends, and the lateness of an end that is as likely at any
** time before the last poll as at any other. Fewer streams are taken if they are long. Where the
** delays stay drawn from one range for hundreds of polls, these are taken together, by their mean.
*/
BideScheduleFigures bide_schedule_alone(const BideSchedule *schedule, uint64_t seed, int streams);

#endif
