/*
** One pass over a copy of the text, without recursion. Children of containers
** that are still open stand on a stack of slots; a container that closes copies
** its children out to the arena, side by side. Strings are borrowed from the
** copy of the text, and unescaped in place, since no escape is shorter than what
** it stands for.
**
** What makes it fast is that it predicts: an object in an array mostly has the
** names of the object before it, in the same order, and so have the objects
** within. So each container has a model, the corresponding container before it,
** where there is one. A name is first compared with the one that the model has
** at this place; where it is equal (one comparison: no scanning, no check of its
** bytes, no hash) pointer, length and hash are taken over. Names from the model, in
** its order, cannot repeat; only others are looked up among those the object has.
*/
#include "json/reader.h"

#include <stdlib.h>
#include <string.h>

#include "json/members.h"
#include "json/number.h"
#include "json/scan.h"
#include "json/text.h"

#define DEFAULT_DEPTH ((size_t)512)
#define LARGEST_DEPTH ((size_t)2000)
#define LARGEST_TEXT ((size_t)UINT32_MAX - 64)
#define FIRST_SLOTS 256

/* The names of this many members are checked one by one; those of more, when the object closes. */
#define FEW_MEMBERS 32

/* How far a name is sought in the model, and how many may be missing before it is given up. */
#define LOOK_AHEAD 32
#define PATIENCE 8

/* The first half of a member; its second half is a value. */
typedef struct Name {
  const char *bytes;
  uint32_t length;
  uint32_t hash;
} Name;

/* An open container. The one that it stands in is saved on the stack, below its children. */
typedef struct Frame {
  const void *model;         /* the children of the container before this one; may be NULL */
  const BideValue *expected; /* the model of the value that comes next, in an object */
  uint64_t seen;             /* a bit for each hash of a name, to rule repetition out */
  uint32_t model_count;
  uint32_t model_next;       /* the member of the model that is expected next */
  uint32_t base;             /* the slot of the first child */
  uint16_t surprises;        /* names that the model did not have */
  bool is_object;
  bool repeats;              /* names have to be made unique at the end */
} Frame;

typedef union Slot {
  BideValue value;
  Name name;
} Slot;

#define FRAME_SLOTS ((sizeof(Frame) + sizeof(Slot) - 1) / sizeof(Slot))
/* What one step may push: a frame, a name and a value. */
#define STEP_SLOTS (FRAME_SLOTS + 2)

typedef struct Reader {
  BideArena *arena;
  BideError *error;
  const char *text; /* our copy; the bytes that were read may be unescaped already */
  const char *end;
  Slot *slots;
  size_t capacity;
  uint32_t top; /* the first free slot */
  Frame frame;
  size_t depth;
  size_t depth_limit;
  Slot first_slots[FIRST_SLOTS];
} Reader;

/* ---- failures ---- */

/* The place is found later, by bide_json_read: here the text may have been unescaped. */
static const char *fail_at(Reader *reader, const char *at, BideErrorCode code,
                           const char *message) {
  bide_error_set(reader->error, code, "%s", message);
  if (reader->error != NULL)
    reader->error->offset = (size_t)(at - reader->text);
  return NULL;
}

static const char *fail_memory(Reader *reader) {
  return fail_at(reader, reader->text, BIDE_ERROR_MEMORY, "not enough memory for the document");
}

/* Says what was found and what could stand there. */
static const char *fail_unexpected(Reader *reader, const char *at, const char *wanted) {
  char found[BIDE_TEXT_FOUND];
  bide_text_found(at, (size_t)(reader->end - at), found);
  bide_error_set(reader->error, BIDE_ERROR_JSON, "found %s where %s should be", found, wanted);
  if (reader->error != NULL)
    reader->error->offset = (size_t)(at - reader->text);
  return NULL;
}

/* ---- strings ---- */

static inline const char *skip_space(const char *next) {
  while ((unsigned char)*next <= ' ') {
    if (*next == '\n' || *next == ' ')
      next = bide_scan_spaces(next + 1);
    else if (*next == '\r' || *next == '\t')
      next++;
    else
      break;
  }
  return next;
}

/* The rest of a string whose plain beginning ends at `next`. Unescapes in place. */
static const char *read_hard_string(Reader *reader, const char *begin, const char *next,
                                    BideValue *value) {
  const char *message;
  char *to = bide_text_writable(next);
  const char *failed = bide_text_unescape(&next, &to, reader->end, &message);
  if (failed != NULL)
    return fail_at(reader, failed, BIDE_ERROR_JSON, message);
  *value = bide_value_string(begin, (size_t)(to - begin));
  return next;
}

/* `next` stands behind the opening quote; returns the place behind the closing one. */
static inline const char *read_string(Reader *reader, const char *next, BideValue *value) {
  const char *stop = bide_scan_plain(next);
  if (*stop != '"')
    return read_hard_string(reader, next, stop, value);
  *value = bide_value_string(next, (size_t)(stop - next));
  return stop + 1;
}

/* ---- names ---- */

static inline uint64_t bit_of(uint32_t hash) {
  return UINT64_C(1) << (hash & 63);
}

static inline void push_name(Reader *reader, const char *bytes, uint32_t length, uint32_t hash) {
  Slot *slot = &reader->slots[reader->top++];
  slot->name.bytes = bytes;
  slot->name.length = length;
  slot->name.hash = hash;
  reader->frame.seen |= bit_of(hash);
}

static bool has_name(const Reader *reader, const Name *wanted) {
  const Slot *slots = reader->slots;
  for (uint32_t at = reader->frame.base; at < reader->top; at += 2)
    if (slots[at].name.hash == wanted->hash && slots[at].name.length == wanted->length &&
        memcmp(slots[at].name.bytes, wanted->bytes, wanted->length) == 0)
      return true;
  return false;
}

/* The model may have the name further on, where this object leaves members out. */
static bool find_in_model(Frame *frame, Name *name) {
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
static void check_new_name(Reader *reader, const Name *name) {
  Frame *frame = &reader->frame;
  frame->expected = NULL;
  if (++frame->surprises == PATIENCE)
    frame->model_count = frame->model_next;
  if (reader->top - frame->base >= 2 * FEW_MEMBERS ||
      ((frame->seen & bit_of(name->hash)) != 0 && has_name(reader, name)))
    frame->repeats = true;
}

/* A name that was not predicted. */
static const char *read_new_name(Reader *reader, const char *next) {
  const char *begin = next;
  BideValue string;
  Name name;
  next = read_string(reader, next, &string);
  if (next == NULL)
    return NULL;
  name = (Name){string.as.string, string.length, bide_name_hash(string.as.string, string.length)};
  /* The byte behind an unescaped name must not look like the quote that ends a plain one. */
  if (string.length != (size_t)(next - 1 - begin))
    bide_text_writable(name.bytes)[name.length] = '\0';
  if (!find_in_model(&reader->frame, &name))
    check_new_name(reader, &name);
  push_name(reader, name.bytes, name.length, name.hash);
  return next;
}

/* The predicted name with its closing quote; NULL where the text has another. */
static inline const char *read_expected_name(Reader *reader, const char *next) {
  Frame *frame = &reader->frame;
  const BideMember *expected;
  const char *stop;
  if (frame->model_next >= frame->model_count)
    return NULL;
  expected = (const BideMember *)frame->model + frame->model_next;
  stop = next + expected->name_length;
  if (!bide_scan_equal(next, expected->name, (size_t)expected->name_length + 1) || *stop != '"')
    return NULL;
  push_name(reader, expected->name, expected->name_length, expected->name_hash);
  frame->expected = &expected->value;
  frame->model_next++;
  return stop + 1;
}

/* A name and its colon; `next` stands where the opening quote should be. */
static inline const char *read_name(Reader *reader, const char *next) {
  const char *behind;
  if (*next != '"')
    return fail_unexpected(reader, next, *next == '}' ? "a name, not a closing brace,"
                                                      : "a name in quotes");
  behind = read_expected_name(reader, next + 1);
  if (behind == NULL)
    behind = read_new_name(reader, next + 1);
  if (behind == NULL)
    return NULL;
  if (*behind != ':')
    behind = skip_space(behind);
  if (*behind != ':')
    return fail_unexpected(reader, behind, "a colon");
  return behind + 1;
}

/* ---- containers ---- */

static bool grow_slots(Reader *reader) {
  size_t capacity = reader->capacity * 2;
  bool first = reader->slots == reader->first_slots;
  Slot *slots;
  if (capacity > UINT32_MAX)
    return false;
  slots = realloc(first ? NULL : reader->slots, capacity * sizeof *slots);
  if (slots == NULL)
    return false;
  if (first)
    memcpy(slots, reader->first_slots, sizeof reader->first_slots);
  reader->slots = slots;
  reader->capacity = capacity;
  return true;
}

static inline bool has_room(Reader *reader) {
  return reader->capacity - reader->top >= STEP_SLOTS || grow_slots(reader);
}

/* The model of an element is the one before it; that of the first, the first of the array's model. */
static inline const BideValue *expected_value(const Reader *reader) {
  const Frame *frame = &reader->frame;
  if (frame->is_object)
    return frame->expected;
  if (reader->top > frame->base)
    return &reader->slots[reader->top - 1].value;
  return frame->model_count > 0 ? frame->model : NULL;
}

static const char *open_container(Reader *reader, const char *at, bool is_object) {
  const BideValue *expected = expected_value(reader);
  uint32_t type = is_object ? BIDE_OBJECT : BIDE_ARRAY;
  bool has_model = expected != NULL && expected->type == type && expected->length > 0;
  if (reader->depth++ == reader->depth_limit)
    return fail_at(reader, at, BIDE_ERROR_LIMIT, "arrays and objects are nested too deeply");
  memcpy(&reader->slots[reader->top], &reader->frame, sizeof reader->frame);
  reader->top += FRAME_SLOTS;
  reader->frame = (Frame){.base = reader->top, .is_object = is_object};
  if (has_model) {
    reader->frame.model = is_object ? (const void *)expected->as.members
                                    : (const void *)expected->as.elements;
    reader->frame.model_count = expected->length;
  }
  return at + 1;
}

/* Copies the children out and puts the container where its frame began. */
static bool close_container(Reader *reader) {
  Frame *frame = &reader->frame;
  size_t slots = reader->top - frame->base;
  size_t count = frame->is_object ? slots / 2 : slots;
  void *children = NULL;
  BideValue value;
  if (slots > 0) {
    children = bide_arena_alloc(reader->arena, slots * sizeof(Slot));
    if (children == NULL)
      return false;
    memcpy(children, &reader->slots[frame->base], slots * sizeof(Slot));
  }
  if (frame->repeats && !bide_members_unique(children, &count))
    return false;
  reader->top = frame->base - (uint32_t)FRAME_SLOTS;
  value = frame->is_object ? bide_value_object(children, count)
                           : bide_value_array(children, count);
  memcpy(frame, &reader->slots[reader->top], sizeof *frame);
  reader->slots[reader->top++].value = value;
  reader->depth--;
  return true;
}

/* ---- values ---- */

static const char *read_number(Reader *reader, const char *at, BideValue *value) {
  const char *next = at;
  switch (bide_number_read(at, &next, value)) {
    case BIDE_NUMBER_OK: return next;
    case BIDE_NUMBER_TOO_LARGE:
      return fail_at(reader, at, BIDE_ERROR_JSON, "the number is larger than any double");
    case BIDE_NUMBER_MALFORMED: break;
  }
  return fail_unexpected(reader, next, *at == '0' ? "the end of the number (no leading zeros)"
                                                  : "a digit");
}

/* Up to 18 digits cannot overflow; what is longer or no integer is left to read_number. */
static inline const char *read_integer(Reader *reader, const char *at, BideValue *value) {
  const char *begin = at + (*at == '-');
  const char *next = begin;
  int64_t integer = 0;
  while ((unsigned char)(*next - '0') < 10 && next - begin < 18)
    integer = integer * 10 + (*next++ - '0');
  if (next == begin || (*begin == '0' && next - begin > 1) || (unsigned char)(*next - '0') < 10 ||
      *next == '.' || (*next | 0x20) == 'e')
    return read_number(reader, at, value);
  *value = bide_value_integer(*at == '-' ? -integer : integer);
  return next;
}

static const char *read_word(Reader *reader, const char *at, BideValue *value) {
  if (memcmp(at, "true", 4) == 0) {
    *value = bide_value_boolean(true);
    return at + 4;
  }
  if (memcmp(at, "false", 5) == 0) {
    *value = bide_value_boolean(false);
    return at + 5;
  }
  if (memcmp(at, "null", 4) == 0) {
    *value = bide_value_null();
    return at + 4;
  }
  return fail_unexpected(reader, at, "a value");
}

static inline const char *read_scalar(Reader *reader, const char *next) {
  BideValue *value = &reader->slots[reader->top].value;
  if (*next == '"')
    next = read_string(reader, next + 1, value);
  else if (*next == '-' || (unsigned char)(*next - '0') < 10)
    next = read_integer(reader, next, value);
  else
    next = read_word(reader, next, value);
  reader->top++;
  return next;
}

static const char *fail_separator(Reader *reader, const char *at) {
  return fail_unexpected(reader, at, reader->frame.is_object ? "a comma or a closing brace"
                                                             : "a comma or a closing bracket");
}

/*
** Behind a value: closes what ends here and returns the place of the next
** value, or of the end of the document when none is open any more.
*/
static inline const char *read_separator(Reader *reader, const char *next) {
  while (reader->depth > 0) {
    if (*next != ',')
      next = skip_space(next);
    if (*next == ',') {
      next = skip_space(next + 1);
      return reader->frame.is_object ? read_name(reader, next) : next;
    }
    if (*next != (reader->frame.is_object ? '}' : ']'))
      return fail_separator(reader, next);
    if (!close_container(reader))
      return fail_memory(reader);
    next++;
  }
  return next;
}

/* Opens a container; an empty one is closed by read_separator. */
static inline const char *read_container(Reader *reader, const char *next, bool *is_empty) {
  bool is_object = *next == '{';
  next = open_container(reader, next, is_object);
  if (next == NULL)
    return NULL;
  next = skip_space(next);
  *is_empty = *next == (is_object ? '}' : ']');
  return is_object && !*is_empty ? read_name(reader, next) : next;
}

/* Returns the place behind the document, or NULL after a failure. */
static const char *read_document(Reader *reader, const char *next) {
  do {
    bool complete = true;
    next = skip_space(next);
    if (!has_room(reader))
      return fail_memory(reader);
    if (*next == '{' || *next == '[') {
      complete = false;
      next = read_container(reader, next, &complete);
    } else {
      next = read_scalar(reader, next);
    }
    if (next != NULL && complete)
      next = read_separator(reader, next);
  } while (next != NULL && reader->depth > 0);
  return next;
}

/* ---- the whole ---- */

static bool within_limits(size_t length, const BideJsonLimits *limits, BideError *error) {
  size_t most = limits == NULL || limits->bytes == 0 ? LARGEST_TEXT : limits->bytes;
  if (most > LARGEST_TEXT)
    most = LARGEST_TEXT;
  if (length > most)
    bide_error_set(error, BIDE_ERROR_LIMIT, "the text is longer than the limit, %zu bytes", most);
  return length <= most;
}

static bool fail_copy(BideError *error) {
  bide_error_set(error, BIDE_ERROR_MEMORY, "not enough memory for the document");
  return false;
}

static size_t depth_limit(const BideJsonLimits *limits) {
  if (limits == NULL || limits->depth == 0)
    return DEFAULT_DEPTH;
  return limits->depth < LARGEST_DEPTH ? limits->depth : LARGEST_DEPTH;
}

static const char *read_whole(Reader *reader) {
  const char *next = reader->text;
  if (memcmp(next, "\xEF\xBB\xBF", 3) == 0)
    return fail_at(reader, next, BIDE_ERROR_JSON, "the text begins with a byte order mark");
  next = read_document(reader, next);
  if (next == NULL)
    return NULL;
  next = skip_space(next);
  if (next != reader->end)
    return fail_unexpected(reader, next, "the end of the text");
  return next;
}

bool bide_json_read(BideArena *arena, const char *text, size_t length,
                    const BideJsonLimits *limits, BideValue *value, BideError *error) {
  Reader reader;
  const char *end;
  if (!within_limits(length, limits, error))
    return false;
  reader.text = bide_text_copy(arena, text, length);
  if (reader.text == NULL)
    return fail_copy(error);
  reader.arena = arena;
  reader.error = error;
  reader.end = reader.text + length;
  reader.slots = reader.first_slots;
  reader.capacity = FIRST_SLOTS;
  reader.top = 0;
  reader.depth = 0;
  reader.depth_limit = depth_limit(limits);
  reader.frame = (Frame){.base = 0};
  end = read_whole(&reader);
  if (end != NULL)
    *value = reader.slots[0].value;
  else if (error != NULL)
    bide_error_locate(error, text, length, error->offset);
  if (reader.slots != reader.first_slots)
    free(reader.slots);
  return end != NULL;
}

bool bide_json_read_next(BideArena *arena, const char *text, size_t length,
                         const BideJsonLimits *limits, BideValue *value,
                         size_t *consumed, BideError *error) {
  size_t end = bide_text_document_end(text, length);
  if (!bide_json_read(arena, text, end, limits, value, error))
    return false;
  *consumed = bide_text_skip_space(text, length, end);
  return true;
}
