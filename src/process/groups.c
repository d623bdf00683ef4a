#include "process/groups.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* PID_MAX_LIMIT of Linux: pid_max cannot be larger. */
#define MOST_PROCESSES (sizeof(long) > 4 ? 4 * 1024 * 1024 : 32 * 1024)

#define WORD_BITS (sizeof(unsigned long) * CHAR_BIT)
#define WORDS ((size_t)MOST_PROCESSES / WORD_BITS)

/*
** One bit for each process id: the table is never full, a change is one atomic operation, and
** the kernel backs only the pages that were touched. It is static because signal handlers
** cannot be passed a pointer.
*/
static atomic_ulong *table;

/* The leader of the gentle group, or 0; in shared memory as well. */
static atomic_int *gentle;

/* The leader of a group that its parent has not added yet, or 0; in shared memory as well. */
static atomic_int *newborn;

#define GRACE 10000 /* milliseconds between SIGTERM and SIGKILL for the gentle group */
#define STEP 20     /* milliseconds between two checks of it */

_Static_assert(ATOMIC_LONG_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2,
               "two processes share the table, and a lock would belong to one");

bool bide_groups_open(void) {
  void *memory;
  if (table != NULL)
    return true;
  memory = mmap(NULL, WORDS * sizeof *table + 2 * sizeof *gentle, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  table = memory;
  gentle = (atomic_int *)(table + WORDS);
  newborn = gentle + 1;
  return true;
}

/* Reports whether the table has a bit for it. Never for group 1: kill(-1) means every process. */
static bool is_noted(pid_t leader) {
  return table != NULL && leader > 1 && (size_t)leader < WORDS * WORD_BITS;
}

static unsigned long bit_of(pid_t leader) {
  return 1UL << (size_t)leader % WORD_BITS;
}

void bide_groups_add(pid_t leader) {
  if (is_noted(leader))
    atomic_fetch_or(&table[(size_t)leader / WORD_BITS], bit_of(leader));
}

void bide_groups_remove(pid_t leader) {
  if (is_noted(leader))
    atomic_fetch_and(&table[(size_t)leader / WORD_BITS], ~bit_of(leader));
}

void bide_groups_set_newborn(pid_t leader) {
  if (newborn != NULL)
    atomic_store(newborn, leader);
}

void bide_groups_end(pid_t leader) {
  if (leader <= 1)
    return;
  kill(-leader, SIGKILL);
  bide_groups_remove(leader);
  for (int i = 0; i < 1000 && waitpid(leader, NULL, WNOHANG) == 0; i++)
    poll(NULL, 0, 1);
}

static void kill_word(size_t place, unsigned long word) {
  for (size_t bit = 0; bit < WORD_BITS; bit++)
    if (word >> bit & 1)
      kill(-(pid_t)(place * WORD_BITS + bit), SIGKILL);
}

void bide_groups_kill(void) {
  pid_t leader;
  if (table == NULL)
    return;
  leader = atomic_load(newborn);
  if (leader > 1)
    kill(-leader, SIGKILL);
  for (size_t place = 0; place < WORDS; place++) {
    unsigned long word = atomic_load(&table[place]);
    if (word != 0)
      kill_word(place, word);
  }
}

void bide_groups_set_gentle(pid_t leader) {
  if (gentle != NULL)
    atomic_store(gentle, leader);
}

void bide_groups_end_gentle(void) {
  pid_t leader = gentle != NULL ? atomic_load(gentle) : 0;
  if (leader <= 1 || kill(-leader, SIGTERM) != 0)
    return;
  kill(-leader, SIGCONT); /* one that is stopped would not see the other */
  for (int waited = 0; waited < GRACE && kill(-leader, 0) == 0; waited += STEP)
    poll(NULL, 0, STEP);
  kill(-leader, SIGKILL);
}
