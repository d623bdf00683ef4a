/*
** What the files of the library share, and its callers do not see.
*/
#ifndef BIDE_LIBRARY_INSIDE_H
#define BIDE_LIBRARY_INSIDE_H

#include "base/error.h"
#include "library/bide.h"
#include "wait/definition.h"
#include "json/value.h"

struct bide_waiter_definition {
  BideDefinition definition;
};

/* A node is a value of bide's own under the name that callers see. */
static inline const BideValue *bide_library_value(const bide_node *node) {
  return (const BideValue *)(const void *)node;
}

static inline const bide_node *bide_library_node(const BideValue *value) {
  return (const bide_node *)(const void *)value;
}

/* Allocates zeroed memory; sets `*error` and returns NULL if there is none. */
void *bide_library_new(size_t size, bide_error **error);

/* Sets `*error`, which the caller owns, to a copy of `from`. Does nothing without an `error`. */
void bide_library_fail(bide_error **error, const BideError *from);

/* Sets `*error` to one that says that memory ran out, and needs none. */
void bide_library_fail_memory(bide_error **error);

#endif
