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

enum bide_child_role {
  BIDE_CHILD_MEMBER, /* stays in the group of this process */
  BIDE_CHILD_LEADER, /* leads the newborn group of process/groups.h */
  BIDE_CHILD_GENTLE, /* leads the gentle group */
};

/*
** Gives the next forked child its role. The kernel kills it, unless it is gentle, when this thread
** ends, which must be that of main. Does nothing without a supervisor.
*/
void bide_group_supervisor_bind_next(enum bide_child_role of_child);

/*
** Has the supervisor kill the groups that are left and end, and waits until it has ended, unless
** it is an orphan.
*/
void bide_group_supervisor_dismiss(void);

#endif
