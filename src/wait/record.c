#include "wait/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "bide-wait "

/* The version that is written, and the oldest that is read. */
#define VERSION 4
#define OLDEST 2

/* The size of the longest " name=value", with its NUL. */
#define LONGEST 64

/* The bytes of the longest packed number, of which the last one has a single bit. */
#define LONGEST_NUMBER 10

typedef enum Kind {
  COUNT,    /* uint64_t */
  DURATION, /* int64_t */
  TIME      /* int64_t on the caller's clock, written as the time since `started` */
} Kind;

typedef struct Row {
  const char *name;
  Kind kind;
  size_t offset;
  int since; /* the first version that has it */
} Row;

/* What a record holds. */
typedef struct Recorded {
  BideWaitLimits limits;
  BideWaiter waiter;
} Recorded;

/* The members of a state besides its limits, within BideWaiter. */
static const Row own_rows[] = {
  {"attempts", COUNT, offsetof(BideWaiter, attempts), 2},
  {"woken", COUNT, offsetof(BideWaiter, woken), 4},
  {"backoff_base", COUNT, offsetof(BideWaiter, backoff_base), 2},
  {"watched", COUNT, offsetof(BideWaiter, watched), 2},
  {"streak_of", COUNT, offsetof(BideWaiter, streak.of), 2},
  {"streak_count", COUNT, offsetof(BideWaiter, streak.count), 2},
  {"streak_since", TIME, offsetof(BideWaiter, streak.since), 2},
  {"random_0", COUNT, offsetof(BideWaiter, random.state[0]), 2},
  {"random_1", COUNT, offsetof(BideWaiter, random.state[1]), 2},
  {"random_2", COUNT, offsetof(BideWaiter, random.state[2]), 2},
  {"random_3", COUNT, offsetof(BideWaiter, random.state[3]), 2},
};

#define ROWS (BIDE_WAIT_LIMITS + sizeof own_rows / sizeof *own_rows)

/* The pointer and the flags have the room of their alignment, each. */
_Static_assert(sizeof(Recorded) == (ROWS + 1) * sizeof(uint64_t) + 2 * _Alignof(BideWaiter),
               "all but the pointer to the limits, `started` and the flags have a row");
_Static_assert(sizeof HEAD + ROWS * LONGEST <= BIDE_RECORD_TEXT, "a record fits in its text");
_Static_assert(1 + (ROWS + 1) * LONGEST_NUMBER <= BIDE_RECORD_BYTES,
               "a packed record fits in its bytes");

/* Returns the row at a position, within Recorded. The limits come first. */
static Row row_at(size_t position) {
  const BideWaitLimit *limit;
  Row row;
  if (position >= BIDE_WAIT_LIMITS) {
    row = own_rows[position - BIDE_WAIT_LIMITS];
    row.offset += offsetof(Recorded, waiter);
    return row;
  }
  limit = &bide_wait_limits[position];
  return (Row){limit->name, limit->is_count ? COUNT : DURATION,
               offsetof(Recorded, limits) + limit->offset, limit->since};
}

/* That the last attempt was spread is written as its limit. */
static Recorded recorded_of(const BideWaiter *waiter) {
  Recorded recorded = {*waiter->limits, *waiter};
  recorded.limits.last_spread = bide_waiter_last_spread(waiter);
  return recorded;
}

/* Gives a state that was read to the caller. */
static void hand_out(const Recorded *recorded, BideWaiter *waiter, BideWaitLimits *limits) {
  *limits = recorded->limits;
  *waiter = recorded->waiter;
  waiter->limits = limits;
}

/* Writes " name=value". Times are subtracted unsigned, so that a forged record cannot overflow. */
static size_t write_row(const Recorded *recorded, Row row, char text[LONGEST]) {
  uint64_t value;
  memcpy(&value, (const char *)recorded + row.offset, sizeof value);
  if (row.kind == COUNT)
    return (size_t)snprintf(text, LONGEST, " %s=%" PRIu64, row.name, value);
  if (row.kind == TIME)
    value -= (uint64_t)recorded->waiter.started;
  return (size_t)snprintf(text, LONGEST, " %s=%" PRId64, row.name, (int64_t)value);
}

size_t bide_record_write(const BideWaiter *waiter, char text[BIDE_RECORD_TEXT]) {
  Recorded recorded = recorded_of(waiter);
  size_t length = (size_t)snprintf(text, LONGEST, HEAD "%d", VERSION);
  for (size_t position = 0; position < ROWS; position++)
    length += write_row(&recorded, row_at(position), text + length);
  return length;
}

static bool take_word(const char **text, const char *word) {
  size_t length = strlen(word);
  if (strncmp(*text, word, length) != 0)
    return false;
  *text += length;
  return true;
}

/* Reads a number, and moves `*text` past it. Only kinds with a sign accept one leading minus. */
static bool take_number(const char **text, Kind kind, uint64_t *value) {
  const char *digits = *text + (kind != COUNT && **text == '-');
  char *end = NULL;
  if (*digits < '0' || *digits > '9')
    return false;
  errno = 0;
  *value = kind == COUNT ? strtoull(*text, &end, 10) : (uint64_t)strtoll(*text, &end, 10);
  *text = end;
  return errno == 0;
}

static bool take_row(const char **text, Row row, Recorded *recorded) {
  uint64_t value;
  if (!take_word(text, " ") || !take_word(text, row.name) || !take_word(text, "=") ||
      !take_number(text, row.kind, &value))
    return false;
  if (row.kind == TIME)
    value += (uint64_t)recorded->waiter.started;
  memcpy((char *)recorded + row.offset, &value, sizeof value);
  return true;
}

/* Reports whether the streak, if there is one, is of attempts of the wait. */
static bool has_sound_streak(const BideWaiter *waiter) {
  const BideStreak *streak = &waiter->streak;
  int64_t since = (int64_t)((uint64_t)streak->since - (uint64_t)waiter->started);
  return streak->of == 0 || (streak->count <= waiter->attempts && since >= 0);
}

/* Reports whether a wait can have this state. An all-zero generator would draw only zeros. */
static bool is_sound(const Recorded *recorded) {
  const BideWaiter *waiter = &recorded->waiter;
  const uint64_t *state = waiter->random.state;
  BideError error;
  return bide_wait_limits_check(&recorded->limits, &error) && waiter->woken <= waiter->attempts &&
         has_sound_streak(waiter) && (state[0] | state[1] | state[2] | state[3]) != 0;
}

static bool read_rows(Recorded *recorded, const char *text) {
  uint64_t version;
  if (!take_word(&text, HEAD) || !take_number(&text, COUNT, &version) || version < OLDEST ||
      version > VERSION)
    return false;
  bide_wait_limits_init(&recorded->limits); /* for those that an older record does not have */
  for (size_t position = 0; position < ROWS; position++)
    if ((uint64_t)row_at(position).since <= version && !take_row(&text, row_at(position), recorded))
      return false;
  return *text == '\0';
}

static bool refuse(BideError *error) {
  bide_error_set(error, BIDE_ERROR_VALUE, "this is no record of a wait, or one of another version");
  return false;
}

bool bide_record_read(BideWaiter *waiter, BideWaitLimits *limits, const char *text, size_t length,
                      int64_t started, BideError *error) {
  char copy[BIDE_RECORD_TEXT];
  Recorded read = {.waiter.started = started};
  if (length < sizeof copy) {
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (strlen(copy) == length && read_rows(&read, copy) && is_sound(&read)) {
      hand_out(&read, waiter, limits);
      return true;
    }
  }
  return refuse(error);
}

/* ---- the packed form ---------------------------------------------------------- */

static size_t pack_number(uint64_t value, unsigned char *bytes) {
  size_t length = 0;
  for (; value > 0x7F; value >>= 7)
    bytes[length++] = (unsigned char)(value | 0x80);
  bytes[length++] = (unsigned char)value;
  return length;
}

/* Returns the number of bytes; 0 if they are not a whole number in its one form. */
static size_t unpack_number(const unsigned char *bytes, size_t length, uint64_t *value) {
  *value = 0;
  for (size_t i = 0; i < length && i < LONGEST_NUMBER; i++) {
    *value |= (uint64_t)(bytes[i] & 0x7F) << (7 * i);
    if (bytes[i] > 0x7F)
      continue;
    return (i > 0 && bytes[i] == 0) || (i == LONGEST_NUMBER - 1 && bytes[i] > 1) ? 0 : i + 1;
  }
  return 0;
}

static uint64_t fold(uint64_t value) {
  return value << 1 ^ (0 - (value >> 63));
}

static uint64_t unfold(uint64_t value) {
  return value >> 1 ^ (0 - (value & 1));
}

size_t bide_record_pack(const BideWaiter *waiter, int format,
                        unsigned char bytes[BIDE_RECORD_BYTES]) {
  Recorded recorded = recorded_of(waiter);
  size_t length = 0;
  bytes[length++] = (unsigned char)format;
  for (size_t position = 0; position < ROWS; position++) {
    Row row = row_at(position);
    uint64_t value;
    memcpy(&value, (const char *)&recorded + row.offset, sizeof value);
    if (row.kind == TIME)
      value -= (uint64_t)recorded.waiter.started;
    length += pack_number(row.kind == COUNT ? value : fold(value), bytes + length);
  }
  if (format > BIDE_RECORD_FORMAT)
    length += pack_number(ROWS, bytes + length);
  return length;
}

/* Reports whether what follows the members is what their form ends with. */
static bool has_end(int format, const unsigned char *bytes, size_t length) {
  uint64_t count;
  if (format == BIDE_RECORD_FORMAT)
    return length == 0;
  return length > 0 && unpack_number(bytes, length, &count) == length && count == ROWS;
}

static bool unpack_rows(Recorded *recorded, const unsigned char *bytes, size_t length) {
  size_t place = 1;
  if (length == 0 || bytes[0] < BIDE_RECORD_FORMAT || bytes[0] > BIDE_RECORD_NEWEST)
    return false;
  for (size_t position = 0; position < ROWS; position++) {
    Row row = row_at(position);
    uint64_t value;
    size_t taken = unpack_number(bytes + place, length - place, &value);
    if (taken == 0)
      return false;
    place += taken;
    if (row.kind != COUNT)
      value = unfold(value);
    if (row.kind == TIME)
      value += (uint64_t)recorded->waiter.started;
    memcpy((char *)recorded + row.offset, &value, sizeof value);
  }
  return has_end(bytes[0], bytes + place, length - place);
}

bool bide_record_unpack(BideWaiter *waiter, BideWaitLimits *limits, const unsigned char *bytes,
                        size_t length, int64_t started, BideError *error) {
  Recorded read = {.waiter.started = started};
  if (!unpack_rows(&read, bytes, length) || !is_sound(&read))
    return refuse(error);
  hand_out(&read, waiter, limits);
  return true;
}
