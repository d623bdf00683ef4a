/*
** Any bytes given to the reader; what it takes is written and read again, and
** must be the same document and the same text.
*/
#include "check.h"
#include "json/reader.h"
#include "json/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_written_again(const BideValue *value, unsigned flags) {
  BideBuffer first, second;
  BideArena arena;
  BideValue again;
  BideError error;
  bide_arena_init(&arena, 0);
  bide_buffer_init(&first, 0);
  bide_buffer_init(&second, 0);
  check(bide_json_write(&first, value, flags, &error));
  check(bide_json_read(&arena, first.bytes, first.length, NULL, &again, &error));
  check(bide_value_equal(value, &again));
  check(bide_json_write(&second, &again, flags, &error));
  check(first.length == second.length && memcmp(first.bytes, second.bytes, first.length) == 0);
  bide_buffer_free(&second);
  bide_buffer_free(&first);
  bide_arena_free(&arena);
}

/*
** The lenient reader takes all that the strict one takes, as it is, and counts what else it takes,
** and what it takes as it may not be.
*/
static void check_lenient(const char *text, size_t length, const BideValue *strict) {
  BideJsonRepairs repairs;
  BideJsonOptions options = {.repairs = &repairs};
  BideArena arena;
  BideValue value;
  bide_arena_init(&arena, 0);
  if (bide_json_read(&arena, text, length, &options, &value, NULL)) {
    long room = 100000;
    check_value(&value, &room);
    check((repairs.surrogates + repairs.numbers == 0) == (strict != NULL));
    check(strict == NULL || bide_value_equal(strict, &value));
    check((repairs.repeated == 0) == (repairs.length == 0 && !repairs.lacks_names));
  } else {
    check(strict == NULL);
  }
  bide_arena_free(&arena);
}

static void check_stream(const char *text, size_t length) {
  BideArena arena;
  BideValue value;
  size_t consumed = 0;
  bide_arena_init(&arena, 1 << 20);
  for (int i = 0; i < 8 && length > 0; i++) {
    bide_arena_reset(&arena);
    if (!bide_json_read_next(&arena, text, length, NULL, &value, &consumed, NULL))
      break;
    check(consumed > 0 && consumed <= length);
    text += consumed;
    length -= consumed;
  }
  bide_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  BideArena arena;
  BideValue value;
  BideError error;
  long room = 100000;
  bide_arena_init(&arena, 0);
  if (bide_json_read(&arena, (const char *)data, size, NULL, &value, &error)) {
    check_value(&value, &room);
    check_written_again(&value, 0);
    check_written_again(&value, BIDE_JSON_INDENT);
    check_lenient((const char *)data, size, &value);
  } else {
    check(error.code == BIDE_ERROR_JSON || error.code == BIDE_ERROR_LIMIT);
    check(error.line > 0 && error.offset <= size);
    check_lenient((const char *)data, size, NULL);
  }
  bide_arena_free(&arena);
  check_stream((const char *)data, size);
  return 0;
}
