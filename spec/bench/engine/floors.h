/*
** What a person would write by hand for the bench's expressions, over the same
** documents. Each visits what its expression must visit: a member whose type the
** expression would complain about is looked at in every element.
*/
#ifndef BENCH_FLOORS_H
#define BENCH_FLOORS_H

#include "base/arena.h"
#include "json/value.h"

typedef BideValue BenchFloor(BideArena *scratch, const BideValue *document);

BenchFloor bench_floor_names;
BenchFloor bench_floor_contains;
BenchFloor bench_floor_stacks;
BenchFloor bench_floor_unhealthy;
BenchFloor bench_floor_stable;

#endif
