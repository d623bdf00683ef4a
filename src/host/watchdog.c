#include "host/watchdog.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crypto_memory.h"
#include "base/platform.h"
#include "host/interrupt.h"
#include "host/service.h"
#include "net/signals.h"
#include "process/groups.h"

#define INTERVAL 100   /* milliseconds between two checks */
#define MOST_CHECKS 10 /* of one call of C that is overdue */
#define EXIT_USAGE 2
#define EXIT_SCRIPT_ERROR 5
#define EXIT_FAULT 70
#define LONGEST_MESSAGE 512
#define LONGEST_SUBJECT 200

typedef struct Message {
  char text[LONGEST_MESSAGE];
  size_t length;
} Message;

static Message overdue_message, loading_message, shortage_message;
static unsigned most_checks_of_load;
static atomic_int loading; /* the number of files being loaded, one within the other */
static atomic_uint checks_of_load;

/*
** Returns what removes the lines of progress that lua/bide/text/shown.lua may have drawn: the
** cursor is at the beginning of the first.
*/
static const char *erasure(void) {
  const char *terminal = getenv("TERM");
  bool is_dumb = terminal != NULL && strcmp(terminal, "dumb") == 0;
  return isatty(STDERR_FILENO) && !is_dumb ? "\r\033[J" : "";
}

/* Shortens a text that is too long; the message always ends with a line break. */
static void prepare(Message *message, const char *subject, const char *what) {
  int length = snprintf(message->text, sizeof message->text - 1, "%sbide: %.*s: %s", erasure(),
                        LONGEST_SUBJECT, subject, what);
  message->length = (size_t)length < sizeof message->text - 2 ? (size_t)length
                                                              : sizeof message->text - 2;
  message->text[message->length++] = '\n';
}

void bide_watchdog_describe(const char *text) {
  prepare(
    &overdue_message, text,
    "a call of C did not return for more than 1 s after its time was over, so bide ends without an "
    "outcome, and all other waits with it; give that call less to do");
}

/* Its message is kept for the next time: a recipe's 'prepare' is called for each of many waits. */
void bide_watchdog_begin_load(const char *file) {
  static char subject[LONGEST_SUBJECT + 1];
  if (atomic_fetch_add(&loading, 1) > 0)
    return;
  atomic_store(&checks_of_load, 0);
  if (loading_message.length > 0 && strncmp(file, subject, LONGEST_SUBJECT) == 0)
    return;
  snprintf(subject, sizeof subject, "%s", file);
  prepare(
    &loading_message, file,
    "it takes too long to load; do the work within the operation, or allow more by --load-timeout");
}

void bide_watchdog_end_load(void) {
  atomic_fetch_sub(&loading, 1);
}

static _Noreturn void end(const Message *message, int exit_code) {
  ssize_t written = write(STDERR_FILENO, message->text, message->length);
  (void)written;
  bide_groups_kill();
  _exit(exit_code);
}

static void end_short_of_memory(void) {
  bide_service_run_for(0);
  end(&shortage_message, EXIT_FAULT);
}

static void check_load(const BideOverdue *overdue) {
  if (atomic_load(&loading) > 0 && overdue->runs &&
      atomic_fetch_add(&checks_of_load, 1) + 1 > most_checks_of_load)
    end(&loading_message, EXIT_USAGE);
}

/*
** A wait whose call did not return at its deadline, or at a signal, is over anyhow. One that was
** beyond its limits would be so again, and gets a strike.
*/
static _Noreturn void end_overdue(int exit_code) {
  if (exit_code != EXIT_SCRIPT_ERROR)
    bide_service_run_for(0);
  end(&overdue_message, exit_code);
}

/*
** Keeps standard error alone: each call of the kernel with a descriptor takes longer while threads
** share them, and what others close must not stay open here.
*/
static void leave_descriptors(void) {
  if (!bide_platform_leave_descriptors(STDERR_FILENO + 1))
    return;
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
}

static void *watch(void *nothing) {
  unsigned answered = 0, checks = 0;
  leave_descriptors();
  for (;;) {
    BideOverdue overdue;
    poll(NULL, 0, INTERVAL);
    overdue = bide_interrupt_overdue();
    check_load(&overdue);
    if (!overdue.runs || overdue.asked == overdue.answered || overdue.answered != answered)
      checks = 0;
    else if (++checks > MOST_CHECKS)
      end_overdue(overdue.exit_code);
    answered = overdue.answered;
  }
  return nothing;
}

bool bide_watchdog_start(int64_t load_timeout) {
  int64_t checks = load_timeout / INTERVAL;
  most_checks_of_load = checks > INT32_MAX ? INT32_MAX : (unsigned)checks;
  prepare(&shortage_message, "libcrypto", "not enough memory");
  bide_crypto_memory_end_by(end_short_of_memory);
  return bide_signals_start_thread(watch, NULL, 0);
}
