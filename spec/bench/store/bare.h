/*
** The verbs of a store by libpq: the statements, parameters and batches of bide's own client, and
** nothing else. A failure ends the program.
*/
#ifndef BARE_H
#define BARE_H

#include <libpq-fe.h>
#include <stdint.h>

#define BARE_BATCH 500

typedef struct BareTurn {
  int64_t id;
  int64_t due; /* microseconds since 1970, by the clock of the store */
  int32_t attempts;
} BareTurn;

/* Connects, prepares the statements, and enters a worker of the queue "default". */
PGconn *bare_enter(const char *conninfo);

/* Sends a claim of turns that are due up to `ahead` microseconds from now. */
void bare_send_claim(PGconn *connection, int want, int64_t ahead);

/* Reads the turns of an answer, at most BARE_BATCH, and the clock of the store, 0 without a turn. */
int bare_read_claim(PGresult *result, BareTurn *turns, int64_t *clock);

/* Sends the results of attempts: the next is due at that time. The attempts are counted up. */
void bare_send_settle(PGconn *connection, BareTurn *turns, int count, int64_t due, int keep);

/* Waits for the answer of what was sent. */
PGresult *bare_answer(PGconn *connection);

/* Ends the worker. */
void bare_leave(PGconn *connection);

/* Renews the lease. */
void bare_beat(PGconn *connection);

double bare_now(void);
double bare_processor_time(void);

#endif
