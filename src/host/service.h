/*
** The service of a worker, as its supervisor sees it: whose code runs at any time, so that the wait
** whose code ends this process is known. Without a supervisor these functions do nothing.
*/
#ifndef BIDE_HOST_SERVICE_H
#define BIDE_HOST_SERVICE_H

#include <stdint.h>

#include "process/service.h"

/* Sets what this process shares with its supervisor, which lives as long as the process. */
void bide_service_open(BideService *service);

/* Returns what was set; NULL without a supervisor. */
BideService *bide_service_shared(void);

/*
** Notes that code of a wait runs from now on, or with 0 that none does. Async-signal-safe; any
** thread may call it.
*/
void bide_service_run_for(int64_t wait);

#endif
