/*
** The state of a wait, written down, so that another process can go on with it.
** A record is a line of text:
**
**   bide-wait 2 min_delay=2000 max_delay=120000 … attempts=3 …
**
** Times in it count from the beginning of the wait, since the clock that a wait is
** measured with means nothing to another process. Whoever reads it says when, on
** the clock of now, the wait began.
**
** A new member of BideWaiter is a new row in the table of record.c; a new limit is
** one in that of limits.c. A record that has not the same rows is one of another version.
*/
#ifndef BIDE_WAIT_RECORD_H
#define BIDE_WAIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "wait/waiter.h"

/* What every record fits in, its NUL included. */
#define BIDE_RECORD_TEXT 2048

/* Writes the record, with a NUL behind it, and returns its length. */
size_t bide_record_write(const BideWaiter *waiter, char text[BIDE_RECORD_TEXT]);

/*
** Reads a record. Returns false, with the code VALUE, where the text is none, is
** one of another version, or tells what no wait can be in; `waiter` is untouched then.
*/
bool bide_record_read(BideWaiter *waiter, const char *text, size_t length, int64_t started,
                      BideError *error);

#endif
