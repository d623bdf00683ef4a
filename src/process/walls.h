/*
** Restricts this process by the kernel, for good: the second line of the sandbox of Lua
** scripts. An exploited bug in Lua, in bide or in a library then reaches only what is granted
** here.
**
**   files    Landlock: only the granted files may be read, and no file may be written
**   calls    seccomp: only the calls of walls_table.c, none of which starts programs, makes unix
**            sockets, or changes files, other processes or the kernel
**   limits   no core file; a limit of all private memory
**
** Walls hold for the calling thread and the threads that it starts later, so they must be
** raised before any other thread starts. Descriptors that are open already stay usable. Only
** walls_files.c includes linux/landlock.h, only walls_calls.c linux/seccomp.h.
*/
#ifndef BIDE_PROCESS_WALLS_H
#define BIDE_PROCESS_WALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum BideWall {
  BIDE_WALL_FILES,
  BIDE_WALL_CALLS,
  BIDE_WALL_LIMITS,
  BIDE_WALL_COUNT
} BideWall;

typedef struct BideWalls {
  const char *const *readable; /* files, folders with contents; missing ones are ignored */
  size_t readable_count;
  uint64_t memory; /* bytes of private memory; 0 is unlimited */
} BideWalls;

/*
** Raises all walls that this kernel supports. `missing[wall]` becomes 0, or the errno that says
** why that wall could not be raised.
*/
void bide_walls_raise(const BideWalls *walls, int missing[BIDE_WALL_COUNT]);

/* Reports whether this process has one thread; not where that cannot be known. */
bool bide_walls_has_one_thread(void);

/* For walls.c: each raises one wall. Returns 0 or an errno. */
int bide_walls_files(const char *const *readable, size_t count);
int bide_walls_calls(void);

#endif
