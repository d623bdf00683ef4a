/*
** Reads beside an allocation of an arena, as a mistake would, for the spec of that name. The first
** argument is the size of the allocation, the second the offset of the byte, the third what happens
** before: "reset" or nothing.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

int main(int argc, char **argv) {
  BideArena arena;
  volatile char *bytes;
  size_t size = argc > 2 ? (size_t)strtoul(argv[1], NULL, 10) : 0;
  bide_arena_init(&arena, 0);
  bytes = bide_arena_alloc(&arena, size);
  memset((char *)bytes, 1, size);
  if (bide_arena_alloc(&arena, 64) == NULL)
    return 2;
  if (argc > 3)
    bide_arena_reset(&arena);
  printf("%d\n", bytes[strtoul(argv[2], NULL, 10)]);
  bide_arena_free(&arena);
  return 0;
}
