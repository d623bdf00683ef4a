/*
** The wall of calls: a filter of seccomp, made from the table of walls_table.c. It is written
** here and not by a library, since one filter has to distinguish three cases: what is allowed, by
** lists of arguments too; what is refused; and what counts as missing.
*/
#include "base/platform.h"

#ifdef BIDE_PLATFORM_LINUX

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/walls.h"
#include "process/walls_table.h"

#if defined(__x86_64__) && defined(__LP64__)
#define MACHINE BIDE_MACHINE_X86_64
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE BIDE_MACHINE_AARCH64
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE

#define OTHER_ABI 0x40000000u /* a bit of the numbers of x32; no other machine has it */

#define MOST_STEPS 2048

#define MISSING (SECCOMP_RET_ERRNO | ENOSYS)

/* A filter: steps of the kernel's small machine, which read a struct seccomp_data. */
typedef struct Filter {
  struct sock_filter steps[MOST_STEPS];
  unsigned short length;
  bool is_full;
} Filter;

static void add(Filter *filter, unsigned code, uint32_t value, unsigned if_true,
                unsigned if_false) {
  struct sock_filter step = {(uint16_t)code, (uint8_t)if_true, (uint8_t)if_false, value};
  filter->is_full = filter->is_full || filter->length == MOST_STEPS;
  if (!filter->is_full)
    filter->steps[filter->length++] = step;
}

static void add_load(Filter *filter, size_t offset) {
  add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void add_return(Filter *filter, uint32_t action) {
  add(filter, BPF_RET | BPF_K, action, 0, 0);
}

static void add_refusal(Filter *filter) {
  add_return(filter, SECCOMP_RET_ERRNO | EPERM);
}

/* Adds a return that the filter reaches only if the loaded value is this one. */
static void add_return_if(Filter *filter, uint32_t value, uint32_t action) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  add_return(filter, action);
}

/* Adds the return of the kernel for calls that it lacks, for the numbers from `low` to `high`. */
static void add_missing(Filter *filter, uint32_t low, uint32_t high) {
  add(filter, BPF_JMP | BPF_JGE | BPF_K, low, 0, 2);
  add(filter, BPF_JMP | BPF_JGT | BPF_K, high, 1, 0);
  add_return(filter, MISSING);
}

/* ---- arguments ------------------------------------------------------------------------- */

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the lower half of an argument is the first one only on a little-endian machine"
#endif

static size_t offset_of_argument(unsigned argument) {
  return offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);
}

#define STEPS_OF_TEST 3

/* Adds tests, and a return that the filter reaches only if all hold. */
static void add_ways(Filter *filter, const BideArgumentTest *tests) {
  unsigned count = 0;
  while (count < BIDE_TESTS_OF_CALL && tests[count].mask != 0)
    count++;
  for (unsigned i = 0; i < count; i++) {
    uint32_t value = tests[i].value == BIDE_CALL_SELF ? (uint32_t)getpid() : tests[i].value;
    add_load(filter, offset_of_argument(tests[i].argument));
    add(filter, BPF_ALU | BPF_AND | BPF_K, tests[i].mask, 0, 0);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, (count - 1 - i) * STEPS_OF_TEST + 1);
  }
  add_return(filter, SECCOMP_RET_ALLOW);
}

/* Adds what a call may be asked for. The first step leads past it for any other call. */
static void add_call_with_arguments(Filter *filter, const BideSystemCall *call) {
  unsigned short first = filter->length;
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number[MACHINE], 0, 0);
  for (size_t i = 0; i < bide_walls_arguments_length; i++)
    if (strcmp(bide_walls_arguments[i].name, call->name) == 0)
      add_ways(filter, bide_walls_arguments[i].tests);
  add_refusal(filter);
  filter->is_full = filter->is_full || filter->length - first - 1 > UINT8_MAX;
  if (!filter->is_full)
    filter->steps[first].jf = (uint8_t)(filter->length - first - 1);
}

/* ---- calls ----------------------------------------------------------------------------- */

static void add_call(Filter *filter, const BideSystemCall *call) {
  uint32_t number = (uint32_t)call->number[MACHINE];
  switch (call->rule) {
    case BIDE_CALL_LET: add_return_if(filter, number, SECCOMP_RET_ALLOW); break;
    case BIDE_CALL_ASK: add_call_with_arguments(filter, call); break;
    case BIDE_CALL_HIDE: add_return_if(filter, number, MISSING); break;
  }
}

/* Refuses calls by another ABI, which have other numbers. */
static void add_machine(Filter *filter) {
  add_load(filter, offsetof(struct seccomp_data, arch));
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  add_refusal(filter);
  add_load(filter, offsetof(struct seccomp_data, nr));
  add(filter, BPF_JMP | BPF_JGE | BPF_K, OTHER_ABI, 0, 1);
  add_refusal(filter);
}

int bide_walls_calls(void) {
  static Filter filter;
  struct sock_fprog program;
  filter.length = 0;
  filter.is_full = false;
  add_machine(&filter);
  for (size_t i = 0; i < bide_walls_table_length; i++)
    if (bide_walls_table[i].number[MACHINE] != BIDE_CALL_NONE)
      add_call(&filter, &bide_walls_table[i]);
  add_missing(&filter, (uint32_t)bide_walls_last_own[MACHINE] + 1, BIDE_CALL_SHARED - 1);
  add_missing(&filter, BIDE_CALL_NEWEST + 1, UINT32_MAX);
  add_refusal(&filter);
  if (filter.is_full)
    return E2BIG;
  program.len = filter.length;
  program.filter = filter.steps;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

#else

/* The table has no numbers of this machine. */
int bide_walls_calls(void) {
  return ENOTSUP;
}

#endif

#endif
