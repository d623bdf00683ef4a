/*
** A table of the running process groups that this process has started, so that they can be
** killed however it ends: by the watchdog, or by a supervisor after its death. The table is in
** shared memory: a process forked after bide_groups_open sees later additions.
**
** A process has one table. All functions but bide_groups_open are async-signal-safe and may be
** called from any thread.
*/
#ifndef BIDE_PROCESS_GROUPS_H
#define BIDE_PROCESS_GROUPS_H

#include <stdbool.h>
#include <sys/types.h>

/* Makes the table unless it exists. Returns false if memory is exhausted. */
bool bide_groups_open(void);

/*
** Add and remove the group that `leader` leads. The caller must remove a group as soon as it
** has no member, since the kernel reuses its number. Both ignore a number that is not a process
** id, and do nothing without a table.
*/
void bide_groups_add(pid_t leader);
void bide_groups_remove(pid_t leader);

/*
** Sets the one group that may not be in the table yet; 0 means none. A child sets itself before it
** becomes the program, which may start others before its parent adds the group. Its parent must
** set 0 after that, and also when the program could not be started.
*/
void bide_groups_set_newborn(pid_t leader);

/*
** Kills a group, takes it from the table, and collects its leader, a child of this process. Waits
** at most a second for that: the end of a process that the kernel holds may take longer.
*/
void bide_groups_end(pid_t leader);

/* Sends SIGKILL to every group in the table and to the newborn one. The table keeps them. */
void bide_groups_kill(void);

/*
** Sets the one group that is ended gently, which is not in the table; 0 means none. It must be 0 as
** soon as the group has no member.
*/
void bide_groups_set_gentle(pid_t leader);

/*
** Ends the gentle group: sends SIGTERM, and SIGKILL if it has members after 10 s. Returns when it
** has none. Async-signal-safe, but slow.
*/
void bide_groups_end_gentle(void);

#endif
