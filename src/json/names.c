/*
** Reads the names that the model of an object did not predict; reader.c explains models.
*/
#include "json/reading.h"
#include "json/text.h"

/* Repetitions are sought one by one among this many members, and at the end of larger objects. */
#define FEW_MEMBERS 32

/* How far a name is sought in the model, and how many unknown names make the reader drop it. */
#define LOOK_AHEAD 32
#define PATIENCE 8

static bool has_name(const BideReader *reader, const BideName *wanted) {
  const BideSlot *slots = reader->slots;
  for (uint32_t at = reader->frame->base; at < reader->top; at += 2)
    if (slots[at].name.hash == wanted->hash && slots[at].name.length == wanted->length &&
        memcmp(slots[at].name.bytes, wanted->bytes, wanted->length) == 0)
      return true;
  return false;
}

/* Finds the name further on in the model, in case this object omits members. */
static bool find_in_model(BideFrame *frame, BideName *name) {
  uint32_t left = frame->model_count - frame->model_next;
  uint32_t near = left < LOOK_AHEAD ? left : LOOK_AHEAD;
  const BideMember *next, *found;
  if (left == 0)
    return false;
  next = (const BideMember *)frame->model + frame->model_next;
  found = bide_object_find(next, near, name->bytes, name->length, name->hash);
  if (found == NULL) {
    frame->repeats = frame->repeats || near < left; /* the model may have it beyond LOOK_AHEAD */
    return false;
  }
  name->bytes = found->name;
  frame->expected = &found->value;
  frame->model_next += (uint32_t)(found - next) + 1;
  return true;
}

/* Checks a name that is not in the model for repetition. */
static void check_new_name(BideReader *reader, const BideName *name) {
  BideFrame *frame = reader->frame;
  frame->expected = NULL;
  if (++frame->surprises == PATIENCE)
    frame->model_count = frame->model_next;
  if (reader->top - frame->base >= 2 * FEW_MEMBERS ||
      ((frame->seen & bide_name_bit(name->hash)) != 0 && has_name(reader, name)))
    frame->repeats = true;
}

const char *bide_reader_new_name(BideReader *reader, const char *next) {
  const char *begin = next;
  BideValue string;
  BideName name;
  next = bide_reader_string(reader, next, &string);
  if (next == NULL)
    return NULL;
  name = (BideName){.bytes = string.as.string,
                    .length = string.length,
                    .hash = bide_name_hash(string.as.string, string.length)};
  /* A model is compared with its closing quote, so no quote may follow an unescaped name. */
  if (string.length != (size_t)(next - 1 - begin))
    bide_text_writable(name.bytes)[name.length] = '\0';
  if (!find_in_model(reader->frame, &name))
    check_new_name(reader, &name);
  bide_reader_push_name(reader, name.bytes, name.length, name.hash);
  return next;
}
