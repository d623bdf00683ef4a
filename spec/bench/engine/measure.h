/*
** How long something takes: the least of several rounds, each long enough for
** the clock, since whatever else the machine does only adds time.
*/
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

/* Runs `work` again and again; returns nanoseconds for one run. */
double bench_measure(void (*work)(void *context), void *context);

/* How many times malloc, calloc and realloc were called until now. */
unsigned long bench_allocations(void);

#endif
