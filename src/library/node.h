/*
** A node is a value of bide's own under the name that callers of the library see.
*/
#ifndef BIDE_LIBRARY_NODE_H
#define BIDE_LIBRARY_NODE_H

#include "library/bide.h"
#include "json/value.h"

static inline const BideValue *bide_library_value(const bide_node *node) {
  return (const BideValue *)(const void *)node;
}

static inline const bide_node *bide_library_node(const BideValue *value) {
  return (const bide_node *)(const void *)value;
}

#endif
