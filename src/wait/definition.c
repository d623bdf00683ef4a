#include "wait/definition.h"

#include <string.h>

#define FIRST_CAPACITY ((size_t)8)

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

static bool no_memory(BideError *error) {
  bide_error_set(error, BIDE_ERROR_MEMORY, "no memory for an acceptor");
  return false;
}

static bool copy_text(BideArena *arena, BideText *text) {
  if (text->bytes == NULL)
    return true;
  text->bytes = bide_arena_copy(arena, text->bytes, text->length);
  return text->bytes != NULL;
}

/* The old array stays in the arena: a definition has few acceptors. */
static bool make_room(BideDefinition *definition) {
  size_t capacity = definition->capacity == 0 ? FIRST_CAPACITY : definition->capacity * 2;
  BideAcceptor *acceptors;
  if (definition->count < definition->capacity)
    return true;
  acceptors = bide_arena_alloc(&definition->arena, capacity * sizeof *acceptors);
  if (acceptors == NULL)
    return false;
  if (definition->count > 0)
    memcpy(acceptors, definition->acceptors, definition->count * sizeof *acceptors);
  definition->acceptors = acceptors;
  definition->capacity = capacity;
  return true;
}

bool bide_definition_add(BideDefinition *definition, BideState state, BideMatcher matcher,
                         BideError *error) {
  BideArena *arena = &definition->arena;
  if (matcher.kind == BIDE_MATCHER_ERROR_TYPE)
    matcher.error_type = bide_error_type_name(matcher.error_type);
  if (!make_room(definition) || !copy_text(arena, &matcher.expected) ||
      !copy_text(arena, &matcher.error_type))
    return no_memory(error);
  definition->acceptors[definition->count++] = (BideAcceptor){state, matcher};
  return true;
}

static BideExpression *compile(BideDefinition *definition, BideText path, BideError *error) {
  BideExpression *expression = bide_jmespath_compile_with(
    &definition->arena, definition->functions, path.bytes, path.length, error);
  if (expression != NULL && bide_jmespath_depth(expression) > definition->depth)
    definition->depth = bide_jmespath_depth(expression);
  return expression;
}

bool bide_definition_watch(BideDefinition *definition, BideText path, BideError *error) {
  definition->watched = compile(definition, path, error);
  return definition->watched != NULL;
}

static bool is_text(BideText text, const char *word) {
  return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

bool bide_definition_add_path(BideDefinition *definition, BideState state, BideMatcher matcher,
                              BideText path, BideError *error) {
  if (matcher.comparator == BIDE_BOOLEAN_EQUALS && !is_text(matcher.expected, "true") &&
      !is_text(matcher.expected, "false")) {
    bide_error_set(error, BIDE_ERROR_DEFINITION,
                   "booleanEquals expects \"true\" or \"false\", not \"%.*s\"",
                   (int)matcher.expected.length, matcher.expected.bytes);
    return false;
  }
  matcher.path = compile(definition, path, error);
  return matcher.path != NULL && bide_definition_add(definition, state, matcher, error);
}
