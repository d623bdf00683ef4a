/*
** The attempts of a wait, told in a few bytes each: all of them up to a bound,
** then the first and the last ones, so that a wait of a day takes no more memory
** than one of an hour. What takes more than a few bytes, an error or a note, is
** kept by the caller, under the same place.
*/
#ifndef BIDE_WAIT_HISTORY_H
#define BIDE_WAIT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BIDE_HISTORY_FIRST 50
#define BIDE_HISTORY_LAST 50

typedef enum BideAttemptState {
  BIDE_ATTEMPT_UNKNOWN, /* nobody has told of it */
  BIDE_ATTEMPT_CUT,     /* it came to no decision */
  BIDE_ATTEMPT_DECIDED  /* + a BideState */
} BideAttemptState;

/* Times are seconds, as the outcome tells them. */
typedef struct BideAttempt {
  double at;         /* since the wait began */
  double duration;
  double delay;      /* that was chosen after it; below 0 where none was */
  uint32_t acceptor; /* the position of the one that matched; 0 for none */
  uint32_t state;
} BideAttempt;

typedef struct BideHistory {
  BideAttempt *attempts;
  uint64_t count; /* the number of the latest attempt; zeroed, a history is empty */
} BideHistory;

/* Makes room for attempt `number`, from 1, above all before it; zeroed. NULL without memory. */
BideAttempt *bide_history_add(BideHistory *history, uint64_t number);

/* Where an attempt stands, from 0; it stays there until another takes its place. */
size_t bide_history_place(uint64_t number);

/* The number of the attempt that follows `number` among those that are kept; 0 behind the last. */
uint64_t bide_history_next(const BideHistory *history, uint64_t number);

/* How many lie between the first and the last ones. */
uint64_t bide_history_omitted(const BideHistory *history);

void bide_history_free(BideHistory *history);

#endif
