/*
** The supervisor of the programs that bide.exec starts: a child process that waits until this
** process has ended, however it ends, and then kills the process groups left in the table of
** process/groups.h, and ends the gentle one. A process has at most one.
*/
#ifndef BIDE_PROCESS_GROUP_SUPERVISOR_H
#define BIDE_PROCESS_GROUP_SUPERVISOR_H

#include <stdbool.h>

/*
** Starts the supervisor unless it runs already; the table must be open. Returns 0 or an errno.
** Other threads may be running: the child calls only async-signal-safe functions. With
** `is_orphan` it is not a child of this process: a program that has bide as a library may wait
** for all its children.
*/
int bide_group_supervisor_start(bool is_orphan);

/*
** Has the kernel kill the next forked child when this thread ends, which must be that of main:
** the supervisor does not know the child between fork and bide_groups_add. The child's own
** children are not affected. With `gently` the child becomes the leader of the gentle group
** instead, which the supervisor ends. Does nothing without a supervisor.
*/
void bide_group_supervisor_bind_next(bool gently);

/*
** Has the supervisor kill the groups that are left and end, and waits until it has ended, unless
** it is an orphan.
*/
void bide_group_supervisor_dismiss(void);

#endif
