/*
** Names that an object's model did not let expect.
*/
#include "json/reading.h"
#include "json/text.h"

/* The names of this many members are checked one by one; those of more, when the object closes. */
#define FEW_MEMBERS 32

/* How far a name is sought in the model, and how many may be missing before it is given up. */
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

/* The model may have the name further on, where this object leaves members out. */
static bool find_in_model(BideFrame *frame, BideName *name) {
  uint32_t left = frame->model_count - frame->model_next;
  uint32_t near = left < LOOK_AHEAD ? left : LOOK_AHEAD;
  const BideMember *next, *found;
  if (left == 0)
    return false;
  next = (const BideMember *)frame->model + frame->model_next;
  found = bide_object_find(next, near, name->bytes, name->length, name->hash);
  if (found == NULL) {
    frame->repeats = frame->repeats || near < left; /* it may still come */
    return false;
  }
  name->bytes = found->name;
  frame->expected = &found->value;
  frame->model_next += (uint32_t)(found - next) + 1;
  return true;
}

/* A name that the model does not have must be looked up among those before it. */
static void check_new_name(BideReader *reader, const BideName *name) {
  BideFrame *frame = reader->frame;
  frame->expected = NULL;
  if (++frame->surprises == PATIENCE)
    frame->model_count = frame->model_next;
  if (reader->top - frame->base >= 2 * FEW_MEMBERS ||
      ((frame->seen & bide_name_bit(name->hash)) != 0 && has_name(reader, name)))
    frame->repeats = true;
}

/* A name that was not predicted. */
const char *bide_reader_new_name(BideReader *reader, const char *next) {
  const char *begin = next;
  BideValue string;
  BideName name;
  next = bide_reader_string(reader, next, &string);
  if (next == NULL)
    return NULL;
  name = (BideName){.bytes = string.as.string, .length = string.length,
                    .hash = bide_name_hash(string.as.string, string.length)};
  /* The byte behind an unescaped name must not look like the quote that ends a plain one. */
  if (string.length != (size_t)(next - 1 - begin))
    bide_text_writable(name.bytes)[name.length] = '\0';
  if (!find_in_model(reader->frame, &name))
    check_new_name(reader, &name);
  bide_reader_push_name(reader, name.bytes, name.length, name.hash);
  return next;
}
