/*
** The kernel's walls around this process, for good: what the sandbox of Lua scripts
** stands on. A bug in Lua, in bide or in a library then reaches what is granted
** here, and nothing else of the machine.
**
**   files    Landlock: of all files the granted ones may be read, none written
**   calls    seccomp: no programs, processes, unix sockets; nothing that changes
**            files, other processes or the kernel
**   limits   no core; a bound of all private memory
**
** They hold for the thread that raises them and for those that it starts, so they
** are raised while there is no other. What was opened before stays open and usable.
** Only walls_files.c includes linux/landlock.h, only walls_calls.c seccomp.h.
*/
#ifndef BIDE_BASE_WALLS_H
#define BIDE_BASE_WALLS_H

#include <stddef.h>
#include <stdint.h>

typedef enum BideWall { BIDE_WALL_FILES, BIDE_WALL_CALLS, BIDE_WALL_LIMITS, BIDE_WALL_COUNT } BideWall;

typedef struct BideWalls {
  const char *const *readable; /* files, and folders with all that is in them; what is missing is left out */
  size_t readable_count;
  uint64_t memory; /* bytes of private memory; 0 is no bound */
} BideWalls;

/*
** Raises the walls that this kernel has. `missing[wall]` becomes 0, or the errno that
** says why that wall does not stand.
*/
void bide_walls_raise(const BideWalls *walls, int missing[BIDE_WALL_COUNT]);

/* How many threads this process has; 0 where the system does not say. */
size_t bide_walls_thread_count(void);

/* For walls.c: each raises one wall, and returns 0 or errno. */
int bide_walls_files(const char *const *readable, size_t count);
int bide_walls_calls(void);

#endif
