/*
** The system calls behind the walls of the sandbox: which ones bide and its libraries need, and
** which arguments some of them may have. All others are refused. A number without a known call
** counts as a call that this kernel lacks, so that libraries fall back to older ones.
*/
#ifndef BIDE_PROCESS_WALLS_TABLE_H
#define BIDE_PROCESS_WALLS_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef enum BideSystemCallRule {
  BIDE_CALL_LET, /* allowed */
  BIDE_CALL_ASK, /* allowed if its arguments fit one row of bide_walls_arguments; else EPERM */
  BIDE_CALL_HIDE /* its arguments are in memory, where a filter cannot read them: ENOSYS */
} BideSystemCallRule;

/* The machines that are built; each has a column of numbers. */
typedef enum BideMachine {
  BIDE_MACHINE_X86_64,
  BIDE_MACHINE_AARCH64,
  BIDE_MACHINE_COUNT
} BideMachine;

#define BIDE_CALL_NONE (-1) /* the machine does not have this call */

/*
** A call that has no row is refused, EPERM, up to the newest one that is known, file_setattr. The
** numbers from this one on are shared by all machines; below it, no call has one that is greater
** than the last of the machine's own. What has no call counts as missing, ENOSYS.
*/
#define BIDE_CALL_NEWEST 469
#define BIDE_CALL_SHARED 424
extern const int bide_walls_last_own[BIDE_MACHINE_COUNT];

typedef struct BideSystemCall {
  const char *name;
  int number[BIDE_MACHINE_COUNT];
  BideSystemCallRule rule;
} BideSystemCall;

#define BIDE_TESTS_OF_CALL 3

/*
** Holds if (argument & mask) == value, in the 32 bits that the kernel reads. Mask 0 ends the list.
*/
typedef struct BideArgumentTest {
  unsigned argument;
  uint32_t mask, value;
} BideArgumentTest;

/* One way in which a call of BIDE_CALL_ASK is allowed: all tests hold. */
typedef struct BideSystemCallArguments {
  const char *name;
  BideArgumentTest tests[BIDE_TESTS_OF_CALL];
} BideSystemCallArguments;

/* As the value of a test: the number of this process. */
#define BIDE_CALL_SELF UINT32_MAX

extern const BideSystemCall bide_walls_table[];
extern const size_t bide_walls_table_length;

/* The rows of one call are adjacent. */
extern const BideSystemCallArguments bide_walls_arguments[];
extern const size_t bide_walls_arguments_length;

#endif
