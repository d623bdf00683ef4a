/*
** Controls which file descriptors a program inherits that replaces this process or runs as its
** child. Some libraries open descriptors without O_CLOEXEC, so bide sets the flag itself.
** All functions are async-signal-safe.
*/
#ifndef BIDE_BASE_DESCRIPTORS_H
#define BIDE_BASE_DESCRIPTORS_H

#include "base/export.h"

/* Makes every descriptor but 0, 1 and 2 close-on-exec. */
void bide_descriptors_seal(void);

/*
** The first function records which descriptors this process was started with; only its first
** call counts. The second makes all others close-on-exec, and those inheritable, for a program
** that replaces this process.
*/
void bide_descriptors_note(void);
BIDE_API void bide_descriptors_seal_new(void);

/* Closes every descriptor from `first` on. */
void bide_descriptors_close_from(int first);

#endif
