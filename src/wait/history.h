/*
** Records the attempts of a wait in a few bytes each: all of them up to a bound, then the first and
** the last ones, so that a wait of a day needs no more memory than a wait of an hour. The caller
** stores larger data of an attempt, such as an error or a note, under the same place.
*/
#ifndef BIDE_WAIT_HISTORY_H
#define BIDE_WAIT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BIDE_HISTORY_FIRST 50
#define BIDE_HISTORY_LAST 50

typedef enum BideAttemptState {
  BIDE_ATTEMPT_UNKNOWN, /* not reported */
  BIDE_ATTEMPT_CUT,     /* it ended without a decision */
  BIDE_ATTEMPT_DECIDED  /* added to a BideState */
} BideAttemptState;

/* One attempt. Times are milliseconds. */
typedef struct BideAttempt {
  int64_t at; /* when it began, since the beginning of the wait */
  int64_t duration;
  int64_t delay;     /* the delay chosen after it; below 0 if the wait ended */
  uint32_t acceptor; /* the position of the one that matched, from 1; 0 if none did */
  uint16_t state;
  uint16_t is_woken;
} BideAttempt;

/* A zeroed history is empty. It owns `attempts`. */
typedef struct BideHistory {
  BideAttempt *attempts;
  uint64_t count; /* the number of the latest attempt */
} BideHistory;

/* Adds attempt `number`, above all earlier ones. Returns it zeroed, or NULL without memory. */
BideAttempt *bide_history_add(BideHistory *history, uint64_t number);

/* Returns the index of an attempt in `attempts`. A later attempt may replace it there. */
size_t bide_history_place(uint64_t number);

/* Returns the number of the next attempt after `number` that is kept; 0 after the last one. */
uint64_t bide_history_next(const BideHistory *history, uint64_t number);

/* Returns how many attempts between the first and the last ones are not kept. */
uint64_t bide_history_omitted(const BideHistory *history);

void bide_history_free(BideHistory *history);

#endif
