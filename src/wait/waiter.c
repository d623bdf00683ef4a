#include "wait/waiter.h"

const char *bide_reason_name(BideReason reason) {
  switch (reason) {
    case BIDE_BY_ACCEPTOR: return "acceptor";
    case BIDE_BY_UNMATCHED_ERROR: return "unmatchedError";
    case BIDE_BY_MAX_ATTEMPTS: return "maxAttempts";
    case BIDE_BY_MAX_WAIT: return "maxWait";
  }
  return NULL;
}

void bide_waiter_init(BideWaiter *waiter, const BideWaitLimits *limits, uint64_t seed,
                      int64_t now) {
  BideValue nothing = bide_value_null();
  *waiter = (BideWaiter){.limits = limits, .started = now, .watched = bide_value_hash(&nothing)};
  bide_random_seed(&waiter->random, seed);
}

int64_t bide_waiter_last_spread(const BideWaiter *waiter) {
  return waiter->is_spread ? BIDE_SPREAD_IS_OVER : waiter->limits->last_spread;
}

uint64_t bide_waiter_begin(BideWaiter *waiter, bool is_woken) {
  waiter->is_woken = is_woken && waiter->attempts > 0;
  if (waiter->is_woken) {
    waiter->woken++;
    waiter->backoff_base++;
  }
  return ++waiter->attempts;
}

/* Adds a duration above 0 to a time. Saturates at INT64_MAX - 1. */
static int64_t after(int64_t time, int64_t duration) {
  if (time > 0 && duration > INT64_MAX - 1 - time)
    return INT64_MAX - 1;
  return time + duration;
}

/* Returns the time from `from` to `until`: 0 if it is not later. Saturates at INT64_MAX. */
static int64_t between(int64_t from, int64_t until) {
  uint64_t gap = until > from ? (uint64_t)until - (uint64_t)from : 0;
  return gap < INT64_MAX ? (int64_t)gap : INT64_MAX;
}

int64_t bide_waiter_deadline(const BideWaiter *waiter) {
  return after(waiter->started, waiter->limits->max_wait);
}

int64_t bide_waiter_first(const BideWaiter *waiter, int64_t delay) {
  const BideWaitLimits *limits = waiter->limits;
  if (delay < limits->max_wait)
    return after(waiter->started, delay);
  if (limits->max_wait <= limits->backoff.min_delay)
    return waiter->started;
  return bide_waiter_deadline(waiter) - limits->backoff.min_delay;
}

/* ---- streaks -------------------------------------------------------------- */

static bool is_held(const BideWaiter *waiter) {
  return waiter->streak.of != 0 && waiter->streak.of != BIDE_TOLERATED;
}

/* Ends the streak. If it was a success that did not last, the backoff starts again. */
static void break_streak(BideWaiter *waiter) {
  if (is_held(waiter))
    waiter->backoff_base = waiter->attempts - 1;
  waiter->streak = (BideStreak){0, 0, 0};
}

/* Adds the attempt that ended at `now` to the streak, or begins a new streak with it. */
static const BideStreak *extend_streak(BideWaiter *waiter, uint64_t of, int64_t now) {
  BideStreak *streak = &waiter->streak;
  if (streak->of != of) {
    break_streak(waiter);
    *streak = (BideStreak){of, 0, now};
  }
  if (!waiter->is_woken)
    streak->count++;
  return streak;
}

/* Subtracts unsigned, so that a forged record cannot cause an overflow. */
static int64_t duration_of(const BideStreak *streak, int64_t now) {
  return (int64_t)((uint64_t)now - (uint64_t)streak->since);
}

BideSpan bide_waiter_hold(const BideWaiter *waiter, const BideDefinition *definition) {
  BideSpan own = waiter->limits->hold;
  return own.attempts > 0 || own.time > 0 ? own : definition->hold;
}

void bide_waiter_oversleep(BideWaiter *waiter, const BideDefinition *definition) {
  BideSpan span = is_held(waiter) ? bide_waiter_hold(waiter, definition)
                                  : waiter->limits->tolerance;
  if (span.time > 0)
    waiter->streak = (BideStreak){0, 0, 0};
}

static bool has_held(BideWaiter *waiter, BideSpan hold, size_t acceptor, int64_t now) {
  const BideStreak *streak;
  if (hold.attempts == 0 && hold.time == 0) {
    break_streak(waiter);
    return true;
  }
  streak = extend_streak(waiter, acceptor, now);
  if (hold.attempts == 1)
    return true;
  return hold.attempts > 0 ? streak->count >= hold.attempts : duration_of(streak, now) >= hold.time;
}

static bool is_tolerated(BideWaiter *waiter, const BideObservation *observation, int64_t now) {
  BideSpan tolerance = waiter->limits->tolerance;
  const BideStreak *streak;
  if (!observation->transient || (tolerance.attempts == 0 && tolerance.time == 0))
    return false;
  streak = extend_streak(waiter, BIDE_TOLERATED, now);
  return tolerance.attempts > 0 ? streak->count <= tolerance.attempts
                                : duration_of(streak, now) <= tolerance.time;
}

/* ---- decisions ------------------------------------------------------------ */

static BideDecision end(BideState state, BideReason reason, size_t acceptor) {
  return (BideDecision){BIDE_ENDED, state, reason, acceptor, 0, 0};
}

/* Returns the range of the delay by bide's own choice. */
static BideDelayRange range_of(const BideWaiter *waiter, int64_t now) {
  const BideBackoff *backoff = &waiter->limits->backoff;
  int64_t held = waiter->limits->hold_delay;
  if (!is_held(waiter))
    return bide_backoff_range(backoff, waiter->attempts - waiter->backoff_base,
                              between(waiter->started, now));
  if (held < backoff->min_delay)
    held = backoff->min_delay;
  return (BideDelayRange){held, held};
}

/* Returns the delay that the service asks for, within its cap. */
static int64_t asked_by(const BideObservation *observation, const BideWaitLimits *limits) {
  int64_t cap = limits->retry_after_cap;
  if (cap == BIDE_USUAL_CAP)
    cap = limits->backoff.max_delay;
  if (limits->retry_after_cap == BIDE_USUAL_CAP && observation->output == NULL &&
      cap < BIDE_RETRY_AFTER_CAP)
    cap = BIDE_RETRY_AFTER_CAP;
  return observation->retry_after < cap ? observation->retry_after : cap;
}

/* Ends the wait, since its next attempt would come too late. */
static BideDecision end_late(const BideWaiter *waiter, const BideObservation *observation,
                             size_t acceptor) {
  BideDecision decision = end(BIDE_FAILURE, BIDE_BY_MAX_WAIT, acceptor);
  decision.asked = asked_by(observation, waiter->limits);
  return decision;
}

/*
** Puts a last attempt, which would not come before `last` from now, into the span before that, but
** not before the delay that was drawn. Ends the wait if that attempt has been made.
*/
static BideDecision spread(BideWaiter *waiter, const BideObservation *observation, size_t acceptor,
                           int64_t drawn, int64_t last) {
  int64_t earliest = last - waiter->limits->last_spread, delay;
  if (bide_waiter_last_spread(waiter) == BIDE_SPREAD_IS_OVER)
    return end_late(waiter, observation, acceptor);
  waiter->is_spread = true;
  if (earliest < drawn)
    earliest = drawn < last ? drawn : last;
  delay = bide_random_between(&waiter->random, earliest, last);
  return (BideDecision){BIDE_AGAIN, BIDE_RETRY, BIDE_BY_ACCEPTOR, acceptor, delay, delay};
}

/* Does step 5, "Waiter retries". Draws no number if no time is left for another attempt. */
static BideDecision retry(BideWaiter *waiter, const BideObservation *observation, size_t acceptor,
                          int64_t now) {
  const BideWaitLimits *limits = waiter->limits;
  int64_t remaining = between(now, bide_waiter_deadline(waiter));
  int64_t last = remaining - limits->backoff.min_delay, asked, drawn, delay;
  BideDelayRange range;
  if (waiter->attempts - waiter->woken >= limits->max_attempts)
    return end(BIDE_FAILURE, BIDE_BY_MAX_ATTEMPTS, acceptor);
  if (last <= 0)
    return end_late(waiter, observation, acceptor);
  range = range_of(waiter, now);
  drawn = bide_random_between(&waiter->random, range.low, range.high);
  asked = asked_by(observation, limits);
  if (asked > last && bide_waiter_last_spread(waiter) != 0)
    return spread(waiter, observation, acceptor, drawn, last);
  delay = bide_backoff_delay(&limits->backoff, asked > drawn ? asked : drawn, remaining);
  return (BideDecision){BIDE_AGAIN, BIDE_RETRY, BIDE_BY_ACCEPTOR,
                        acceptor,   delay,      asked < delay ? asked : delay};
}

/* Adds the problem of an evaluation to the note of the attempt. */
static void add_note(BideError *note, const BideError *problem) {
  if (problem->code != BIDE_OK && note->code != BIDE_ERROR_MEMORY)
    *note = *problem;
}

static bool is_blind(const BideObservation *observation) {
  return observation->output != NULL && observation->seen != NULL && observation->seen->is_blind;
}

static bool until_holds(const BideDefinition *definition, const BideObservation *observation,
                        BideArena *scratch, BideError *note) {
  BideError problem;
  bool holds = bide_matcher_matches(&definition->acceptors[definition->until - 1].matcher,
                                    observation, scratch, &problem);
  add_note(note, &problem);
  return holds;
}

/* Ends the wait by a success of the acceptor, or makes another attempt until that has held. */
static BideDecision succeed(BideWaiter *waiter, const BideDefinition *definition,
                            const BideObservation *observation, size_t acceptor, int64_t now) {
  if (has_held(waiter, bide_waiter_hold(waiter, definition), acceptor, now))
    return end(BIDE_SUCCESS, BIDE_BY_ACCEPTOR, acceptor);
  return retry(waiter, observation, acceptor, now);
}

BideDecision bide_waiter_accept(BideWaiter *waiter, const BideDefinition *definition,
                                const BideObservation *observation, size_t acceptor, int64_t now,
                                BideArena *scratch, BideError *note) {
  BideState state = definition->acceptors[acceptor - 1].state;
  size_t until = definition->until;
  note->code = BIDE_OK;
  if (state == BIDE_FAILURE) {
    break_streak(waiter);
    return end(state, BIDE_BY_ACCEPTOR, acceptor);
  }
  if (until == 0 && state == BIDE_SUCCESS && !is_blind(observation))
    return succeed(waiter, definition, observation, acceptor, now);
  if (until != 0 && (state == BIDE_SUCCESS || !bide_definition_has_other_success(definition)) &&
      until_holds(definition, observation, scratch, note))
    return succeed(waiter, definition, observation, until, now);
  break_streak(waiter);
  return retry(waiter, observation, acceptor, now);
}

BideDecision bide_waiter_take_back(BideWaiter *waiter, const BideObservation *observation,
                                   size_t acceptor, int64_t now) {
  break_streak(waiter);
  return retry(waiter, observation, acceptor, now);
}

/* Does step 4, and step 5 for an attempt that no acceptor matched. */
static BideDecision decide_unmatched(BideWaiter *waiter, const BideDefinition *definition,
                                     const BideObservation *observation, int64_t now,
                                     BideArena *scratch, BideError *note) {
  if (definition->until != 0 && observation->output != NULL &&
      !bide_definition_has_other_success(definition) &&
      until_holds(definition, observation, scratch, note))
    return succeed(waiter, definition, observation, definition->until, now);
  if (observation->output != NULL || !observation->transient)
    break_streak(waiter);
  if (observation->output == NULL && !is_tolerated(waiter, observation, now))
    return end(BIDE_FAILURE, BIDE_BY_UNMATCHED_ERROR, 0);
  return retry(waiter, observation, 0, now);
}

/* Lets the conditions of all acceptors look at an output before one of them decides. */
static void note_members(const BideDefinition *definition, const BideObservation *observation) {
  if (observation->seen == NULL)
    return;
  observation->seen->is_blind = false;
  for (size_t i = 0; observation->output != NULL && i < definition->count; i++)
    bide_matcher_look(&definition->acceptors[i].matcher, observation);
}

/*
** Restarts the backoff if the watched value has changed. The state holds only a hash of the value:
** two values with the same hash, one change in 2^64, count as equal, and a delay is then too long.
** The first value is compared with null. An error, or a path that cannot be evaluated, leaves the
** hash unchanged.
*/
static void watch(BideWaiter *waiter, const BideDefinition *definition,
                  const BideObservation *observation, BideArena *scratch, BideError *note) {
  BideValue value;
  uint64_t hash;
  if (definition->watched == NULL || observation->output == NULL ||
      !bide_jmespath_search(definition->watched, observation->output, observation->answer, scratch,
                            &value, note, NULL))
    return;
  hash = bide_value_hash(&value);
  if (hash != waiter->watched)
    waiter->backoff_base = waiter->attempts - 1;
  waiter->watched = hash;
}

/*
** Reports whether an acceptor may not decide: an error of this side, which no service has given, is
** no success by a matcher that names no error.
*/
static bool is_barred(const BideAcceptor *acceptor, const BideObservation *observation) {
  return observation->is_own && acceptor->state == BIDE_SUCCESS &&
         bide_matcher_takes_any_error(&acceptor->matcher);
}

/* Does steps 2 to 5 of the workflow. The caller does step 1, the call. */
BideDecision bide_waiter_observe(BideWaiter *waiter, const BideDefinition *definition,
                                 const BideObservation *observation, size_t first, int64_t now,
                                 BideArena *scratch, BideError *note) {
  BideError problem;
  note->code = BIDE_OK;
  if (now > bide_waiter_deadline(waiter))
    return end(BIDE_FAILURE, BIDE_BY_MAX_WAIT, 0);
  if (first == 1) {
    note_members(definition, observation);
    watch(waiter, definition, observation, scratch, note);
  }
  for (size_t position = first; position <= definition->count; position++) {
    const BideMatcher *matcher = &definition->acceptors[position - 1].matcher;
    if (position == definition->until ||
        is_barred(&definition->acceptors[position - 1], observation))
      continue;
    if (bide_matcher_is_of_host(matcher))
      return (BideDecision){BIDE_ASK, BIDE_RETRY, BIDE_BY_ACCEPTOR, position, 0, 0};
    if (bide_matcher_matches(matcher, observation, scratch, &problem)) {
      BideError before = *note;
      BideDecision decision = bide_waiter_accept(waiter, definition, observation, position, now,
                                                 scratch, note);
      if (note->code == BIDE_OK)
        *note = before;
      return decision;
    }
    add_note(note, &problem);
  }
  return decide_unmatched(waiter, definition, observation, now, scratch, note);
}
