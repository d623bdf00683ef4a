/* Checks of src/base: what its headers promise, at the edges that bide itself seldom reaches. */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/blocks.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/random.h"
#include "base/shown.h"
#include "base/utf8.h"
#include "base/wide.h"

#include "spec/support/check.h"

/* ---- arena ---- */

static void check_arena_alignment(void) {
  BideArena arena;
  bide_arena_init(&arena, 0);
  for (size_t size = 0; size < 5000; size += 37) {
    char *bytes = bide_arena_alloc(&arena, size);
    CHECK(bytes != NULL && (uintptr_t)bytes % BIDE_ARENA_ALIGNMENT == 0);
    memset(bytes, 0xFF, size); /* a sanitizer sees where this is not ours */
  }
  bide_arena_free(&arena);
}

static void check_arena_limit(void) {
  BideArena arena;
  bide_arena_init(&arena, 1000);
  CHECK(bide_arena_alloc(&arena, 1001) == NULL);
  CHECK(!arena.starved);
  CHECK(bide_arena_alloc(&arena, SIZE_MAX) == NULL);
  CHECK(bide_arena_alloc(&arena, 900) != NULL);
  CHECK(bide_arena_alloc(&arena, 200) == NULL);
  CHECK(arena.used <= 1000);
  bide_arena_free(&arena);
  CHECK(arena.used == 0 && bide_arena_alloc(&arena, 900) != NULL);
  bide_arena_free(&arena);
}

static void check_arena_reset(void) {
  BideBudget budget = {.limit = 1 << 20};
  BideArena arena;
  size_t used;
  bide_arena_init(&arena, 0);
  arena.budget = &budget;
  for (int i = 0; i < 100; i++)
    bide_arena_alloc(&arena, 100);
  bide_arena_reset(&arena);
  used = budget.used;
  for (int i = 0; i < 100; i++)
    CHECK(bide_arena_alloc(&arena, 100) != NULL);
  CHECK(budget.used == used); /* the same work, done again, allocates nothing */
  bide_arena_free(&arena);
  CHECK(budget.used == 0);
}

static void check_arena_budget(void) {
  BideBudget budget = {.limit = 4096};
  BideArena arena;
  bide_arena_init(&arena, 0);
  arena.budget = &budget;
  CHECK(bide_arena_alloc(&arena, 5000) == NULL);
  CHECK(arena.starved && budget.refused && budget.used == 0);
  CHECK(bide_arena_alloc(&arena, 1000) != NULL);
  bide_arena_free(&arena);
  CHECK(budget.used == 0);
}

static void check_arena_within(void) {
  _Alignas(16) char block[64];
  BideArena arena;
  bide_arena_init_within(&arena, block, sizeof block);
  CHECK(bide_arena_alloc(&arena, 48) == block);
  CHECK(bide_arena_alloc(&arena, 16) == block + 48);
  CHECK(bide_arena_alloc(&arena, 1) == NULL);
}

static void check_arena_copy(void) {
  BideArena arena;
  char *copy;
  bide_arena_init(&arena, 0);
  copy = bide_arena_copy(&arena, "a\0b", 3);
  CHECK(memcmp(copy, "a\0b", 4) == 0);
  copy = bide_arena_copy(&arena, NULL, 0);
  CHECK(copy != NULL && copy[0] == '\0');
  bide_arena_free(&arena);
}

/* ---- blocks ---- */

#define HELD 200

/* Blocks are made, resized and given back at random: none loses a byte to another one. */
static void check_blocks(void) {
  static const int64_t largest[] = {24, 2 * BIDE_BLOCKS_LARGEST + 2, 5000};
  BideBlocks blocks = {.next = NULL};
  unsigned char *held[HELD] = {NULL};
  size_t sizes[HELD] = {0};
  BideRandom random;
  bide_random_seed(&random, 7);
  for (int i = 0; i < 100000; i++) {
    size_t at = (size_t)bide_random_between(&random, 0, HELD - 1), old_size = sizes[at];
    size_t size = (size_t)bide_random_between(&random, 0, largest[i % 3]);
    held[at] = bide_blocks_allocate(&blocks, held[at], old_size, size);
    CHECK((held[at] == NULL) == (size == 0) && (uintptr_t)held[at] % BIDE_BLOCKS_UNIT == 0);
    for (size_t byte = 0; byte < size && byte < old_size; byte++)
      CHECK(held[at][byte] == (unsigned char)at);
    if (size > 0)
      memset(held[at], (int)at, size);
    sizes[at] = size;
  }
  for (size_t at = 0; at < HELD; at++)
    bide_blocks_allocate(&blocks, held[at], sizes[at], 0);
}

static void check_blocks_again(void) {
  BideBlocks blocks = {.next = NULL};
  void *block = bide_blocks_allocate(&blocks, NULL, 0, 40);
  block = bide_blocks_allocate(&blocks, block, 40, 33);
  bide_blocks_allocate(&blocks, block, 33, 0);
  CHECK(BIDE_BLOCKS_LARGEST == 0 || bide_blocks_allocate(&blocks, NULL, 0, 38) == block);
}

/* ---- buffer and budget ---- */

static void check_buffer_growth(void) {
  BideBuffer buffer;
  bide_buffer_init(&buffer, 0);
  for (int i = 0; i < 100000; i++)
    CHECK(bide_buffer_append_byte(&buffer, (char)i));
  CHECK(buffer.length == 100000);
  for (int i = 0; i < 100000; i++)
    CHECK(buffer.bytes[i] == (char)i);
  bide_buffer_free(&buffer);
  CHECK(buffer.bytes == NULL && buffer.length == 0);
}

static void check_buffer_failure(void) {
  BideBuffer buffer;
  bide_buffer_init(&buffer, 10);
  CHECK(bide_buffer_append(&buffer, "0123456789", 10));
  CHECK(!bide_buffer_append_byte(&buffer, 'x'));
  CHECK(buffer.failed && buffer.length == 10);
  CHECK(!bide_buffer_append(&buffer, "", 0)); /* it stays failed */
  CHECK(bide_buffer_reserve(&buffer, SIZE_MAX) == NULL);
  bide_buffer_free(&buffer);
}

static void check_buffer_budget(void) {
  BideBudget budget = {.limit = 1000};
  BideBuffer buffer;
  bide_buffer_init(&buffer, 0);
  buffer.budget = &budget;
  CHECK(bide_buffer_reserve(&buffer, 500) != NULL);
  CHECK(budget.used == buffer.capacity);
  CHECK(bide_buffer_reserve(&buffer, 5000) == NULL);
  bide_buffer_free(&buffer);
  CHECK(budget.used == 0);
}

static void check_budget_edges(void) {
  BideBudget budget = {.limit = 100, .reserve = 10};
  CHECK(bide_budget_take(&budget, 100));
  CHECK(!bide_budget_fits(&budget, 1));
  CHECK(bide_budget_take(&budget, 10)); /* of the reserve */
  CHECK(!bide_budget_take(&budget, 1) && budget.refused && budget.used == 110);
  bide_budget_give(&budget, 110);
  CHECK(bide_budget_fits(&budget, 100) && !bide_budget_take(&budget, SIZE_MAX));
  CHECK(bide_budget_take(NULL, SIZE_MAX) && bide_budget_fits(NULL, SIZE_MAX));
}

/* ---- numbers ---- */

static void check_random_bounds(void) {
  BideRandom random;
  int low = 0, high = 0;
  bide_random_seed(&random, 0);
  for (int i = 0; i < 10000; i++) {
    int64_t drawn = bide_random_between(&random, -2, 2);
    CHECK(drawn >= -2 && drawn <= 2);
    low += drawn == -2;
    high += drawn == 2;
  }
  CHECK(low > 1700 && low < 2300 && high > 1700 && high < 2300);
  CHECK(bide_random_between(&random, 7, 7) == 7 && bide_random_between(&random, 7, 3) == 7);
  bide_random_between(&random, INT64_MIN, INT64_MAX);
}

static void check_random_seeds(void) {
  BideRandom one, same, other;
  bool differs = false;
  bide_random_seed(&one, 42);
  bide_random_seed(&same, 42);
  bide_random_seed(&other, 43);
  for (int i = 0; i < 100; i++) {
    int64_t drawn = bide_random_between(&one, 0, INT64_MAX);
    CHECK(drawn == bide_random_between(&same, 0, INT64_MAX));
    differs = differs || drawn != bide_random_between(&other, 0, INT64_MAX);
  }
  CHECK(differs);
}

static void check_wide_sums(void) {
  BideWide sum = {0, 0};
  uint64_t magnitude;
  bide_wide_add_signed(&sum, INT64_MAX);
  bide_wide_add_signed(&sum, INT64_MIN);
  CHECK(bide_wide_is_negative(&sum) && bide_wide_magnitude(&sum, &magnitude) && magnitude == 1);
  bide_wide_add_unsigned(&sum, UINT64_MAX);
  bide_wide_add_unsigned(&sum, 2);
  CHECK(!bide_wide_is_negative(&sum) && !bide_wide_magnitude(&sum, &magnitude)); /* 2^64 */
  CHECK(bide_wide_to_double(&sum) == 18446744073709551616.0);
  CHECK(bide_wide_divide(&sum, 3) == 1); /* 2^64 = 3 * 6148914691236517205 + 1 */
  CHECK(bide_wide_magnitude(&sum, &magnitude) && magnitude == UINT64_C(6148914691236517205));
}

/* The sum of two doubles of whole numbers is rounded once, to even. */
static void check_wide_rounding(void) {
  BideWide sum = {0, 0};
  bide_wide_add_unsigned(&sum, (UINT64_C(1) << 53) + 1);
  CHECK(bide_wide_to_double(&sum) == 9007199254740992.0);
  bide_wide_add_unsigned(&sum, 2);
  CHECK(bide_wide_to_double(&sum) == 9007199254740996.0);
}

static void check_clock(void) {
  int64_t before = bide_clock_monotonic();
  for (int i = 0; i < 1000; i++) {
    int64_t now = bide_clock_monotonic();
    CHECK(now >= before);
    before = now;
  }
  CHECK(bide_clock_wall() > INT64_C(1600000000000));
}

/* ---- texts ---- */

static void check_error_place(void) {
  BideError error;
  bide_error_set(&error, BIDE_ERROR_SYNTAX, "%s", "found nothing");
  CHECK(error.line == 0 && strcmp(error.message, "found nothing") == 0);
  bide_error_locate(&error, "a\nb\xC3\xA9x", 6, 5);
  CHECK(error.line == 2 && error.column == 3 && error.offset == 5);
  bide_error_set(NULL, BIDE_ERROR_SYNTAX, "nothing");
  bide_error_locate(NULL, "a", 1, 0);
}

static void check_error_length(void) {
  char text[2 * BIDE_ERROR_TEXT];
  BideError error;
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  bide_error_set(&error, BIDE_ERROR_SYSTEM, "%s", text);
  CHECK(strlen(error.message) < BIDE_ERROR_TEXT);
}

static bool is_nearest(const char *wanted, const char *expected) {
  const char *names[] = {"failure", "success", "retry", "tags", "sea"};
  BideNearest nearest;
  bide_nearest_init(&nearest, wanted, strlen(wanted));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    bide_nearest_offer(&nearest, names[i], strlen(names[i]));
  if (expected == NULL || nearest.best == NULL)
    return expected == NULL && nearest.best == NULL;
  return strncmp(nearest.best, expected, nearest.best_length) == 0;
}

static void check_nearest(void) {
  CHECK(is_nearest("failed", "failure"));
  CHECK(is_nearest("sucess", "success"));
  CHECK(is_nearest("SUCCESS", "success"));
  CHECK(is_nearest("suc", "success"));
  CHECK(is_nearest("tag", "tags"));
  CHECK(is_nearest("tgas", "tags"));
  CHECK(is_nearest("tall", NULL));
  CHECK(is_nearest("s", NULL));
  CHECK(is_nearest("re", NULL));
  CHECK(is_nearest("something else", NULL));
  CHECK(is_nearest("", NULL));
}

static void check_utf8_edges(void) {
  const char *broken[] = {
    "\x80",         "\xC0\x80",         "\xC1\xBF",         "\xE0\x9F\xBF",
    "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
    "\xE2\x82"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
    CHECK(bide_utf8_sequence(broken[i], strlen(broken[i])) == 0);
  CHECK(bide_utf8_check("ab\xFF", 3) == 2 && bide_utf8_check("ab", 2) == 2);
  CHECK(bide_utf8_count("a\xC3\xA9\xF0\x9F\x98\x80", 7) == 3);
}

static void check_utf8_round_trip(void) {
  for (uint32_t code_point = 0; code_point < 0x110000; code_point++) {
    char bytes[4];
    size_t length, decoded;
    if (code_point >= 0xD800 && code_point < 0xE000)
      continue;
    length = bide_utf8_encode(code_point, bytes);
    CHECK(bide_utf8_sequence(bytes, length) == length);
    CHECK(length == 1 || bide_utf8_sequence(bytes, length - 1) == 0);
    CHECK(bide_utf8_decode(bytes, &decoded) == code_point && decoded == length);
  }
}

static bool is_shown(const char *bytes, size_t length, const char *expected) {
  BideBuffer buffer;
  bool same;
  bide_buffer_init(&buffer, 0);
  same = bide_shown_line(&buffer, bytes, length) && buffer.length == strlen(expected) &&
         memcmp(buffer.bytes, expected, buffer.length) == 0;
  bide_buffer_free(&buffer);
  return same;
}

static void check_shown(void) {
  CHECK(is_shown("a\nb\tc\x1B[1m", 9, "a\\x0Ab\\x09c\\x1B[1m"));
  CHECK(is_shown("\0\xFF\x7F", 3, "\\x00\\xFF\\x7F"));
  CHECK(is_shown("\xE2\x80\xAE\xC2\x85", 5, "\\u{202E}\\u{0085}"));
  CHECK(is_shown("\\x41 \xC3\xA9", 7, "\\x41 \xC3\xA9"));
}

int main(int argc, char **argv) {
  static const Check checks[] = {
    {"arena: every address is aligned", check_arena_alignment},
    {"arena: the limit holds", check_arena_limit},
    {"arena: work that is done again allocates nothing", check_arena_reset},
    {"arena: the budget gets back what it gave", check_arena_budget},
    {"arena: one within a block never grows", check_arena_within},
    {"arena: a copy ends with a NUL", check_arena_copy},
    {"blocks: none loses a byte to another", check_blocks},
    {"blocks: one that was given back is used again", check_blocks_again},
    {"buffer: it grows", check_buffer_growth},
    {"buffer: once failed, it stays failed", check_buffer_failure},
    {"buffer: the budget gets back what it gave", check_buffer_budget},
    {"budget: the limit and the reserve", check_budget_edges},
    {"random: bounds are inclusive and equally likely", check_random_bounds},
    {"random: a seed gives its numbers again", check_random_seeds},
    {"wide: sums beyond 64 bits", check_wide_sums},
    {"wide: one rounding, to even", check_wide_rounding},
    {"clock: it never goes back", check_clock},
    {"error: the place is a line and a column", check_error_place},
    {"error: a long message is cut", check_error_length},
    {"nearest: the name that was meant", check_nearest},
    {"utf8: what is broken is refused", check_utf8_edges},
    {"utf8: every code point, there and back", check_utf8_round_trip},
    {"shown: what is escaped, and what is not", check_shown},
    {NULL, NULL},
  };
  return main_of_checks(checks, argc, argv);
}
