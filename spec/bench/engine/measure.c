#include "measure.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"

#define ROUNDS 9
#define ROUND_NANOSECONDS 15000000

static double run_round(void (*work)(void *), void *context, long times) {
  int64_t begin = bide_clock_nanoseconds();
  for (long i = 0; i < times; i++)
    work(context);
  return (double)(bide_clock_nanoseconds() - begin);
}

double bench_measure(void (*work)(void *context), void *context) {
  long times = 1;
  double least;
  while (run_round(work, context, times) < ROUND_NANOSECONDS / 8)
    times *= 2;
  times *= 8;
  least = run_round(work, context, times);
  for (int i = 1; i < ROUNDS; i++) {
    double time = run_round(work, context, times);
    if (time < least)
      least = time;
  }
  return least / (double)times;
}

/* ---- allocations: the linker puts these in front of the library's (--wrap) ---- */

static unsigned long allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size) {
  allocations++;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  allocations++;
  return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
  allocations++;
  return __real_realloc(memory, size);
}

unsigned long bench_allocations(void) {
  return allocations;
}
