/*
** Runs the cases of spec/m32/cases.lua, read from standard input, against the
** layers below the host: for machines whose words have 32 bits, and without Lua.
** Prints each failure and a count; exits with 1 where one failed or there was none.
*/
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jmespath/jmespath.h"
#include "json/reader.h"
#include "json/writer.h"

#define MOST_FIELDS 3

typedef struct Field {
  char *bytes;
  size_t length;
} Field;

typedef struct Case {
  int letter;
  Field fields[MOST_FIELDS];
} Case;

static void give_up(const char *why) {
  fprintf(stderr, "run: %s\n", why);
  exit(2);
}

static Field read_field(void) {
  Field field;
  if (scanf("%zu:", &field.length) != 1)
    give_up("the cases are broken");
  field.bytes = malloc(field.length + 1);
  if (field.bytes == NULL || fread(field.bytes, 1, field.length, stdin) != field.length)
    give_up("the cases are cut off");
  field.bytes[field.length] = '\0';
  return field;
}

static bool read_case(Case *one) {
  int count;
  one->letter = getchar();
  if (one->letter == EOF)
    return false;
  count = one->letter == 's' || one->letter == 'e' ? 3 : 2;
  for (int i = 0; i < count; i++)
    one->fields[i] = read_field();
  for (int i = count; i < MOST_FIELDS; i++)
    one->fields[i] = (Field){NULL, 0};
  if (getchar() != '\n')
    give_up("the cases are broken");
  return true;
}

static bool is_text(const BideBuffer *buffer, Field wanted) {
  return buffer->length == wanted.length && memcmp(buffer->bytes, wanted.bytes, wanted.length) == 0;
}

static bool writes(const BideValue *value, Field wanted) {
  BideBuffer buffer;
  bool same;
  bide_buffer_init(&buffer, 0);
  same = bide_json_write(&buffer, value, 0, NULL) && is_text(&buffer, wanted);
  bide_buffer_free(&buffer);
  return same;
}

/* As the specs have it: "json: found …, at line 1, column 2". */
static bool is_error(const BideError *error, Field wanted) {
  char text[BIDE_ERROR_TEXT + 64];
  snprintf(text, sizeof text, "%s: %s, at line %d, column %d", bide_error_name(error->code),
           error->message, error->line, error->column);
  return strncmp(text, wanted.bytes, strlen(bide_error_name(error->code)) + 1) == 0 &&
         (error->line == 0 || strcmp(text, wanted.bytes) == 0);
}

static bool run_reader(BideArena *arena, const Case *one) {
  const Field *text = &one->fields[0];
  BideValue value;
  BideError error;
  if (bide_json_read(arena, text->bytes, text->length, NULL, &value, &error))
    return one->letter == 'r' && writes(&value, one->fields[1]);
  return one->letter == 'x' && is_error(&error, one->fields[1]);
}

/* Equal as JMESPath has it: the order of members is free, 1 equals 1.0. */
static bool is_value(BideArena *arena, const BideValue *value, Field wanted) {
  BideValue expected;
  if (wanted.length == 0)
    return true;
  return bide_json_read(arena, wanted.bytes, wanted.length, NULL, &expected, NULL) &&
         bide_value_equal(value, &expected);
}

static bool run_search(BideArena *arena, const Case *one) {
  const Field *text = &one->fields[0], *given = &one->fields[1], *wanted = &one->fields[2];
  BideValue input, result;
  BideError error = {.code = BIDE_OK};
  BideExpression *expression = bide_jmespath_compile(arena, NULL, text->bytes, text->length,
                                                     &error);
  if (!bide_json_read(arena, given->bytes, given->length, NULL, &input, NULL))
    return false;
  if (expression != NULL &&
      bide_jmespath_search(expression, &input, NULL, arena, &result, &error, NULL))
    return one->letter == 's' && is_value(arena, &result, *wanted);
  return one->letter == 'e' && strcmp(bide_error_name(error.code), wanted->bytes) == 0;
}

static bool run_case(const Case *one) {
  BideArena arena;
  bool right;
  bide_arena_init(&arena, 0);
  right = one->letter == 'r' || one->letter == 'x' ? run_reader(&arena, one)
                                                   : run_search(&arena, one);
  bide_arena_free(&arena);
  return right;
}

int main(void) {
  size_t count = 0, failed = 0;
  Case one;
  while (read_case(&one)) {
    count++;
    if (!run_case(&one)) {
      failed++;
      printf("failed: %c %.200s\n", one.letter, one.fields[0].bytes);
    }
    for (int i = 0; i < MOST_FIELDS; i++)
      free(one.fields[i].bytes);
  }
  printf("%zu cases with words of %zu bits, %zu failed\n", count, sizeof(void *) * 8, failed);
  return failed > 0 || count == 0;
}
