/*
** Checks of C code that no script reaches. A program of checks prints the names of its checks, or
** runs those that its arguments name: it prints each condition that does not hold, with its place,
** and then exits with 1. spec/support/checks.lua makes a spec of each.
*/
#ifndef BIDE_SPEC_CHECK_H
#define BIDE_SPEC_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct Check {
  const char *name;
  void (*run)(void);
} Check;

static int failures;

#define CHECK(condition) \
  ((condition) ? (void)0 \
               : (void)(failures++, printf("%s:%d: %s\n", __FILE__, __LINE__, #condition)))

static int run_checks(const Check *checks, int count, char **names) {
  for (; count > 0; count--, names++)
    for (const Check *check = checks; check->name != NULL; check++)
      if (strcmp(check->name, *names) == 0)
        check->run();
  return failures == 0 ? 0 : 1;
}

static int main_of_checks(const Check *checks, int argc, char **argv) {
  if (argc > 1)
    return run_checks(checks, argc - 1, argv + 1);
  for (; checks->name != NULL; checks++)
    puts(checks->name);
  return 0;
}

#endif
