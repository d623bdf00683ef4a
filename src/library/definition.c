#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/inside.h"
#include "wait/matcher.h"
#include "json/reader.h"

#define MILLISECONDS INT64_C(1000)

/* "Smithy: delays are integers", of 32 bits, in seconds. */
#define MOST_SECONDS INT64_C(2147483647)

/* The members of the union in the trait. bide's own matchers are not part of it. */
static const char *const matchers[] = {"output", "inputOutput", "success", "errorType", NULL};
static const char *const members_of_acceptor[] = {"state", "matcher", NULL};
static const char *const members_of_waiter[] = {
  "acceptors", "minDelay", "maxDelay", "documentation", "deprecated", "tags", NULL};

static bool fail(BideError *error, const char *message) {
  bide_error_set(error, BIDE_ERROR_DEFINITION, "%s", message);
  return false;
}

/* Checks that `value` is an object with no member but those of the list. */
static bool check_members(const BideValue *value, const char *what, const char *const *list,
                          BideError *error) {
  if (value == NULL || value->type != BIDE_OBJECT) {
    bide_error_set(error, BIDE_ERROR_DEFINITION, "%s: expected an object", what);
    return false;
  }
  for (uint32_t i = 0; i < value->length; i++) {
    const BideMember *member = &value->as.members[i];
    const char *const *known = list;
    while (*known != NULL && !bide_is_word(member->name, member->name_length, *known))
      known++;
    if (*known == NULL) {
      bide_error_set(error, BIDE_ERROR_DEFINITION, "%s: unknown member \"%.*s\"", what,
                     (int)member->name_length, member->name);
      return false;
    }
  }
  return true;
}

static const BideValue *member_of(const BideValue *value, const char *name) {
  return bide_value_member(value, name, strlen(name));
}

/* Reads a delay in seconds; leaves `*delay` alone if there is none. */
static bool read_delay(const BideValue *waiter, const char *name, int64_t *delay,
                       BideError *error) {
  const BideValue *value = member_of(waiter, name);
  if (value == NULL)
    return true;
  if (value->type != BIDE_INTEGER || value->as.integer < 1 || value->as.integer > MOST_SECONDS) {
    bide_error_set(error, BIDE_ERROR_DEFINITION, "%s: expected whole seconds, at least 1", name);
    return false;
  }
  *delay = value->as.integer * MILLISECONDS;
  return true;
}

static bool read_state(const BideValue *value, BideState *state, BideError *error) {
  const char *name;
  for (int i = 0; (name = bide_state_name((BideState)i)) != NULL; i++)
    if (value != NULL && value->type == BIDE_STRING &&
        bide_is_word(value->as.string, value->length, name)) {
      *state = (BideState)i;
      return true;
    }
  return fail(error, "state: expected \"success\", \"failure\" or \"retry\"");
}

static const BideMatcherKind *kind_of(const BideMember *matcher) {
  const BideMatcherKind *kind = bide_matcher_kinds;
  while (kind->name != NULL && !bide_is_word(matcher->name, matcher->name_length, kind->name))
    kind++;
  return kind;
}

static bool add_acceptor(BideDefinition *definition, const BideValue *acceptor, BideError *error) {
  const BideValue *matcher;
  BideState state;
  if (!check_members(acceptor, "acceptor", members_of_acceptor, error) ||
      !read_state(member_of(acceptor, "state"), &state, error))
    return false;
  matcher = member_of(acceptor, "matcher");
  if (!check_members(matcher, "matcher", matchers, error))
    return false;
  if (matcher->length != 1)
    return fail(error, "matcher: expected exactly one of output, inputOutput, success, errorType");
  return bide_definition_add(definition, state, kind_of(matcher->as.members),
                             &matcher->as.members->value, error);
}

/* Says which acceptor an error is of, unless it is in a path and has its place there. */
static void name_acceptor(BideError *error, uint32_t position) {
  char message[BIDE_ERROR_TEXT];
  memcpy(message, error->message, sizeof message);
  snprintf(error->message, sizeof error->message, "acceptor %u: %.*s", position,
           (int)(sizeof message - 32), message);
}

static bool add_acceptors(BideDefinition *definition, const BideValue *list, BideError *error) {
  bool has_success = false;
  if (list == NULL || list->type != BIDE_ARRAY)
    return fail(error, "acceptors: expected an array");
  for (uint32_t i = 0; i < list->length; i++) {
    if (!add_acceptor(definition, &list->as.elements[i], error)) {
      name_acceptor(error, i + 1);
      return false;
    }
    has_success = has_success || definition->acceptors[i].state == BIDE_SUCCESS;
  }
  return has_success || fail(error, "acceptors: expected at least one with the state \"success\"");
}

static bool read_waiter(BideDefinition *definition, const BideValue *waiter, BideError *error) {
  BideBackoff backoff = {BIDE_DEFAULT_MIN_DELAY, BIDE_DEFAULT_MAX_DELAY, 0};
  return check_members(waiter, "waiter", members_of_waiter, error) &&
         read_delay(waiter, "minDelay", &backoff.min_delay, error) &&
         read_delay(waiter, "maxDelay", &backoff.max_delay, error) &&
         bide_definition_init(definition, backoff, error) &&
         add_acceptors(definition, member_of(waiter, "acceptors"), error);
}

bide_waiter_definition *bide_waiter_definition_read(const char *text, size_t length,
                                                    bide_error **error) {
  static const BideJsonOptions written_by_a_person = {.is_unique = true};
  bide_waiter_definition *definition = bide_library_new(sizeof *definition, error);
  BideArena arena;
  BideValue waiter;
  BideError reason;
  bool is_read;
  if (definition == NULL)
    return NULL;
  bide_arena_init(&arena, 0);
  is_read = bide_json_read(&arena, text, length, &written_by_a_person, &waiter, &reason) &&
            read_waiter(&definition->definition, &waiter, &reason);
  bide_arena_free(&arena);
  if (is_read)
    return definition;
  bide_library_fail(error, &reason);
  bide_waiter_definition_free(definition);
  return NULL;
}

void bide_waiter_definition_free(bide_waiter_definition *definition) {
  if (definition == NULL)
    return;
  bide_definition_free(&definition->definition);
  free(definition);
}
