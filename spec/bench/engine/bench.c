/*
** bench                              everything over the generated documents
** bench generate FOLDER              writes these documents
** bench cells FOLDER                 the searches over them, for other engines
** bench search FILE EXPRESSION…      a document and expressions of one's own
**
** Prints one JSON object a line, times in nanoseconds.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents.h"
#include "floors.h"
#include "jmespath/jmespath.h"
#include "measure.h"
#include "references.h"
#include "json/reader.h"
#include "json/writer.h"

typedef struct Case {
  BenchDocument document;
  const char *name;
  const char *expression;
  BenchFloor *floor;
} Case;

static const Case cases[] = {
  {BENCH_INSTANCES, "names", "Reservations[].Instances[].State.Name", bench_floor_names},
  {BENCH_GROUPS, "contains",
   "contains(AutoScalingGroups[].[length(Instances[?LifecycleState=='InService']) >= MinSize][], "
   "`false`)",
   bench_floor_contains},
  {BENCH_STACKS, "stacks", "Stacks[].StackStatus", bench_floor_stacks},
  {BENCH_SERVICES, "first-unhealthy", "services[?runningCount != desiredCount] | [0]",
   bench_floor_unhealthy},
  {BENCH_SERVICES, "all-stable",
   "length(services[?!(length(deployments) == `1` && runningCount == desiredCount)]) == `0`",
   bench_floor_stable},
};

static const size_t sizes[] = {4000, 100000, 2000000};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int fail(const char *what, const BideError *error) {
  fprintf(stderr, "bench: %s: %s\n", what, error == NULL ? "failed" : error->message);
  return 1;
}

/* ---- what is measured ---- */

typedef struct Work {
  const char *text;
  size_t length;
  const char *expression_text;
  BideArena document_arena; /* of the document that is searched */
  BideArena arena;          /* of what is measured; warm */
  BideValue document;
  const BideExpression *expression;
  BenchFloor *floor;
  BideValue result;
} Work;

static void work_read(void *context) {
  Work *work = context;
  bide_arena_reset(&work->arena);
  if (!bide_json_read(&work->arena, work->text, work->length, NULL, &work->result, NULL))
    abort();
}

static void work_simdjson(void *context) {
  Work *work = context;
  if (bench_simdjson_read(work->text, work->length) != 0)
    abort();
}

static void work_jansson(void *context) {
  Work *work = context;
  if (bench_jansson_read(work->text, work->length) != 0)
    abort();
}

static void work_compile(void *context) {
  Work *work = context;
  bide_arena_reset(&work->arena);
  if (bide_jmespath_compile(&work->arena, NULL, work->expression_text,
                            strlen(work->expression_text), NULL) == NULL)
    abort();
}

static void work_search(void *context) {
  Work *work = context;
  bide_arena_reset(&work->arena);
  if (!bide_jmespath_search(work->expression, &work->document, NULL, &work->arena, &work->result,
                            NULL, NULL))
    abort();
}

static void work_floor(void *context) {
  Work *work = context;
  bide_arena_reset(&work->arena);
  work->result = work->floor(&work->arena, &work->document);
}

static void work_read_and_search(void *context) {
  Work *work = context;
  BideValue document;
  bide_arena_reset(&work->arena);
  if (!bide_json_read(&work->arena, work->text, work->length, NULL, &document, NULL) ||
      !bide_jmespath_search(work->expression, &document, NULL, &work->arena, &work->result, NULL,
                            NULL))
    abort();
}

/* ---- setting up ---- */

static int work_begin(Work *work, const char *text, size_t length, const char *expression,
                      BideError *error) {
  memset(work, 0, sizeof *work);
  work->text = text;
  work->length = length;
  work->expression_text = expression;
  if (!bide_json_read(&work->document_arena, text, length, NULL, &work->document, error))
    return 0;
  work->expression = expression == NULL
                       ? NULL
                       : bide_jmespath_compile(&work->document_arena, NULL, expression,
                                               strlen(expression), error);
  return expression == NULL || work->expression != NULL;
}

static void work_end(Work *work) {
  bide_arena_free(&work->document_arena);
  bide_arena_free(&work->arena);
}

/* A search may fail, and whoever measures it wants to know that first. */
static int search_succeeds(Work *work, BideError *error) {
  bide_arena_reset(&work->arena);
  return bide_jmespath_search(work->expression, &work->document, NULL, &work->arena, &work->result,
                              error, NULL);
}

static double count_allocations(Work *work) {
  unsigned long before;
  work_search(work);
  work_search(work);
  before = bench_allocations();
  for (int i = 0; i < 16; i++)
    work_search(work);
  return (double)(bench_allocations() - before) / 16;
}

/* ---- reports ---- */

static double rate(const Work *work, double nanoseconds) {
  return (double)work->length * 1000 / nanoseconds;
}

static void report_read(BenchDocument document, Work *work) {
  double bide = bench_measure(work_read, work);
  double simdjson = bench_measure(work_simdjson, work);
  double jansson = bench_measure(work_jansson, work);
  printf("{\"bench\":\"read\",\"document\":\"%s\",\"bytes\":%zu,\"bide_mb_s\":%.0f,"
         "\"simdjson_mb_s\":%.0f,\"jansson_mb_s\":%.0f,\"share_of_simdjson\":%.2f}\n",
         bench_document_name(document), work->length, rate(work, bide), rate(work, simdjson),
         rate(work, jansson), simdjson / bide);
  fflush(stdout);
}

static void report_search(const Case *item, Work *work) {
  double compile = bench_measure(work_compile, work);
  double search = bench_measure(work_search, work);
  double floor = bench_measure(work_floor, work);
  double both = bench_measure(work_read_and_search, work);
  double simdjson = bench_measure(work_simdjson, work);
  printf("{\"bench\":\"search\",\"name\":\"%s\",\"bytes\":%zu,\"compile_ns\":%.0f,"
         "\"search_ns\":%.1f,\"floor_ns\":%.1f,\"times_floor\":%.2f,\"read_and_search_ns\":%.0f,"
         "\"simdjson_and_floor_ns\":%.0f,\"allocations\":%g}\n",
         item->name, work->length, compile, search, floor, search / floor, both, simdjson + floor,
         count_allocations(work));
  fflush(stdout);
}

static int same_result(Work *work) {
  BideValue by_search;
  work_search(work);
  by_search = work->result;
  work->result = work->floor(&work->document_arena, &work->document);
  return bide_value_equal(&by_search, &work->result);
}

static int run_case(const Case *item, size_t size) {
  BideBuffer text;
  BideError error;
  Work work;
  int failed = 0;
  bide_buffer_init(&text, 0);
  bench_document_write(item->document, size, &text);
  if (!work_begin(&work, text.bytes, text.length, item->expression, &error)) {
    failed = fail(item->name, &error);
  } else {
    work.floor = item->floor;
    if (same_result(&work))
      report_search(item, &work);
    else
      failed = fail(item->name, NULL);
  }
  work_end(&work);
  bide_buffer_free(&text);
  return failed;
}

static int run_read(BenchDocument document, size_t size) {
  BideBuffer text;
  BideError error;
  Work work;
  int failed = 0;
  bide_buffer_init(&text, 0);
  bench_document_write(document, size, &text);
  if (work_begin(&work, text.bytes, text.length, NULL, &error))
    report_read(document, &work);
  else
    failed = fail(bench_document_name(document), &error);
  work_end(&work);
  bide_buffer_free(&text);
  return failed;
}

static int run_all(void) {
  int failed = 0;
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (int document = 0; document < BENCH_DOCUMENTS; document++)
      failed |= run_read((BenchDocument)document, sizes[i]);
  for (size_t i = 0; i < COUNT(cases); i++)
    for (size_t j = 0; j < COUNT(sizes); j++)
      failed |= run_case(&cases[i], sizes[j]);
  return failed;
}

/* ---- commands ---- */

static int generate_one(const char *folder, BenchDocument document, size_t size) {
  char path[512];
  BideBuffer text;
  FILE *file;
  int failed = 1;
  bide_buffer_init(&text, 0);
  bench_document_write(document, size, &text);
  snprintf(path, sizeof path, "%s/%s-%zu.json", folder, bench_document_name(document), size);
  file = fopen(path, "wb");
  if (file != NULL) {
    failed = fwrite(text.bytes, 1, text.length, file) != text.length;
    failed |= fclose(file) != 0;
  }
  bide_buffer_free(&text);
  return failed ? fail(path, NULL) : 0;
}

static int generate(const char *folder) {
  int failed = 0;
  for (int document = 0; document < BENCH_DOCUMENTS; document++)
    for (size_t i = 0; i < COUNT(sizes); i++)
      failed |= generate_one(folder, (BenchDocument)document, sizes[i]);
  return failed;
}

/* Name, bytes, file and expression of each cell, a line each. */
static int print_cells(const char *folder) {
  for (size_t i = 0; i < COUNT(cases); i++)
    for (size_t j = 0; j < COUNT(sizes); j++) {
      BideBuffer text;
      bide_buffer_init(&text, 0);
      bench_document_write(cases[i].document, sizes[j], &text);
      printf("%s\t%zu\t%s/%s-%zu.json\t%s\n", cases[i].name, text.length, folder,
             bench_document_name(cases[i].document), sizes[j], cases[i].expression);
      bide_buffer_free(&text);
    }
  return 0;
}

static char *read_file(const char *path, BideBuffer *buffer) {
  FILE *file = fopen(path, "rb");
  size_t got = 1;
  while (file != NULL && got > 0) {
    char *room = bide_buffer_reserve(buffer, 1 << 16);
    got = room == NULL ? 0 : fread(room, 1, 1 << 16, file);
    buffer->length += got;
  }
  if (file != NULL)
    fclose(file);
  return buffer->bytes;
}

static void print_string(const char *text) {
  BideBuffer buffer;
  bide_buffer_init(&buffer, 0);
  bide_json_write_string(&buffer, text, strlen(text));
  printf("%.*s", (int)buffer.length, buffer.bytes);
  bide_buffer_free(&buffer);
}

static int search_file(const char *path, const char *text, size_t length, const char *expression) {
  BideError error;
  Work work;
  int failed = 0;
  if (!work_begin(&work, text, length, expression, &error) || !search_succeeds(&work, &error)) {
    failed = fail(expression, &error);
  } else {
    printf("{\"file\":");
    print_string(path);
    printf(",\"bytes\":%zu,\"expression\":", length);
    print_string(expression);
    printf(",\"parse_ns\":%.0f", bench_measure(work_read, &work));
    printf(",\"compile_ns\":%.1f", bench_measure(work_compile, &work));
    printf(",\"search_ns\":%.1f", bench_measure(work_search, &work));
    printf(",\"allocations\":%g}\n", count_allocations(&work));
    fflush(stdout);
  }
  work_end(&work);
  return failed;
}

static int search(const char *path, char *const *expressions) {
  BideBuffer text;
  int failed = 0;
  bide_buffer_init(&text, 0);
  if (read_file(path, &text) == NULL)
    return fail(path, NULL);
  for (; *expressions != NULL; expressions++)
    failed |= search_file(path, text.bytes, text.length, *expressions);
  bide_buffer_free(&text);
  return failed;
}

int main(int count, char **arguments) {
  if (count == 1)
    return run_all();
  if (count == 3 && strcmp(arguments[1], "generate") == 0)
    return generate(arguments[2]);
  if (count == 3 && strcmp(arguments[1], "cells") == 0)
    return print_cells(arguments[2]);
  if (count >= 4 && strcmp(arguments[1], "search") == 0)
    return search(arguments[2], arguments + 3);
  fprintf(stderr, "usage: bench | bench generate FOLDER | bench cells FOLDER | "
                  "bench search FILE EXPRESSION...\n");
  return 2;
}
