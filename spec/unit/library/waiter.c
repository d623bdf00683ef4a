/*
** Runs a waiter of libbide over recorded answers, each at the time that it is due:
**
**     waiter DEFINITION.json MAX_WAIT_MS SEED ATTEMPTS <ANSWERS.jsonl
**
** ATTEMPTS is the most, 0 for any number. The last answer answers all later attempts. An answer is
** {"output": …} or {"error": {"type": …}}, with an optional "retryAfter" in seconds. Prints each
** delay on a line, then state, reason, acceptor and number of attempts.
*/
#include <bide.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ANSWERS 64
#define MOST_BYTES ((size_t)1 << 16)

static const char *const states[] = {"retry", "success", "failure"};

static bide_document *answers[MOST_ANSWERS];

static int fail(bide_error *error) {
  fprintf(stderr, "%s %d:%d %s\n", bide_error_class(error), bide_error_line(error),
          bide_error_column(error), bide_error_message(error));
  bide_error_free(error);
  return 2;
}

static bide_waiter_definition *read_definition(const char *path, bide_error **error) {
  static char text[MOST_BYTES];
  FILE *file = fopen(path, "r");
  size_t length = file == NULL ? 0 : fread(text, 1, sizeof text, file);
  if (file != NULL)
    fclose(file);
  return bide_waiter_definition_read(text, length, error);
}

static int read_answers(void) {
  static char line[MOST_BYTES];
  int count = 0;
  while (count < MOST_ANSWERS && fgets(line, sizeof line, stdin) != NULL)
    answers[count++] = bide_document_read(line, strlen(line), NULL);
  return count;
}

static const bide_node *member(const bide_node *node, const char *name) {
  return bide_document_member(node, name, strlen(name));
}

static bide_waiter_state take(bide_waiter *waiter, const bide_node *answer, int64_t now) {
  const bide_node *output = member(answer, "output"), *error = member(answer, "error");
  const bide_node *after = member(error == NULL ? answer : error, "retryAfter");
  int64_t retry_after = after == NULL ? 0 : bide_document_integer(after) * 1000;
  size_t length;
  const char *type;
  if (output != NULL)
    return bide_waiter_take_output(waiter, NULL, output, retry_after, now);
  type = bide_document_string(member(error, "type"), &length);
  return bide_waiter_take_error(waiter, NULL, type, length, retry_after, now);
}

static void run(bide_waiter *waiter, int count) {
  bide_waiter_state state = BIDE_WAITER_WAITING;
  while (state == BIDE_WAITER_WAITING) {
    int64_t now = bide_waiter_due(waiter);
    int place = (int)bide_waiter_attempts(waiter);
    const bide_document *answer = answers[place < count ? place : count - 1];
    state = take(waiter, bide_document_root(answer), now);
    if (state == BIDE_WAITER_WAITING)
      printf("%" PRId64 "\n", bide_waiter_due(waiter) - now);
  }
  printf("%s %s %zu %" PRIu64 "\n", states[state], bide_waiter_reason(waiter),
         bide_waiter_acceptor(waiter), bide_waiter_attempts(waiter));
}

int main(int words, char **word) {
  bide_error *error = NULL;
  bide_waiter_definition *definition;
  bide_waiter *waiter = NULL;
  int count;
  if (words != 5)
    return 64;
  definition = read_definition(word[1], &error);
  if (definition != NULL)
    waiter = bide_waiter_new(definition, strtoll(word[2], NULL, 10), 1000, &error);
  count = read_answers();
  if (waiter != NULL) {
    bide_waiter_set_seed(waiter, strtoull(word[3], NULL, 10));
    bide_waiter_set_max_attempts(waiter, strtoull(word[4], NULL, 10));
    run(waiter, count);
  }
  for (int i = 0; i < count; i++)
    bide_document_free(answers[i]);
  bide_waiter_free(waiter);
  bide_waiter_definition_free(definition);
  return error == NULL ? 0 : fail(error);
}
