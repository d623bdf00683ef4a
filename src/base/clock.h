/*
** The only place that asks the system for the time. Everything else is handed
** a `now`: monotonic, in whole milliseconds.
*/
#ifndef BIDE_BASE_CLOCK_H
#define BIDE_BASE_CLOCK_H

#include <stdint.h>

/*
** Milliseconds since some fixed point; never goes back. Rounded down. The time for
** which the machine was suspended counts: a wait has lasted as long as its user waited.
*/
int64_t bide_clock_monotonic(void);

/* Milliseconds since 1970-01-01T00:00:00Z; may jump. For timestamps that people read. */
int64_t bide_clock_wall(void);

/* Nanoseconds, monotonic; for benches and for measuring how long a script has run. */
int64_t bide_clock_nanoseconds(void);

#endif
