/*
** A definition of the library's callers.
*/
#ifndef BIDE_LIBRARY_DEFINITION_H
#define BIDE_LIBRARY_DEFINITION_H

#include "library/bide.h"
#include "wait/definition.h"

struct bide_waiter_definition {
  BideDefinition definition;
};

#endif
