#include "wait/waiter.h"

void bide_waiter_init(BideWaiter *waiter, BideBackoff backoff, int64_t max_wait,
                      uint64_t max_attempts, uint64_t seed, int64_t now) {
  waiter->backoff = backoff;
  waiter->started = now;
  waiter->max_wait = max_wait;
  waiter->max_attempts = max_attempts;
  waiter->attempts = 0;
  bide_random_seed(&waiter->random, seed);
}

uint64_t bide_waiter_begin(BideWaiter *waiter) {
  return ++waiter->attempts;
}

int64_t bide_waiter_deadline(const BideWaiter *waiter) {
  if (waiter->started > 0 && waiter->max_wait > INT64_MAX - 1 - waiter->started)
    return INT64_MAX - 1;
  return waiter->started + waiter->max_wait;
}

static BideDecision end(BideState state, BideReason reason, size_t acceptor) {
  return (BideDecision){BIDE_ENDED, state, reason, acceptor, 0};
}

/*
** Step 5, "Waiter retries". The random number is drawn between the halves of the
** backoff; where no time is left for another attempt nothing is drawn.
*/
static BideDecision retry(BideWaiter *waiter, size_t acceptor, int64_t now) {
  const BideBackoff *backoff = &waiter->backoff;
  int64_t remaining = bide_waiter_deadline(waiter) - now;
  int64_t drawn;
  if (waiter->attempts >= waiter->max_attempts)
    return end(BIDE_FAILURE, BIDE_BY_MAX_ATTEMPTS, acceptor);
  if (remaining <= backoff->min_delay)
    return end(BIDE_FAILURE, BIDE_BY_MAX_WAIT, acceptor);
  drawn = bide_random_between(&waiter->random, backoff->min_delay,
                              bide_backoff_ceiling(backoff, waiter->attempts));
  return (BideDecision){BIDE_AGAIN, BIDE_RETRY, BIDE_BY_ACCEPTOR, acceptor,
                        bide_backoff_delay(backoff, drawn, remaining)};
}

BideDecision bide_waiter_accept(BideWaiter *waiter, const BideDefinition *definition,
                                size_t acceptor, int64_t now) {
  BideState state = definition->acceptors[acceptor - 1].state;
  if (state == BIDE_RETRY)
    return retry(waiter, acceptor, now);
  return end(state, BIDE_BY_ACCEPTOR, acceptor);
}

/* Steps 2 to 5 of the workflow; step 1, the call, is the caller's. */
BideDecision bide_waiter_observe(BideWaiter *waiter, const BideDefinition *definition,
                                 const BideObservation *observation, size_t first, int64_t now,
                                 BideArena *scratch, BideError *note) {
  BideError problem;
  note->code = BIDE_OK;
  if (now > bide_waiter_deadline(waiter))
    return end(BIDE_FAILURE, BIDE_BY_MAX_WAIT, 0);
  for (size_t position = first; position <= definition->count; position++) {
    const BideMatcher *matcher = &definition->acceptors[position - 1].matcher;
    if (matcher->kind == BIDE_MATCHER_HOST)
      return (BideDecision){BIDE_ASK, BIDE_RETRY, BIDE_BY_ACCEPTOR, position, 0};
    if (bide_matcher_matches(matcher, observation, scratch, &problem))
      return bide_waiter_accept(waiter, definition, position, now);
    if (problem.code != BIDE_OK)
      *note = problem;
  }
  if (observation->output == NULL)
    return end(BIDE_FAILURE, BIDE_BY_UNMATCHED_ERROR, 0);
  return retry(waiter, 0, now);
}
