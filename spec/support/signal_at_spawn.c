/*
** Preloaded into a program. $SIGNAL_AT_SPAWN is sent to it while it starts ./beside: its child sends
** it before it becomes that. With $SLOW_FORK its child runs for that many milliseconds before it does.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int execvp(const char *file, char *const words[]) {
  int (*next)(const char *, char *const[]);
  *(void **)&next = dlsym(RTLD_NEXT, "execvp");
  if (strcmp(file, "./beside") == 0 && getenv("SIGNAL_AT_SPAWN") != NULL)
    kill(getppid(), atoi(getenv("SIGNAL_AT_SPAWN")));
  return next(file, words);
}

pid_t fork(void) {
  pid_t (*next)(void);
  *(void **)&next = dlsym(RTLD_NEXT, "fork");
  pid_t child = next();
  if (child > 0 && getenv("SLOW_FORK") != NULL)
    usleep((useconds_t)atoi(getenv("SLOW_FORK")) * 1000);
  return child;
}
