/*
** The supervisor of `--sandbox … -- COMMAND`. A sandbox cannot be left, not even by a program
** that replaces the process, so COMMAND cannot run in place of a sandboxed bide. Therefore
** the process that the user started stays outside, and bide is its child. The supervisor
** forwards its signals to bide, stops and continues together with bide, and ends as bide
** ended; or it becomes COMMAND, with its original process id, signal mask and limits.
** Neither process outlives the other.
**
** A process has at most one supervisor, which must be started before any thread.
*/
#ifndef BIDE_PROCESS_COMMAND_SUPERVISOR_H
#define BIDE_PROCESS_COMMAND_SUPERVISOR_H

#include <stdbool.h>

/*
** Returns the words after the first "--" if --sandbox or --sandbox=… precedes it; NULL means
** that the command line needs no supervisor. A --sandbox that is the argument of another
** option counts too: the supervisor is then superfluous and does nothing but wait. The words
** belong to `argv`.
*/
char **bide_command_supervisor_find(char **argv);

/*
** Forks and supervises: returns true in the child, which is to be bide, and does not return
** in the parent. On failure it returns false in the parent and sets errno.
*/
bool bide_command_supervisor_start(char **command);

/*
** Called by bide: asks the supervisor to run COMMAND once this process has ended with code 0.
** Does nothing without a supervisor.
*/
void bide_command_supervisor_hand_over(void);

#endif
