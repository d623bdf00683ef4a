/*
** The watchdog: a thread that ends the process if a call of C does not return to Lua within one
** second after it was interrupted for being overdue, or if a file takes too long to load. Only
** the program has one. It checks every 100 ms and counts its checks, not the time: while the
** process is stopped, or the machine is suspended, it does not check.
**
** The thread takes no lock, allocates nothing and calls no Lua. It writes a prepared message to
** standard error, kills the process groups of bide.exec, and ends the process by _exit. The same is
** done on any thread where libcrypto lacks memory, which it does not survive.
*/
#ifndef BIDE_HOST_WATCHDOG_H
#define BIDE_HOST_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/*
** Starts it. `load_timeout` is the time, in milliseconds, that a file may take to load. Returns
** false if the system cannot start a thread.
*/
bool bide_watchdog_start(int64_t load_timeout);

/*
** Sets the text that names what the process waits for. It must be safe for a terminal; it is
** shortened so that the message has at most 512 bytes.
*/
void bide_watchdog_describe(const char *text);

/* Called around the loading of a file, which may load others; the time of the outermost counts. */
void bide_watchdog_begin_load(const char *file);
void bide_watchdog_end_load(void);

#endif
