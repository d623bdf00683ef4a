/*
** Preserves the state of the two signals that the C library reserves and hides from sigaction.
** A program started by posix_spawn ignores them. The first thread makes the C library handle
** them, and a program that replaces this process would then no longer ignore them.
*/
#ifndef BIDE_PROCESS_LIBRARY_SIGNALS_H
#define BIDE_PROCESS_LIBRARY_SIGNALS_H

/* Records which of the two are ignored. Must be called before any thread is started. */
void bide_library_signals_note(void);

/* Ignores the recorded ones again. */
void bide_library_signals_restore(void);

#endif
