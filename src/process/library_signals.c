#include "process/library_signals.h"

#include "base/platform.h"

#ifdef BIDE_PLATFORM_LINUX

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST 32
#define COUNT 2
#define SET_SIZE 8 /* bytes of the kernel's set of signals */

/* The kernel's structure: it begins with the handler; the rest is zero for an ignored signal. */
typedef struct Action {
  void (*handler)(int number);
  unsigned long rest[7];
} Action;

_Static_assert(SET_SIZE == (NSIG - 1) / 8, "a bit for each signal");

static bool was_ignored[COUNT];

void bide_library_signals_note(void) {
  for (int i = 0; i < COUNT; i++) {
    Action action;
    memset(&action, 0, sizeof action);
    was_ignored[i] = syscall(SYS_rt_sigaction, FIRST + i, NULL, &action, SET_SIZE) == 0 &&
                     action.handler == SIG_IGN;
  }
}

void bide_library_signals_restore(void) {
  Action action;
  memset(&action, 0, sizeof action);
  action.handler = SIG_IGN;
  for (int i = 0; i < COUNT; i++)
    if (was_ignored[i])
      syscall(SYS_rt_sigaction, FIRST + i, &action, NULL, SET_SIZE);
}

#else

/* On other systems the C library hides no signal. */
void bide_library_signals_note(void) {
}

void bide_library_signals_restore(void) {
}

#endif
