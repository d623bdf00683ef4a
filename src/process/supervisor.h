/*
** The supervisor of bide: the process that the user started stays outside, without Lua, and bide is
** its child. It forwards its signals to bide, and stops and continues together with it. Neither
** process outlives the other. There are two reasons for one:
**
** `--sandbox … -- COMMAND`: a sandbox cannot be left, not even by a program that replaces the
** process. The supervisor ends as bide ended; or it becomes COMMAND, with its original process id,
** signal mask and limits.
**
** `bide worker`: code of a wait may end the process that runs it. The supervisor then begins bide
** again, and a page of shared memory has whose code that was.
**
** A process has at most one supervisor, which must be started before any thread.
*/
#ifndef BIDE_PROCESS_SUPERVISOR_H
#define BIDE_PROCESS_SUPERVISOR_H

#include <stdbool.h>

#include "process/service.h"

/*
** Returns the words after the first "--" if --sandbox or --sandbox=… precedes it; NULL means
** that the command line needs no supervisor for a COMMAND. A --sandbox that is the argument of
** another option counts too: the supervisor is then superfluous and does nothing but wait. The
** words belong to `argv`.
*/
char **bide_supervisor_find(char **argv);

/* Reports whether the command line is that of a worker. */
bool bide_supervisor_is_worker(char **argv);

/*
** Forks and supervises: returns true in the child, which is to be bide, and does not return in the
** parent. `command` is what bide_supervisor_find returned; NULL is for a worker, for which it
** returns true in each child. On failure it returns false in the parent and sets errno.
*/
bool bide_supervisor_start(char **command);

/*
** Called by bide: asks the supervisor to run COMMAND once this process has ended with code 0.
** Does nothing without a supervisor.
*/
void bide_supervisor_hand_over(void);

/* Returns what a worker shares with its supervisor; NULL without one. */
BideService *bide_supervisor_service(void);

#endif
