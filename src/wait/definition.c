#include "wait/definition.h"

#include <string.h>

#include "wait/matcher.h"

#define FIRST_CAPACITY ((size_t)8)

const char *bide_state_name(BideState state) {
  switch (state) {
    case BIDE_SUCCESS: return "success";
    case BIDE_FAILURE: return "failure";
    case BIDE_RETRY: return "retry";
  }
  return NULL;
}

bool bide_definition_init(BideDefinition *definition, BideBackoff backoff, BideError *error) {
  memset(definition, 0, sizeof *definition);
  bide_arena_init(&definition->arena, 0);
  definition->backoff = backoff;
  if (backoff.min_delay < 1 || backoff.max_delay < backoff.min_delay) {
    bide_error_set(error, BIDE_ERROR_DEFINITION,
                   "delays must be above 0, and minDelay no greater than maxDelay");
    return false;
  }
  return true;
}

void bide_definition_free(BideDefinition *definition) {
  bide_arena_free(&definition->arena);
  definition->acceptors = NULL;
  definition->count = 0;
  definition->capacity = 0;
}

BideText bide_error_type_name(BideText type) {
  const char *colon = memchr(type.bytes, ':', type.length);
  const char *hash;
  if (colon != NULL)
    type.length = (size_t)(colon - type.bytes);
  hash = memchr(type.bytes, '#', type.length);
  if (hash != NULL) {
    type.length -= (size_t)(hash + 1 - type.bytes);
    type.bytes = hash + 1;
  }
  return type;
}

/* Makes room for one more acceptor. The old array stays in the arena, since acceptors are few. */
static bool make_room(BideDefinition *definition, BideError *error) {
  size_t capacity = definition->capacity == 0 ? FIRST_CAPACITY : definition->capacity * 2;
  BideAcceptor *acceptors;
  if (definition->count < definition->capacity)
    return true;
  acceptors = bide_arena_alloc(&definition->arena, capacity * sizeof *acceptors);
  if (acceptors == NULL) {
    bide_error_set(error, BIDE_ERROR_MEMORY, "no memory for an acceptor");
    return false;
  }
  if (definition->count > 0)
    memcpy(acceptors, definition->acceptors, definition->count * sizeof *acceptors);
  definition->acceptors = acceptors;
  definition->capacity = capacity;
  return true;
}

bool bide_definition_add(BideDefinition *definition, BideState state, const BideMatcherKind *kind,
                         const BideValue *argument, BideError *error) {
  BideMatcher matcher = {.kind = kind};
  if ((kind->compile != NULL && !kind->compile(&matcher, argument, definition, error)) ||
      !make_room(definition, error))
    return false;
  definition->acceptors[definition->count++] = (BideAcceptor){state, matcher};
  return true;
}

void bide_definition_set_until(BideDefinition *definition) {
  definition->until = definition->count;
}

bool bide_definition_has_other_success(const BideDefinition *definition) {
  for (size_t i = 0; i < definition->count; i++)
    if (definition->acceptors[i].state == BIDE_SUCCESS && i + 1 != definition->until)
      return true;
  return false;
}

BideExpression *bide_definition_compile(BideDefinition *definition, BideText path,
                                        BideError *error) {
  BideExpression *expression = bide_jmespath_compile(&definition->arena, definition->functions,
                                                     path.bytes, path.length, error);
  if (expression != NULL && bide_jmespath_depth(expression) > definition->depth)
    definition->depth = bide_jmespath_depth(expression);
  return expression;
}

bool bide_definition_watch(BideDefinition *definition, BideText path, BideError *error) {
  definition->watched = bide_definition_compile(definition, path, error);
  return definition->watched != NULL;
}
