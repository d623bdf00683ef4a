#include "bare.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define STATE 150

enum {
  BOOL = 16,
  BYTEA = 17,
  INT8 = 20,
  INT2 = 21,
  INT4 = 23,
  TEXT = 25,
  INT4S = 1007,
  TEXTS = 1009,
  BYTEAS = 1001,
  INT8S = 1016
};

static const char claim[] = "SELECT id, due, deadline, attempts, strikes, definition, format, "
                            "state, input, token, seed, output, error, "
                            "owner, keeps, clock FROM bide.claim($1, 1, 2::smallint, $2, $3, "
                            "9223372036854775807) ORDER BY due, id";

static const char settle[] =
  "SELECT id FROM bide.settle($1, $2, $3, $4, $5, $6::int[]::smallint[], $7, $8, $9, $10)";

static int64_t me;

static void fail(PGconn *connection) {
  fprintf(stderr, "%s", PQerrorMessage(connection));
  exit(1);
}

/* An array of one dimension, in the binary form of the protocol. */
typedef struct Array {
  char *bytes;
  int length;
} Array;

static void add(Array *array, const void *bytes, int length) {
  memcpy(array->bytes + array->length, bytes, (size_t)length);
  array->length += length;
}

static void add_int4(Array *array, int32_t value) {
  uint32_t order = htobe32((uint32_t)value);
  add(array, &order, 4);
}

static void add_int8(Array *array, int64_t value) {
  uint64_t order = htobe64((uint64_t)value);
  add(array, &order, 8);
}

static Array array_of(int type, int count, int size) {
  Array array = {malloc((size_t)(20 + count * (4 + size))), 0};
  add_int4(&array, 1);
  add_int4(&array, 0);
  add_int4(&array, type);
  add_int4(&array, count);
  add_int4(&array, 1);
  return array;
}

static int64_t int8_of(PGresult *result, int row, int column) {
  uint64_t order;
  memcpy(&order, PQgetvalue(result, row, column), 8);
  return (int64_t)be64toh(order);
}

static int32_t int4_of(PGresult *result, int row, int column) {
  uint32_t order;
  memcpy(&order, PQgetvalue(result, row, column), 4);
  return (int32_t)be32toh(order);
}

static void prepare(PGconn *connection, const char *name, const char *sql, int count,
                    const Oid *types) {
  PGresult *result = PQprepare(connection, name, sql, count, types);
  if (PQresultStatus(result) != PGRES_COMMAND_OK)
    fail(connection);
  PQclear(result);
}

PGconn *bare_enter(const char *conninfo) {
  static const Oid of_claim[] = {INT8, INT4, INT8};
  static const Oid of_settle[] = {INT8,  BOOL,   INT8S, INT4S, INT8S,
                                  INT4S, BYTEAS, TEXTS, TEXTS, TEXTS};
  PGconn *connection = PQconnectdb(conninfo);
  PGresult *result;
  if (PQstatus(connection) != CONNECTION_OK)
    fail(connection);
  prepare(connection, "claim", claim, 3, of_claim);
  prepare(connection, "settle", settle, 10, of_settle);
  result = PQexecParams(
    connection,
    "SELECT id FROM bide.enter('bare', 'trusted', '0', 'h', 1, '{default}', 500, '{0,1}')", 0, NULL,
    NULL, NULL, NULL, 1);
  if (PQresultStatus(result) != PGRES_TUPLES_OK)
    fail(connection);
  me = int8_of(result, 0, 0);
  PQclear(result);
  return connection;
}

void bare_send_claim(PGconn *connection, int want, int64_t ahead) {
  uint64_t worker = htobe64((uint64_t)me), until = htobe64((uint64_t)ahead);
  uint32_t most = htobe32((uint32_t)want);
  const char *values[] = {(char *)&worker, (char *)&most, (char *)&until};
  int lengths[] = {8, 4, 8}, formats[] = {1, 1, 1};
  if (!PQsendQueryPrepared(connection, "claim", 3, values, lengths, formats, 1))
    fail(connection);
}

int bare_read_claim(PGresult *result, BareTurn *turns, int64_t *clock) {
  int count = PQntuples(result);
  *clock = count > 0 ? int8_of(result, 0, 15) : 0;
  for (int row = 0; row < count; row++)
    turns[row] = (BareTurn){int8_of(result, row, 0), int8_of(result, row, 1),
                            int4_of(result, row, 3)};
  return count;
}

/* A list of nothing, as bide sends where no result has a text. */
static Array empty(int type) {
  Array array = {malloc(12), 0};
  add_int4(&array, 0);
  add_int4(&array, 0);
  add_int4(&array, type);
  return array;
}

void bare_send_settle(PGconn *connection, BareTurn *turns, int count, int64_t due, int keep) {
  static const char state[STATE];
  uint64_t worker = htobe64((uint64_t)me);
  char is_kept = (char)keep;
  Array arrays[] = {array_of(INT8, count, 8),
                    array_of(INT4, count, 4),
                    array_of(INT8, count, 8),
                    array_of(INT4, count, 4),
                    array_of(BYTEA, count, STATE),
                    empty(TEXT),
                    empty(TEXT),
                    empty(TEXT)};
  const char *values[10] = {(char *)&worker, &is_kept};
  int lengths[10] = {8, 1}, formats[10] = {1, 1};
  for (int i = 0; i < count; i++) {
    turns[i].attempts++;
    add_int4(&arrays[0], 8);
    add_int8(&arrays[0], turns[i].id);
    add_int4(&arrays[1], 4);
    add_int4(&arrays[1], turns[i].attempts);
    add_int4(&arrays[2], 8);
    add_int8(&arrays[2], due);
    add_int4(&arrays[3], 4);
    add_int4(&arrays[3], 1);
    add_int4(&arrays[4], STATE);
    add(&arrays[4], state, STATE);
  }
  for (int i = 0; i < 8; i++) {
    values[i + 2] = arrays[i].bytes;
    lengths[i + 2] = arrays[i].length;
    formats[i + 2] = 1;
  }
  if (!PQsendQueryPrepared(connection, "settle", 10, values, lengths, formats, 1))
    fail(connection);
  for (int i = 0; i < 8; i++)
    free(arrays[i].bytes);
}

PGresult *bare_answer(PGconn *connection) {
  PGresult *result = PQgetResult(connection);
  if (PQresultStatus(result) != PGRES_TUPLES_OK)
    fail(connection);
  PQclear(PQgetResult(connection));
  return result;
}

static void call(PGconn *connection, const char *form) {
  char text[100];
  snprintf(text, sizeof text, form, (long)me);
  PGresult *result = PQexec(connection, text);
  if (PQresultStatus(result) != PGRES_TUPLES_OK)
    fail(connection);
  PQclear(result);
}

void bare_beat(PGconn *connection) {
  call(connection, "SELECT * FROM bide.beat(%ld, 0, 0)");
}

void bare_leave(PGconn *connection) {
  call(connection, "SELECT bide.leave(%ld)");
  PQfinish(connection);
}

double bare_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double bare_processor_time(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}
