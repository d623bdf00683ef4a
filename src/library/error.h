/*
** Makes the errors of the library's callers, who own them, from bide's own, which are values.
*/
#ifndef BIDE_LIBRARY_ERROR_H
#define BIDE_LIBRARY_ERROR_H

#include "base/error.h"
#include "library/bide.h"

/* Allocates zeroed memory; sets `*error` and returns NULL if there is none. */
void *bide_library_new(size_t size, bide_error **error);

/* Sets `*error` to a copy of `from`. Does nothing without an `error`. */
void bide_library_fail(bide_error **error, const BideError *from);

/* Sets `*error` to one that says that memory ran out, and needs none. */
void bide_library_fail_memory(bide_error **error);

#endif
