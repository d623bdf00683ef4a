/*
** The supervisor of `--sandbox … -- COMMAND`. The sandbox holds the process of bide
** for good, programs included, so COMMAND cannot run in its place: the process that
** the user started stays outside, and bide is its child. The supervisor hands on the
** signals that it gets, stops and goes on with bide, and ends as bide ended; or it
** becomes COMMAND, with the process id, signal mask and limits that it began with.
** Neither of the two outlives the other.
**
** It is started before there are threads, and one process has one supervisor.
*/
#ifndef BIDE_BASE_COMMAND_SUPERVISOR_H
#define BIDE_BASE_COMMAND_SUPERVISOR_H

#include <stdbool.h>

/*
** The words behind the first "--" of a command line that has --sandbox or
** --sandbox=… before it; NULL where it has not, and needs no supervisor. Where
** --sandbox is the argument of another option this is one too many, which does
** nothing but wait. The words are `argv`'s.
*/
char **bide_command_supervisor_find(char **argv);

/*
** Starts bide: returns in its process, a child, and never in the one that called.
** Returns false, in that one, where there is no process or memory for it; errno
** says why.
*/
bool bide_command_supervisor_start(char **command);

/*
** Called by bide: COMMAND is to be run once this process has ended with code 0.
** Without a supervisor it does nothing.
*/
void bide_command_supervisor_hand_over(void);

#endif
