/*
** Writes the state of a wait as text, and reads it, so that another process can continue the wait.
** A record is a line of text:
**
**   bide-wait 4 min_delay=2000 max_delay=120000 … attempts=3 …
**
** Its times count from the beginning of the wait, since the monotonic clock of one process means
** nothing to another. The reader passes the beginning of the wait on its own clock.
**
** A new member of BideWaiter needs a new row in the table of record.c; a new limit needs one in
** limits.c. Each row has the first version that contains it. A record of an older version, from 2
** on, continues with the delays that it was begun with: what it does not have is at its default,
** which is off. Records of other versions are refused.
**
** The packed form is for tables with very many waits: a byte with the version of the form, then
** each member in the order of the table as a variable-length number, 7 bits a byte and the least
** ones first. Numbers with a sign are doubled, and negative ones are then the odd ones. There is
** one form for each state: a number with a needless byte is refused. A form above the first one
** ends with the number of its members.
*/
#ifndef BIDE_WAIT_RECORD_H
#define BIDE_WAIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "wait/waiter.h"

/* The size of a buffer that holds any record, with its NUL. */
#define BIDE_RECORD_TEXT 2048

/* Writes the record and a NUL. Returns the length without the NUL. */
size_t bide_record_write(const BideWaiter *waiter, char text[BIDE_RECORD_TEXT]);

/*
** Reads a record. `started` is when the wait began, on the caller's clock. Returns false, with the
** code VALUE, if the text is not a record, has another version, or describes a state that no wait
** can have; `waiter` and `limits`, to which it points, are then unchanged.
*/
bool bide_record_read(BideWaiter *waiter, BideWaitLimits *limits, const char *text, size_t length,
                      int64_t started, BideError *error);

/*
** The size of a buffer that holds any packed record; the first form, and the newest one that this
** program reads and writes. -DBIDE_RECORD_NEXT makes a program that is one form ahead, so that
** specs can let it work beside this one.
*/
#define BIDE_RECORD_BYTES 256
#define BIDE_RECORD_FORMAT 1
#ifdef BIDE_RECORD_NEXT
#define BIDE_RECORD_NEWEST 2
#else
#define BIDE_RECORD_NEWEST 1
#endif

/* Packs the record in a form. Returns the number of bytes. */
size_t bide_record_pack(const BideWaiter *waiter, int format,
                        unsigned char bytes[BIDE_RECORD_BYTES]);

/* Reads a packed record, and fails as bide_record_read does. */
bool bide_record_unpack(BideWaiter *waiter, BideWaitLimits *limits, const unsigned char *bytes,
                        size_t length, int64_t started, BideError *error);

#endif
