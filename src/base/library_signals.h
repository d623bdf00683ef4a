/*
** The two signals that the C library keeps for itself, and hides from sigaction. A
** program that was started by posix_spawn has them ignored; the first thread handles
** them, and a handled signal is not ignored by what runs in place of this process.
*/
#ifndef BIDE_BASE_LIBRARY_SIGNALS_H
#define BIDE_BASE_LIBRARY_SIGNALS_H

/* Notes which of them this process was started with as ignored; to be called before there are threads. */
void bide_library_signals_note(void);

/* Ignores those again. */
void bide_library_signals_restore(void);

#endif
