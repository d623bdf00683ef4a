#include "wait/history.h"

#include <stdlib.h>
#include <string.h>

#define BOUND (BIDE_HISTORY_FIRST + BIDE_HISTORY_LAST)

size_t bide_history_place(uint64_t number) {
  if (number <= BIDE_HISTORY_FIRST)
    return (size_t)number - 1;
  return BIDE_HISTORY_FIRST + (size_t)((number - BIDE_HISTORY_FIRST - 1) % BIDE_HISTORY_LAST);
}

/* Returns the capacity for `count` attempts: powers of two up to the bound. It is not stored. */
static size_t room_for(uint64_t count) {
  size_t room = 1;
  if (count == 0)
    return 0;
  while (room < count && room < BOUND)
    room *= 2;
  return room < BOUND ? room : BOUND;
}

static bool make_room(BideHistory *history, uint64_t count) {
  size_t room = room_for(history->count), wanted = room_for(count);
  BideAttempt *attempts;
  if (wanted <= room)
    return true;
  attempts = realloc(history->attempts, wanted * sizeof *attempts);
  if (attempts == NULL)
    return false;
  memset(attempts + room, 0, (wanted - room) * sizeof *attempts);
  history->attempts = attempts;
  return true;
}

BideAttempt *bide_history_add(BideHistory *history, uint64_t number) {
  BideAttempt *attempt;
  if (!make_room(history, number))
    return NULL;
  history->count = number;
  attempt = &history->attempts[bide_history_place(number)];
  memset(attempt, 0, sizeof *attempt);
  return attempt;
}

uint64_t bide_history_omitted(const BideHistory *history) {
  return history->count > BOUND ? history->count - BOUND : 0;
}

uint64_t bide_history_next(const BideHistory *history, uint64_t number) {
  do {
    number++;
    if (number == BIDE_HISTORY_FIRST + 1)
      number += bide_history_omitted(history);
    if (number > history->count)
      return 0;
  } while (history->attempts[bide_history_place(number)].state == BIDE_ATTEMPT_UNKNOWN);
  return number;
}

void bide_history_free(BideHistory *history) {
  free(history->attempts);
  memset(history, 0, sizeof *history);
}
