/*
** The state that the parts of the reader share. The interface is reader.h; reader.c explains how
** it works. reader.c calls names.c for a name that its model lacks, and names.c returns into the
** reader's state: two files of one reader.
*/
#ifndef BIDE_JSON_READING_H
#define BIDE_JSON_READING_H

#include "json/reader.h"
#include "json/scan.h"

/* Slots and frames on the C stack; deeper or wider documents allocate more. */
#define BIDE_READER_SLOTS 256
#define BIDE_READER_FRAMES 32

/* The first half of a member; the second half is its value. */
typedef struct BideName {
  union {
    const char *bytes;
    uint64_t width; /* as in BideMember */
  };
  uint32_t length;
  uint32_t hash;
} BideName;

_Static_assert(offsetof(BideName, length) == offsetof(BideMember, name_length) &&
                 offsetof(BideName, hash) == offsetof(BideMember, name_hash) &&
                 sizeof(BideName) == offsetof(BideMember, value),
               "two slots, a name and a value, have the layout of a member");

/* An open container. */
typedef struct BideFrame {
  const void *model;         /* the children of the corresponding earlier container; may be NULL */
  const BideValue *expected; /* in an object: the model of the next value */
  uint64_t seen;             /* a bit for each hash of a name, to rule out repetitions */
  uint32_t model_count;
  uint32_t model_next; /* the position in the model of the expected name */
  uint32_t base;       /* the slot of the first child */
  uint16_t surprises;  /* the number of names that the model did not have */
  uint16_t deepest;    /* the depth of the deepest complete child */
  bool is_object;
  bool repeats; /* names may repeat and must be made unique at the end */
} BideFrame;

typedef union BideSlot {
  BideValue value;
  BideName name;
} BideSlot;

_Static_assert(sizeof(BideSlot) == sizeof(BideValue), "the slots of an array are its elements");

/* Slots that one step may push: a name and a value. */
#define BIDE_READER_STEP 2

typedef struct BideReader {
  BideArena *arena;
  BideError *error;
  const char *text; /* our copy; strings that were read are unescaped in place */
  const char *end;
  BideSlot *slots;
  size_t capacity;
  uint32_t top; /* the first free slot */
  BideFrame *frames;
  BideFrame *frame; /* of the innermost container; the outermost is the document's */
  size_t frames_capacity;
  BideJsonRepairs *repairs; /* NULL if the reader is strict */
  bool is_unique;           /* whether a repeated name is a failure */
  BideSlot first_slots[BIDE_READER_SLOTS];
  BideFrame first_frames[BIDE_READER_FRAMES];
} BideReader;

/* Records a failure at a place in our copy of the text. Returns NULL. */
const char *bide_reader_fail(BideReader *reader, const char *at, BideErrorCode code,
                             const char *message);

/* Records that `at` holds something else than `wanted`. Returns NULL. */
const char *bide_reader_fail_unexpected(BideReader *reader, const char *at, const char *wanted);

/*
** Reads the rest of a string whose plain beginning ends at `next`. Unescapes in place. Returns
** the place after the closing quote, or NULL after a failure.
*/
const char *bide_reader_hard_string(BideReader *reader, const char *begin, const char *next,
                                    BideValue *value);

/*
** Reads a name that was not predicted; `next` is the byte after its opening quote. Returns the
** place after the closing quote, or NULL after a failure. See names.c.
*/
const char *bide_reader_new_name(BideReader *reader, const char *next);

/* Reads a string, with the same parameter and result. */
static inline const char *bide_reader_string(BideReader *reader, const char *next,
                                             BideValue *value) {
  const char *stop = bide_scan_plain(next);
  if (*stop != '"')
    return bide_reader_hard_string(reader, next, stop, value);
  *value = bide_value_string(next, (size_t)(stop - next));
  return stop + 1;
}

static inline uint64_t bide_name_bit(uint32_t hash) {
  return UINT64_C(1) << (hash & 63);
}

static inline void bide_reader_push_name(BideReader *reader, const char *bytes, uint32_t length,
                                         uint32_t hash) {
  BideSlot *slot = &reader->slots[reader->top++];
  slot->name.bytes = bytes;
  slot->name.length = length;
  slot->name.hash = hash;
  reader->frame->seen |= bide_name_bit(hash);
}

#endif
