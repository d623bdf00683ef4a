#include <stdlib.h>

#include "library/inside.h"
#include "wait/waiter.h"

struct bide_waiter {
  const BideDefinition *definition;
  BideWaitLimits limits;
  BideWaiter waiter;
  BideArena scratch; /* of the attempt that is decided */
  int64_t due;
  size_t acceptor;
  BideError note;
  bide_waiter_state state;
  const char *reason; /* NULL while the wait continues */
};

bide_waiter *bide_waiter_new(const bide_waiter_definition *definition, int64_t max_wait,
                             int64_t now, bide_error **error) {
  bide_waiter *waiter = bide_library_new(sizeof *waiter, error);
  BideError reason;
  if (waiter == NULL)
    return NULL;
  waiter->definition = &definition->definition;
  bide_arena_init(&waiter->scratch, 0);
  bide_wait_limits_init(&waiter->limits);
  waiter->limits.backoff = waiter->definition->backoff;
  waiter->limits.max_wait = max_wait;
  if (!bide_wait_limits_check(&waiter->limits, &reason)) {
    bide_library_fail(error, &reason);
    bide_waiter_free(waiter);
    return NULL;
  }
  bide_waiter_init(&waiter->waiter, &waiter->limits, 0, now);
  waiter->due = bide_waiter_first(&waiter->waiter, 0);
  return waiter;
}

void bide_waiter_free(bide_waiter *waiter) {
  if (waiter == NULL)
    return;
  bide_arena_free(&waiter->scratch);
  free(waiter);
}

static bool has_begun(const bide_waiter *waiter) {
  return waiter->waiter.attempts > 0 || waiter->reason != NULL;
}

void bide_waiter_set_seed(bide_waiter *waiter, uint64_t seed) {
  if (!has_begun(waiter))
    bide_random_seed(&waiter->waiter.random, seed);
}

void bide_waiter_set_max_attempts(bide_waiter *waiter, uint64_t attempts) {
  if (!has_begun(waiter) && attempts > 0)
    waiter->limits.max_attempts = attempts;
}

static void end(bide_waiter *waiter, bide_waiter_state state, const char *reason) {
  waiter->state = state;
  waiter->reason = reason;
}

static void decide(bide_waiter *waiter, const BideObservation *observation, int64_t now) {
  BideDecision decision;
  bide_waiter_begin(&waiter->waiter, false);
  decision = bide_waiter_observe(&waiter->waiter, waiter->definition, observation, 1, now,
                                 &waiter->scratch, &waiter->note);
  bide_arena_reset(&waiter->scratch);
  waiter->acceptor = decision.acceptor;
  if (waiter->note.code == BIDE_ERROR_MEMORY)
    end(waiter, BIDE_WAITER_FAILURE, bide_error_name(BIDE_ERROR_MEMORY));
  else if (decision.verdict == BIDE_AGAIN)
    waiter->due = now + decision.delay;
  else
    end(waiter, decision.state == BIDE_SUCCESS ? BIDE_WAITER_SUCCESS : BIDE_WAITER_FAILURE,
        bide_reason_name(decision.reason));
}

/* Ends an attempt; `observation` lacks only what both of its kinds have. */
static bide_waiter_state take(bide_waiter *waiter, const bide_node *input, int64_t retry_after,
                              BideObservation *observation, int64_t now) {
  static const BideMember no_members[1];
  BideValue empty = bide_value_object(no_members, 0);
  if (waiter->reason != NULL)
    return waiter->state;
  observation->input = input == NULL ? &empty : bide_library_value(input);
  observation->retry_after = retry_after > 0 ? retry_after : 0;
  decide(waiter, observation, now);
  return waiter->state;
}

bide_waiter_state bide_waiter_take_output(bide_waiter *waiter, const bide_node *input,
                                          const bide_node *output, int64_t retry_after,
                                          int64_t now) {
  BideObservation observation = {.output = bide_library_value(output)};
  return take(waiter, input, retry_after, &observation, now);
}

bide_waiter_state bide_waiter_take_error(bide_waiter *waiter, const bide_node *input,
                                         const char *type, size_t length, int64_t retry_after,
                                         int64_t now) {
  BideObservation observation = {.error_type = {type, length}};
  return take(waiter, input, retry_after, &observation, now);
}

void bide_waiter_cut(bide_waiter *waiter) {
  if (waiter->reason != NULL)
    return;
  waiter->acceptor = 0;
  end(waiter, BIDE_WAITER_FAILURE, bide_reason_name(BIDE_BY_MAX_WAIT));
}

bide_waiter_state bide_waiter_state_of(const bide_waiter *waiter) {
  return waiter->state;
}

int64_t bide_waiter_due(const bide_waiter *waiter) {
  return waiter->due;
}

int64_t bide_waiter_deadline_of(const bide_waiter *waiter) {
  return bide_waiter_deadline(&waiter->waiter);
}

uint64_t bide_waiter_attempts(const bide_waiter *waiter) {
  return waiter->waiter.attempts;
}

const char *bide_waiter_reason(const bide_waiter *waiter) {
  return waiter->reason;
}

size_t bide_waiter_acceptor(const bide_waiter *waiter) {
  return waiter->acceptor;
}

const char *bide_waiter_note(const bide_waiter *waiter) {
  return waiter->note.code == BIDE_OK ? NULL : waiter->note.message;
}

size_t bide_waiter_plan(const bide_waiter *waiter, int64_t *times, size_t capacity) {
  static const BideDefinition undecided;
  BideWaiter planned = waiter->waiter;
  BideArena scratch;
  BideError note;
  BideValue nothing = bide_value_null();
  BideObservation observation = {.input = &nothing, .output = &nothing};
  BideDecision decision = {.verdict = BIDE_AGAIN};
  int64_t now = planned.started;
  size_t count = 0;
  bide_arena_init(&scratch, 0);
  while (count < capacity && decision.verdict == BIDE_AGAIN) {
    times[count++] = now - planned.started;
    bide_waiter_begin(&planned, false);
    decision = bide_waiter_observe(&planned, &undecided, &observation, 1, now, &scratch, &note);
    now += decision.delay;
  }
  bide_arena_free(&scratch);
  return count;
}
