/*
** What must hold of every value, however it came about.
*/
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "json/value.h"

static inline void check(bool holds) {
  if (!holds)
    abort();
}

static inline void check_string(const char *bytes, size_t length) {
  check(bide_utf8_check(bytes, length) == length);
}

/* Names are what they are hashed as, and unique. */
static inline void check_names(const BideValue *object) {
  for (uint32_t i = 0; i < object->length; i++) {
    const BideMember *member = &object->as.members[i];
    check_string(member->name, member->name_length);
    check(member->name_hash == bide_name_hash(member->name, member->name_length));
    if (object->length < 200)
      check(bide_object_find(object->as.members, object->length, member->name, member->name_length,
                             member->name_hash) == member);
  }
}

/* `room` bounds what is looked at: results of a search may share parts many times over. */
static inline void check_value(const BideValue *value, long *room) {
  check(value->type <= BIDE_OBJECT);
  if (--*room < 0)
    return;
  if (value->type == BIDE_DOUBLE)
    check(isfinite(value->as.number));
  if (value->type == BIDE_UNSIGNED)
    check(value->as.unsigned_integer > INT64_MAX);
  if (value->type == BIDE_STRING)
    check_string(value->as.string, value->length);
  if (value->type == BIDE_OBJECT)
    check_names(value);
  for (uint32_t i = 0; value->type >= BIDE_ARRAY && i < value->length; i++)
    check_value(value->type == BIDE_ARRAY ? &value->as.elements[i] : &value->as.members[i].value,
                room);
}

#endif
