#include "floors.h"

#include <string.h>

/* A name, and where the last object had it: documents repeat their shapes. */
typedef struct Name {
  const char *bytes;
  size_t length;
  uint32_t position;
} Name;

#define NAME(text) \
  { text, sizeof(text) - 1, 0 }

static const BideValue none = {.type = BIDE_NULL, .as.integer = 0};

static inline int is_at(const BideValue *object, uint32_t position, const Name *name) {
  const BideMember *member = &object->as.members[position];
  return member->name_length == name->length &&
         memcmp(member->name, name->bytes, name->length) == 0;
}

static inline const BideValue *get(const BideValue *object, Name *name) {
  if (object->type != BIDE_OBJECT)
    return &none;
  if (name->position < object->length && is_at(object, name->position, name))
    return &object->as.members[name->position].value;
  for (uint32_t i = 0; i < object->length; i++)
    if (is_at(object, i, name)) {
      name->position = i;
      return &object->as.members[i].value;
    }
  return &none;
}

static uint32_t length_of(const BideValue *value) {
  return value->type == BIDE_ARRAY ? value->length : 0;
}

static int is_string(const BideValue *value, const char *text, size_t length) {
  return value->type == BIDE_STRING && value->length == length &&
         memcmp(value->as.string, text, length) == 0;
}

/* Reservations[].Instances[].State.Name */
BideValue bench_floor_names(BideArena *scratch, const BideValue *document) {
  Name reservations = NAME("Reservations"), instances = NAME("Instances"), state = NAME("State"),
       name = NAME("Name");
  const BideValue *list = get(document, &reservations);
  uint32_t count = 0, most = 0;
  BideValue *results;
  for (uint32_t i = 0; i < length_of(list); i++)
    most += length_of(get(&list->as.elements[i], &instances));
  results = bide_arena_alloc(scratch, most * sizeof *results);
  for (uint32_t i = 0; i < length_of(list); i++) {
    const BideValue *inner = get(&list->as.elements[i], &instances);
    for (uint32_t j = 0; j < length_of(inner); j++) {
      const BideValue *found = get(get(&inner->as.elements[j], &state), &name);
      if (found->type != BIDE_NULL)
        results[count++] = *found;
    }
  }
  return bide_value_array(results, count);
}

/* contains(AutoScalingGroups[].[length(Instances[?LifecycleState=='InService']) >= MinSize][], `false`) */
BideValue bench_floor_contains(BideArena *scratch, const BideValue *document) {
  Name groups = NAME("AutoScalingGroups"), instances = NAME("Instances"),
       lifecycle = NAME("LifecycleState"), least = NAME("MinSize");
  const BideValue *list = get(document, &groups);
  bool found = false;
  (void)scratch;
  for (uint32_t i = 0; i < length_of(list); i++) {
    const BideValue *inner = get(&list->as.elements[i], &instances);
    const BideValue *wanted = get(&list->as.elements[i], &least);
    int64_t in_service = 0;
    for (uint32_t j = 0; j < length_of(inner); j++)
      in_service += is_string(get(&inner->as.elements[j], &lifecycle), "InService", 9);
    if (wanted->type == BIDE_INTEGER && in_service < wanted->as.integer)
      found = true;
  }
  return bide_value_boolean(found);
}

/* Stacks[].StackStatus */
BideValue bench_floor_stacks(BideArena *scratch, const BideValue *document) {
  Name stacks = NAME("Stacks"), status = NAME("StackStatus");
  const BideValue *list = get(document, &stacks);
  BideValue *results = bide_arena_alloc(scratch, length_of(list) * sizeof *results);
  uint32_t count = 0;
  for (uint32_t i = 0; i < length_of(list); i++) {
    const BideValue *found = get(&list->as.elements[i], &status);
    if (found->type != BIDE_NULL)
      results[count++] = *found;
  }
  return bide_value_array(results, count);
}

static bool equal_counts(const BideValue *service, Name *running, Name *desired) {
  const BideValue *a = get(service, running), *b = get(service, desired);
  if (a->type == BIDE_INTEGER && b->type == BIDE_INTEGER)
    return a->as.integer == b->as.integer;
  return bide_value_equal(a, b);
}

/* services[?runningCount != desiredCount] | [0] */
BideValue bench_floor_unhealthy(BideArena *scratch, const BideValue *document) {
  Name services = NAME("services"), running = NAME("runningCount"), desired = NAME("desiredCount");
  const BideValue *list = get(document, &services);
  (void)scratch;
  for (uint32_t i = 0; i < length_of(list); i++)
    if (!equal_counts(&list->as.elements[i], &running, &desired))
      return list->as.elements[i];
  return bide_value_null();
}

/* length(services[?!(length(deployments) == `1` && runningCount == desiredCount)]) == `0` */
BideValue bench_floor_stable(BideArena *scratch, const BideValue *document) {
  Name services = NAME("services"), running = NAME("runningCount"), desired = NAME("desiredCount"),
       deployments = NAME("deployments");
  const BideValue *list = get(document, &services);
  uint32_t unstable = 0;
  (void)scratch;
  for (uint32_t i = 0; i < length_of(list); i++) {
    const BideValue *service = &list->as.elements[i];
    unstable += length_of(get(service, &deployments)) != 1 ||
                !equal_counts(service, &running, &desired);
  }
  return bide_value_boolean(unstable == 0);
}
