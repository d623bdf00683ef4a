/*
** What a worker and its supervisor share: a page of memory. The worker writes what it does, and the
** supervisor reads it after the worker's end; the supervisor writes how that was before it begins
** the next one. So neither reads what the other one is writing.
*/
#ifndef BIDE_PROCESS_SERVICE_H
#define BIDE_PROCESS_SERVICE_H

#include <stdint.h>

typedef enum BideServicePhase {
  BIDE_SERVICE_STARTING, /* its end is that of the command */
  BIDE_SERVICE_SERVING,  /* its end is an accident: another one begins */
  BIDE_SERVICE_LEAVING   /* it was asked to end */
} BideServicePhase;

/* An end of a worker that no signal had asked for. */
typedef struct BideAccident {
  int64_t worker; /* the id under which its store knew it; 0: there was no accident */
  int64_t wait;   /* that whose code was running; 0: no wait's */
  int status;     /* as waitpid has it */
} BideAccident;

typedef struct BideService {
  volatile BideServicePhase phase;
  volatile int64_t worker;
  volatile int64_t wait;
  BideAccident last;
} BideService;

#endif
