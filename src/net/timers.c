#include "net/timers.h"

#include <stdlib.h>

#define FIRST_CAPACITY ((size_t)64)

static bool is_before(const BideTimer *a, const BideTimer *b) {
  return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void place_timer(BideTimers *timers, BideTimer *timer, size_t place) {
  timers->heap[place] = timer;
  timer->place = place;
}

static void sift_up(BideTimers *timers, BideTimer *timer, size_t place) {
  while (place > 1 && is_before(timer, timers->heap[place / 2])) {
    place_timer(timers, timers->heap[place / 2], place);
    place /= 2;
  }
  place_timer(timers, timer, place);
}

static void sift_down(BideTimers *timers, BideTimer *timer, size_t place) {
  for (;;) {
    size_t child = place * 2;
    if (child > timers->count)
      break;
    if (child < timers->count && is_before(timers->heap[child + 1], timers->heap[child]))
      child++;
    if (!is_before(timers->heap[child], timer))
      break;
    place_timer(timers, timers->heap[child], place);
    place = child;
  }
  place_timer(timers, timer, place);
}

bool bide_timers_make_room(BideTimers *timers, size_t more) {
  size_t needed = timers->count + timers->reserved + more + 1; /* place 0 is not used */
  size_t capacity = timers->capacity == 0 ? FIRST_CAPACITY : timers->capacity;
  BideTimer **grown;
  if (needed <= timers->capacity)
    return true;
  while (capacity < needed)
    capacity *= 2;
  grown = realloc(timers->heap, capacity * sizeof *grown);
  if (grown == NULL)
    return false;
  timers->heap = grown;
  timers->capacity = capacity;
  return true;
}

void bide_timers_add(BideTimers *timers, BideTimer *timer) {
  timers->count++;
  sift_up(timers, timer, timers->count);
}

void bide_timers_remove(BideTimers *timers, BideTimer *timer) {
  size_t place = timer->place;
  BideTimer *last;
  if (place == 0)
    return;
  timer->place = 0;
  last = timers->heap[timers->count--];
  if (last == timer)
    return;
  if (place > 1 && is_before(last, timers->heap[place / 2]))
    sift_up(timers, last, place);
  else
    sift_down(timers, last, place);
}
