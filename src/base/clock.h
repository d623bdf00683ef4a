/*
** The only module that asks the system for the time. All others are passed `now`:
** monotonic, in whole milliseconds.
*/
#ifndef BIDE_BASE_CLOCK_H
#define BIDE_BASE_CLOCK_H

#include <stdint.h>

/*
** Returns milliseconds since some fixed point, rounded down; never goes back. The clock
** continues while the machine is suspended: a wait has lasted as long as its user waited.
*/
int64_t bide_clock_monotonic(void);

/* Returns milliseconds since 1970-01-01T00:00:00Z; may jump. For timestamps that people read. */
int64_t bide_clock_wall(void);

/* Returns the processor time that the calling thread has used, in nanoseconds. */
int64_t bide_clock_thread(void);

#endif
