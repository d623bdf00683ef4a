/*
** A reading under way, as the parts of the reader share it; reader.h is the
** interface, reader.c says how it works.
*/
#ifndef BIDE_JSON_READING_H
#define BIDE_JSON_READING_H

#include "json/reader.h"
#include "json/scan.h"

/* What a document takes before memory for more is asked for. */
#define BIDE_READER_SLOTS 256
#define BIDE_READER_FRAMES 32

/* The first half of a member; its second half is a value. */
typedef struct BideName {
  union {
    const char *bytes;
    uint64_t width; /* as BideMember has it */
  };
  uint32_t length;
  uint32_t hash;
} BideName;

_Static_assert(offsetof(BideName, length) == offsetof(BideMember, name_length) &&
               offsetof(BideName, hash) == offsetof(BideMember, name_hash) &&
               sizeof(BideName) == offsetof(BideMember, value),
               "a name and a value stand in the slots as a member does");

/* An open container. */
typedef struct BideFrame {
  const void *model;         /* the children of the container before this one; may be NULL */
  const BideValue *expected; /* the model of the value that comes next, in an object */
  uint64_t seen;             /* a bit for each hash of a name, to rule repetition out */
  uint32_t model_count;
  uint32_t model_next;       /* the member of the model that is expected next */
  uint32_t base;             /* the slot of the first child */
  uint16_t surprises;        /* names that the model did not have */
  uint16_t deepest;          /* the depth of the deepest child that is complete */
  bool is_object;
  bool repeats;              /* names have to be made unique at the end */
} BideFrame;

typedef union BideSlot {
  BideValue value;
  BideName name;
} BideSlot;

/* What one step may push: a name and a value. */
#define BIDE_READER_STEP 2

typedef struct BideReader {
  BideArena *arena;
  BideError *error;
  const char *text; /* our copy; the bytes that were read may be unescaped already */
  const char *end;
  BideSlot *slots;
  size_t capacity;
  uint32_t top; /* the first free slot */
  BideFrame *frames;
  BideFrame *frame; /* of the innermost container; the one below all stands for the document */
  size_t frames_capacity;
  BideJsonRepairs *repairs; /* NULL where the reader is strict */
  BideSlot first_slots[BIDE_READER_SLOTS];
  BideFrame first_frames[BIDE_READER_FRAMES];
} BideReader;

/* Notes a failure at a place of our copy of the text; returns NULL. */
const char *bide_reader_fail(BideReader *reader, const char *at, BideErrorCode code,
                             const char *message);

/* The same, saying what was found and what could stand there. */
const char *bide_reader_fail_unexpected(BideReader *reader, const char *at, const char *wanted);

/* The rest of a string whose plain beginning ends at `next`. Unescapes in place. */
const char *bide_reader_hard_string(BideReader *reader, const char *begin, const char *next,
                                    BideValue *value);

/*
** A name that was not predicted; `next` stands behind its opening quote. Returns
** the place behind the closing one, NULL after a failure. See names.c.
*/
const char *bide_reader_new_name(BideReader *reader, const char *next);

/* `next` stands behind the opening quote; returns the place behind the closing one. */
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
