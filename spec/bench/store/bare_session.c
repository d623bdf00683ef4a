/*
** Asks PostgreSQL by libpq what spec/bench/store/session.lua asks by bide's session, and prints the
** microseconds of processor time for each query, or each row.
**
**   bare_session CONNINFO one|together|rows SQL COUNT
*/
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define BATCH 100

static void fail(PGconn *connection) {
  fprintf(stderr, "%s", PQerrorMessage(connection));
  exit(1);
}

static double processor_time(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Reads every value of a result, as a client does. */
static long read_rows(PGconn *connection, PGresult *result) {
  long sum = 0;
  if (PQresultStatus(result) != PGRES_TUPLES_OK)
    fail(connection);
  for (int row = 0; row < PQntuples(result); row++)
    for (int column = 0; column < PQnfields(result); column++)
      sum += PQgetvalue(result, row, column)[0] + PQgetlength(result, row, column);
  PQclear(result);
  return sum;
}

static long ask(PGconn *connection, int parameters, long number) {
  char text[24];
  const char *values[1] = {text};
  snprintf(text, sizeof text, "%ld", number);
  return read_rows(connection, PQexecPrepared(connection, "q", parameters, values, NULL, NULL, 1));
}

static void ask_together(PGconn *connection, long count) {
  for (long first = 0; first < count; first += BATCH) {
    for (long number = first; number < first + BATCH; number++) {
      char text[24];
      const char *values[1] = {text};
      snprintf(text, sizeof text, "%ld", number);
      if (!PQsendQueryPrepared(connection, "q", 1, values, NULL, NULL, 1) ||
          !PQpipelineSync(connection))
        fail(connection);
    }
    for (int answer = 0; answer < BATCH; answer++) {
      read_rows(connection, PQgetResult(connection));
      PQgetResult(connection);          /* the end of the query */
      PQclear(PQgetResult(connection)); /* its Sync */
    }
  }
}

int main(int count, char **arguments) {
  if (count != 5)
    return 2;
  PGconn *connection = PQconnectdb(arguments[1]);
  int has_parameter = strchr(arguments[3], '$') != NULL;
  long number = atol(arguments[4]);
  if (PQstatus(connection) != CONNECTION_OK)
    fail(connection);
  PQclear(PQprepare(connection, "q", arguments[3], has_parameter, NULL));
  if (strcmp(arguments[2], "together") == 0 && !PQenterPipelineMode(connection))
    fail(connection);
  double began = processor_time();
  if (strcmp(arguments[2], "together") == 0)
    ask_together(connection, number);
  else
    for (long i = 0; i < number; i++)
      ask(connection, has_parameter, i);
  printf("%.3f\n", (processor_time() - began) / (double)number);
  PQfinish(connection);
  return 0;
}
