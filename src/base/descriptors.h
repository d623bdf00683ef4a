/*
** File descriptors, as a program sees them that runs in place of this process or
** as its child. Libraries open some without O_CLOEXEC, so it is not left to them.
** All functions are async-signal-safe.
*/
#ifndef BIDE_BASE_DESCRIPTORS_H
#define BIDE_BASE_DESCRIPTORS_H

#include "base/export.h"

/* Makes every descriptor but 0, 1 and 2 close-on-exec, whoever opened it. */
void bide_descriptors_seal(void);

/*
** Notes which descriptors this process was started with, to hand on to a program that
** runs in its place; the first call counts. The second function seals all others, and
** none of those.
*/
void bide_descriptors_note(void);
BIDE_API void bide_descriptors_seal_new(void);

/* Closes every descriptor from `first` on. */
void bide_descriptors_close_from(int first);

#endif
