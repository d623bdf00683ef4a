/*
** The watchdog: a thread that ends the process where Lua does not come back from a call of C,
** one second after it was interrupted for being overdue, or where a file takes too long to load.
** Only the program has one, and one only. It looks every 100 ms and counts looks, not time: where
** the process was stopped, or the machine slept, it has not looked.
**
** It takes no lock, allocates nothing and calls no Lua. It writes a message that was prepared before
** to standard error, kills the process groups of bide.exec, and leaves by _exit.
*/
#ifndef BIDE_HOST_WATCHDOG_H
#define BIDE_HOST_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/*
** Starts it. `load_timeout`, in milliseconds, is how long a file may run while it is being loaded.
** Returns false where the system starts no thread.
*/
bool bide_watchdog_start(int64_t load_timeout);

/*
** Says what the process waits for, in text that is safe for a terminal; it is cut so that
** the message has at most 512 bytes.
*/
void bide_watchdog_describe(const char *text);

/* Around the loading of a file, which may load others; the outermost is what is timed. */
void bide_watchdog_begin_load(const char *file);
void bide_watchdog_end_load(void);

#endif
