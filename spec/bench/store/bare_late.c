/*
** Begins turns when they are due, as a worker does: claims them up to a second ahead every 200 ms, and
** writes results after 50 ms, or 500 of them, due again after 1.1 seconds. Prints how late they began,
** in milliseconds.
**
**   bare_late CONNINFO SECONDS
*/
#include "bare.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AHEAD 1000000
#define AGAIN 1100000
#define MOST 100000

static BareTurn hand[MOST], done[MOST], asked[BARE_BATCH];
static int held, finished;
static double late[1000000];
static int attempts;
static int64_t offset; /* of the store's clock from ours */

static int64_t now(void) {
  return (int64_t)(bare_now() * 1e6) + offset;
}

static int compare_due(const void *a, const void *b) {
  const BareTurn *left = a, *right = b;
  return (left->due > right->due) - (left->due < right->due);
}

static int compare_late(const void *a, const void *b) {
  const double *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

/* Begins and ends the attempts that are due. */
static void begin(void) {
  int first = 0;
  int64_t time = now();
  while (first < held && hand[first].due <= time && attempts < 1000000) {
    late[attempts++] = (double)(time - hand[first].due) / 1e3;
    done[finished++] = hand[first++];
  }
  held -= first;
  memmove(hand, hand + first, sizeof *hand * (size_t)held);
}

/* Waits for an answer, and begins meanwhile what is due. */
static PGresult *await(PGconn *connection) {
  struct pollfd socket = {PQsocket(connection), POLLIN, 0};
  PQflush(connection);
  while (PQisBusy(connection)) {
    poll(&socket, 1, 1);
    PQconsumeInput(connection);
    begin();
  }
  return bare_answer(connection);
}

static int claim_some(PGconn *connection) {
  int64_t clock, before = (int64_t)(bare_now() * 1e6);
  bare_send_claim(connection, BARE_BATCH, AHEAD);
  PGresult *result = await(connection);
  int count = bare_read_claim(result, asked, &clock);
  PQclear(result);
  if (clock != 0)
    offset = clock - ((int64_t)(bare_now() * 1e6) + before) / 2;
  memcpy(hand + held, asked, sizeof *hand * (size_t)count);
  held += count;
  qsort(hand, (size_t)held, sizeof *hand, compare_due);
  return count;
}

static void settle_some(PGconn *connection) {
  int count = finished < BARE_BATCH ? finished : BARE_BATCH;
  memcpy(asked, done, sizeof *done * (size_t)count);
  finished -= count;
  memmove(done, done + count, sizeof *done * (size_t)finished);
  bare_send_settle(connection, asked, count, now() + AGAIN, 0);
  PQclear(await(connection));
}

int main(int count, char **arguments) {
  if (count != 3)
    return 2;
  PGconn *connection = bare_enter(arguments[1]);
  double began = bare_now(), warm = began + 2, until = warm + atof(arguments[2]);
  double polled = 0, beaten = began, flushed = began;
  int is_warm = 0;
  while (bare_now() < until) {
    struct timespec pause = {0, 200000};
    begin();
    if (!is_warm && bare_now() >= warm) {
      attempts = 0;
      is_warm = 1;
    }
    if (finished >= BARE_BATCH || (finished > 0 && bare_now() - flushed >= 0.05)) {
      settle_some(connection);
      flushed = bare_now();
    } else if (bare_now() - polled >= 0.2) {
      polled = claim_some(connection) == BARE_BATCH ? 0 : bare_now();
    } else if (bare_now() - beaten >= 2) {
      bare_beat(connection);
      beaten = bare_now();
    } else {
      nanosleep(&pause, NULL);
    }
  }
  qsort(late, (size_t)attempts, sizeof *late, compare_late);
  if (attempts > 0)
    printf("{\"attempts\":%d,\"p50\":%.3f,\"p99\":%.3f}\n", attempts, late[attempts / 2],
           late[attempts * 99 / 100]);
  bare_leave(connection);
  return attempts == 0;
}
