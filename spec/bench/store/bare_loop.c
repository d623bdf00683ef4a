/*
** Claims turns and settles them as fast as it goes, due at once; with "keep", holds 500 turns and
** settles them without releasing them. Prints what spec/bench/store/verbs.lua prints.
**
**   bare_loop CONNINFO release|keep SECONDS
*/
#include "bare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static BareTurn turns[BARE_BATCH];

static int claim_some(PGconn *connection, int64_t *clock) {
  bare_send_claim(connection, BARE_BATCH, 0);
  PGresult *result = bare_answer(connection);
  int count = bare_read_claim(result, turns, clock);
  PQclear(result);
  return count;
}

static int settle_all(PGconn *connection, int count, int64_t clock, int keep) {
  if (count == 0)
    return 0;
  bare_send_settle(connection, turns, count, clock, keep);
  PGresult *result = bare_answer(connection);
  int written = PQntuples(result);
  PQclear(result);
  return written;
}

int main(int count, char **arguments) {
  if (count != 4)
    return 2;
  PGconn *connection = bare_enter(arguments[1]);
  int keep = strcmp(arguments[2], "keep") == 0, held = 0;
  double seconds = atof(arguments[3]), began = bare_now(), used = bare_processor_time(),
         beaten = began;
  long attempts = 0;
  int64_t clock = 0;
  while (bare_now() - began < seconds) {
    if (!keep || held == 0)
      held = claim_some(connection, &clock);
    attempts += settle_all(connection, held, clock, keep);
    if (bare_now() - beaten < 2)
      continue;
    bare_beat(connection);
    beaten = bare_now();
  }
  printf("{\"attempts\":%ld,\"seconds\":%.6f,\"cpu\":%.6f}\n", attempts, bare_now() - began,
         bare_processor_time() - used);
  bare_leave(connection);
  return 0;
}
