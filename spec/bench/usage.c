/*
** Runs a command without its output, and prints what it used as JSON: seconds
** of user and system time, seconds that passed, kilobytes at the peak.
**
**   usage COMMAND [ARGUMENT ...]
*/
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void become(char **command) {
  int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, 1);
  dup2(nothing, 2);
  execvp(command[0], command);
  _exit(127);
}

int main(int count, char **arguments) {
  struct rusage usage;
  int status;
  double began = now();
  pid_t child = count > 1 ? fork() : -1;
  if (child == 0)
    become(arguments + 1);
  if (child < 0 || wait4(child, &status, 0, &usage) != child)
    return 2;
  printf("{\"code\":%d,\"cpu\":%.6f,\"elapsed\":%.6f,\"kilobytes\":%ld}\n",
         WIFEXITED(status) ? WEXITSTATUS(status) : -1,
         seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), now() - began, usage.ru_maxrss);
  return 0;
}
