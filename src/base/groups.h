/*
** The process groups that this process has started and not seen end, so that
** they can be killed however it ends: by a watchdog, or by a supervisor after its
** death. The table is in shared memory: a process that is forked after
** bide_groups_open sees what is added later.
**
** There is one table a process. All functions but bide_groups_open are
** async-signal-safe, and may be called from any thread.
*/
#ifndef BIDE_BASE_GROUPS_H
#define BIDE_BASE_GROUPS_H

#include <stdbool.h>
#include <sys/types.h>

/* Makes the table where there is none yet. Returns false when memory is out. */
bool bide_groups_open(void);

/*
** Adds the group that `leader` leads; removes it, which is due as soon as no member
** is left, since the kernel gives its number to another one day. Without a table,
** and for what is no process id, they do nothing.
*/
void bide_groups_add(pid_t leader);
void bide_groups_remove(pid_t leader);

/* Sends SIGKILL to every group of the table. They stay in it. */
void bide_groups_kill(void);

#endif
