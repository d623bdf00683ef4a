/*
** Tries every number of a system call behind the wall of calls, each in a child, and compares the
** answer with the table. The arguments are -1, with which no call does harm.
*/
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/walls.h"
#include "process/walls_table.h"
#include "spec/support/check.h"

#define NUMBERS 1024

#if defined(__aarch64__)
#define MACHINE BIDE_MACHINE_AARCH64
#else
#define MACHINE BIDE_MACHINE_X86_64
#endif

typedef enum Answer { ALLOWED = 10, REFUSED, MISSING, NO_WALL } Answer;

/* A call that never returns, or whose arguments break the child, was allowed. */
static int call_in_child(long number, bool is_walled) {
  struct itimerval limit = {.it_value = {.tv_usec = 200000}};
  signal(SIGALRM, SIG_DFL);
  signal(SIGSEGV, SIG_DFL); /* a sanitizer would report it */
  setitimer(ITIMER_REAL, &limit, NULL);
  if (is_walled && bide_walls_calls() != 0)
    return NO_WALL;
  if (syscall(number, -1L, -1L, -1L, -1L, -1L, -1L) >= 0)
    return ALLOWED;
  return errno == EPERM ? REFUSED : errno == ENOSYS ? MISSING : ALLOWED;
}

static Answer answer_to(long number, bool is_walled) {
  int status = 0;
  pid_t child = fork();
  if (child == 0)
    _exit(call_in_child(number, is_walled));
  if (child < 0 || waitpid(child, &status, 0) != child)
    return NO_WALL;
  return WIFEXITED(status) && WEXITSTATUS(status) >= REFUSED && WEXITSTATUS(status) <= NO_WALL
           ? (Answer)WEXITSTATUS(status)
           : ALLOWED;
}

static Answer answer_of_rule(BideSystemCallRule rule) {
  switch (rule) {
    case BIDE_CALL_LET: return ALLOWED;
    case BIDE_CALL_ASK: return REFUSED;
    case BIDE_CALL_HIDE: return MISSING;
  }
  return NO_WALL;
}

static Answer expected_answer(long number) {
  for (size_t i = 0; i < bide_walls_table_length; i++)
    if (bide_walls_table[i].number[MACHINE] == number)
      return answer_of_rule(bide_walls_table[i].rule);
  return number > BIDE_CALL_NEWEST ||
             (number > bide_walls_last_own[MACHINE] && number < BIDE_CALL_SHARED)
           ? MISSING
           : REFUSED;
}

/* The kernel itself may lack a call that the wall allows, or one with such arguments. */
static Answer answer_within(long number, Answer expected) {
  Answer found = answer_to(number, true);
  if (expected == ALLOWED && found == MISSING && answer_to(number, false) == MISSING)
    return ALLOWED;
  return found;
}

static void compare(long number, Answer expected) {
  Answer found = answer_within(number, expected);
  if (found != expected)
    printf("call %ld: expected %d, found %d\n", number, (int)expected, (int)found);
  CHECK(found == expected);
}

/* uretprobe and uprobe: the kernel lets them pass by every filter, and ends a process that calls
   them from anywhere but its own code. */
static bool passes_by(long number) {
#ifdef __x86_64__
  return number == 335 || number == 336;
#else
  return number < 0;
#endif
}

static void check_numbers(void) {
  for (long number = 0; number < NUMBERS; number++)
    if (!passes_by(number))
      compare(number, expected_answer(number));
}

/* The first numbers of another ABI, and what no ABI has. */
static void check_other_abi(void) {
#ifdef __x86_64__
  for (long number = 0; number < 16; number++)
    compare(0x40000000L + number, REFUSED);
#endif
  compare(0x3FFFFFFFL, MISSING);
}

static void check_rows(void) {
  for (size_t i = 0; i < bide_walls_table_length; i++)
    for (size_t other = 0; other < i; other++)
      for (int machine = 0; machine < BIDE_MACHINE_COUNT; machine++) {
        int number = bide_walls_table[i].number[machine];
        CHECK(number == BIDE_CALL_NONE || number != bide_walls_table[other].number[machine]);
      }
}

/* A row of arguments whose name is misspelt would refuse a call that bide needs. */
static void check_names(void) {
  for (size_t i = 0; i < bide_walls_arguments_length; i++) {
    bool is_asked = false;
    for (size_t call = 0; call < bide_walls_table_length; call++)
      is_asked = is_asked ||
                 (strcmp(bide_walls_table[call].name, bide_walls_arguments[i].name) == 0 &&
                  bide_walls_table[call].rule == BIDE_CALL_ASK);
    CHECK(is_asked);
  }
}

int main(int argc, char **argv) {
  static const Check checks[] = {
    {"every number gets the answer of its row", check_numbers},
    {"numbers of another ABI are refused", check_other_abi},
    {"no number has two rows", check_rows},
    {"each row of arguments belongs to a call", check_names},
    {NULL, NULL},
  };
  return main_of_checks(checks, argc, argv);
}
