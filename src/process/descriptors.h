/*
** Controls which file descriptors a program inherits that replaces this process or runs as its
** child. Some libraries open descriptors without O_CLOEXEC, so bide sets the flag itself.
** All functions are async-signal-safe.
*/
#ifndef BIDE_PROCESS_DESCRIPTORS_H
#define BIDE_PROCESS_DESCRIPTORS_H

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

/*
** The first function raises the soft limit of descriptors to the hard one, and returns the one that
** the process was started with. The second keeps it for programs that are started; the third sets
** it again, in a child or before a program replaces this process.
*/
unsigned long long bide_descriptors_raise_limit(void);
void bide_descriptors_keep_limit(unsigned long long limit);
void bide_descriptors_restore_limit(void);

/* Returns the soft limit of descriptors that holds now. */
BIDE_API unsigned long long bide_descriptors_limit(void);

/*
** Reports whether `count` more descriptors can be opened, at most BIDE_DESCRIPTORS_CHECKED: NULL,
** or the name of the limit that forbids it, "EMFILE" or "ENFILE". May be called by any thread.
*/
#define BIDE_DESCRIPTORS_CHECKED 16
BIDE_API const char *bide_descriptors_lack(int count);

/* What a loop of luv takes, and one to read modules. */
#define BIDE_DESCRIPTORS_OF_LOOP 7

/* Returns "EMFILE" or "ENFILE" for those values of errno, NULL for others. */
BIDE_API const char *bide_descriptors_name(int error);

/* Closes every descriptor from `first` on. */
void bide_descriptors_close_from(int first);

#endif
