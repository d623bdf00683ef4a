/*
** The supervisor of the programs that bide.exec starts: a child process that waits
** until this one has ended, however it ended, and then kills the process groups that
** are left in the table of base/groups.h. One process has one.
*/
#ifndef BIDE_BASE_GROUP_SUPERVISOR_H
#define BIDE_BASE_GROUP_SUPERVISOR_H

/*
** Starts it where it does not run yet; the table must be open. Returns 0, or the errno
** that says why there is none. Threads may run: between fork and its end the child
** calls what is async-signal-safe only.
*/
int bide_group_supervisor_start(void);

/*
** The next process that fork makes here is killed with this one, by the kernel: between
** fork and bide_groups_add the supervisor does not know of it. Without a supervisor it
** does nothing. What that process starts is not bound.
*/
void bide_group_supervisor_bind_next(void);

/* Ends it, with the groups that are left, and waits for that. */
void bide_group_supervisor_dismiss(void);

#endif
