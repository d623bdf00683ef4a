/*
** Reads in one pass over a copy of the text, without recursion. The children of open containers
** are kept on a stack of slots. When a container closes, its children are copied to the arena,
** where they are contiguous. Strings borrow from the copy of the text and are unescaped in place,
** since no escape is shorter than the character it represents.
**
** Prediction makes it fast. An object in an array usually has the names of the object before it,
** in the same order, and so do nested objects. Each container therefore has a model: the
** corresponding earlier container, if there is one. A name is first compared with the next name
** of the model. If they are equal, pointer, length and hash are copied from the model: one
** comparison replaces scanning, checking and hashing. Names taken from the model in its order
** cannot repeat; only other names are sought among the earlier members of the object.
*/
#include "json/reader.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "json/members.h"
#include "json/number.h"
#include "json/scan.h"
#include "json/text.h"

#define LARGEST_TEXT ((size_t)UINT32_MAX - 64)

/* Slots and frames on the C stack; deeper or wider documents allocate more. */
#define FIRST_SLOTS 256
#define FIRST_FRAMES 32

/* The first half of a member; the second half is its value. */
typedef struct Name {
  union {
    const char *bytes;
    uint64_t width; /* as in BideMember */
  };
  uint32_t length;
  uint32_t hash;
} Name;

_Static_assert(offsetof(Name, length) == offsetof(BideMember, name_length) &&
                 offsetof(Name, hash) == offsetof(BideMember, name_hash) &&
                 sizeof(Name) == offsetof(BideMember, value),
               "two slots, a name and a value, have the layout of a member");

/* An open container. */
typedef struct Frame {
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
} Frame;

typedef union Slot {
  BideValue value;
  Name name;
} Slot;

_Static_assert(sizeof(Slot) == sizeof(BideValue), "the slots of an array are its elements");

/* Slots that one step may push: a name and a value. */
#define STEP 2

typedef struct Reader {
  BideArena *arena;
  BideError *error;
  const char *text; /* our copy; strings that were read are unescaped in place */
  const char *end;
  Slot *slots;
  size_t capacity;
  uint32_t top; /* the first free slot */
  Frame *frames;
  Frame *frame; /* of the innermost container; the outermost is the document's */
  size_t frames_capacity;
  BideJsonRepairs *repairs; /* NULL if the reader is strict */
  bool is_unique;           /* whether a repeated name is a failure */
  Slot first_slots[FIRST_SLOTS];
  Frame first_frames[FIRST_FRAMES];
} Reader;

/* ---- failures ---- */

/* Records only the offset: bide_json_read finds line and column in the original text. */
static const char *fail(Reader *reader, const char *at, BideErrorCode code, const char *message) {
  bide_error_set(reader->error, code, "%s", message);
  if (reader->error != NULL)
    reader->error->offset = (size_t)(at - reader->text);
  return NULL;
}

static const char *fail_memory(Reader *reader) {
  return fail(reader, reader->text, BIDE_ERROR_MEMORY, "not enough memory for the document");
}

/* Records that `at` holds something else than `wanted`. Returns NULL. */
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

/*
** Reads the rest of a string whose plain beginning ends at `next`. Returns the place after the
** closing quote, or NULL after a failure.
*/
static const char *read_hard_string(Reader *reader, const char *begin, const char *next,
                                    BideValue *value) {
  const char *message;
  char *to = bide_text_writable(next);
  size_t *lone = reader->repairs != NULL ? &reader->repairs->surrogates : NULL;
  const char *failed = bide_text_unescape(&next, &to, reader->end, lone, &message);
  if (failed != NULL)
    return fail(reader, failed, BIDE_ERROR_JSON, message);
  *value = bide_value_string(begin, (size_t)(to - begin));
  return next;
}

/* Reads a string whose opening quote is before `next`, with the same result. */
static inline const char *read_string(Reader *reader, const char *next, BideValue *value) {
  const char *stop = bide_scan_plain(next);
  if (*stop != '"')
    return read_hard_string(reader, next, stop, value);
  *value = bide_value_string(next, (size_t)(stop - next));
  return stop + 1;
}

/* ---- names ---- */

static inline uint64_t name_bit(uint32_t hash) {
  return UINT64_C(1) << (hash & 63);
}

static inline void push_name(Reader *reader, const char *bytes, uint32_t length, uint32_t hash) {
  Slot *slot = &reader->slots[reader->top++];
  slot->name.bytes = bytes;
  slot->name.length = length;
  slot->name.hash = hash;
  reader->frame->seen |= name_bit(hash);
}

/* Repetitions are sought one by one among this many members, and at the end of larger objects. */
#define FEW_MEMBERS 32

/* How far a name is sought in the model, and how many unknown names make the reader drop it. */
#define LOOK_AHEAD 32
#define PATIENCE 8

static bool has_name(const Reader *reader, const Name *wanted) {
  const Slot *slots = reader->slots;
  for (uint32_t at = reader->frame->base; at < reader->top; at += 2)
    if (slots[at].name.hash == wanted->hash && slots[at].name.length == wanted->length &&
        memcmp(slots[at].name.bytes, wanted->bytes, wanted->length) == 0)
      return true;
  return false;
}

/* Finds the name further on in the model, in case this object omits members. */
static bool find_in_model(Frame *frame, Name *name) {
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
static void check_new_name(Reader *reader, const Name *name) {
  Frame *frame = reader->frame;
  frame->expected = NULL;
  if (++frame->surprises == PATIENCE)
    frame->model_count = frame->model_next;
  if (reader->top - frame->base >= 2 * FEW_MEMBERS ||
      ((frame->seen & name_bit(name->hash)) != 0 && has_name(reader, name)))
    frame->repeats = true;
}

/*
** Reads a name that was not predicted; `next` is the byte after its opening quote. It is not inline
** since most names are predicted, and the code that reads those stays short.
*/
__attribute__((noinline)) static const char *read_new_name(Reader *reader, const char *next) {
  const char *begin = next;
  BideValue string;
  Name name;
  next = read_string(reader, next, &string);
  if (next == NULL)
    return NULL;
  name = (Name){.bytes = string.as.string,
                .length = string.length,
                .hash = bide_name_hash(string.as.string, string.length)};
  /* A model is compared with its closing quote, so no quote may follow an unescaped name. */
  if (string.length != (size_t)(next - 1 - begin))
    bide_text_writable(name.bytes)[name.length] = '\0';
  if (!find_in_model(reader->frame, &name))
    check_new_name(reader, &name);
  push_name(reader, name.bytes, name.length, name.hash);
  return next;
}

/* Reads the predicted name and its closing quote. Returns NULL if the text has another name. */
static inline const char *read_expected_name(Reader *reader, const char *next) {
  Frame *frame = reader->frame;
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

/* Reads a name and its colon; `next` is where the opening quote should be. */
static inline const char *read_name(Reader *reader, const char *next) {
  const char *after;
  if (*next != '"')
    return fail_unexpected(reader, next,
                           *next == '}' ? "the name of another member" : "a name in quotes");
  after = read_expected_name(reader, next + 1);
  if (after == NULL)
    after = read_new_name(reader, next + 1);
  if (after == NULL)
    return NULL;
  if (*after != ':')
    after = skip_space(after);
  if (*after != ':')
    return fail_unexpected(reader, after, "a colon");
  return after + 1;
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

static bool grow_frames(Reader *reader) {
  size_t depth = (size_t)(reader->frame - reader->frames);
  bool first = reader->frames == reader->first_frames;
  Frame *frames = realloc(first ? NULL : reader->frames,
                          reader->frames_capacity * 2 * sizeof *frames);
  if (frames == NULL)
    return false;
  if (first)
    memcpy(frames, reader->first_frames, sizeof reader->first_frames);
  reader->frames = frames;
  reader->frame = frames + depth;
  reader->frames_capacity *= 2;
  return true;
}

static inline size_t depth_of(const Reader *reader) {
  return (size_t)(reader->frame - reader->frames);
}

static const char *fail_depth(Reader *reader, const char *at) {
  return fail(
    reader, at, BIDE_ERROR_LIMIT,
    "arrays and objects are nested too deeply, beyond " BIDE_IN_TEXT(BIDE_DEPTH) " levels");
}

static inline bool has_room(Reader *reader) {
  return reader->capacity - reader->top >= STEP || grow_slots(reader);
}

/* The model of an element is the element before it; of the first one, the first of the model. */
static inline const BideValue *expected_value(const Reader *reader) {
  const Frame *frame = reader->frame;
  if (frame->is_object)
    return frame->expected;
  if (reader->top > frame->base)
    return &reader->slots[reader->top - 1].value;
  return frame->model_count > 0 ? frame->model : NULL;
}

static const char *open_container(Reader *reader, const char *at, bool is_object) {
  const BideValue *expected = expected_value(reader);
  BideType type = is_object ? BIDE_OBJECT : BIDE_ARRAY;
  bool has_model = expected != NULL && expected->type == type && expected->length > 0;
  if (depth_of(reader) == BIDE_DEPTH)
    return fail_depth(reader, at);
  if (depth_of(reader) + 1 == reader->frames_capacity && !grow_frames(reader))
    return fail_memory(reader);
  *++reader->frame = (Frame){.base = reader->top, .is_object = is_object};
  if (has_model) {
    reader->frame->model = is_object ? (const void *)expected->as.members
                                     : (const void *)expected->as.elements;
    reader->frame->model_count = expected->length;
  }
  return at + 1;
}

/* Usually copies few slots, for which a loop is faster than memcpy. */
static inline void copy_slots(Slot *to, const Slot *from, size_t count) {
  for (size_t i = 0; i < count; i++)
    to[i] = from[i];
}

/* The most bytes of a name in a message. */
#define LONGEST_NAME 80

static void fail_repeated(Reader *reader, const char *name, size_t length) {
  char message[LONGEST_NAME + 64];
  size_t most = bide_utf8_cut(name, length, LONGEST_NAME);
  snprintf(message, sizeof message, "the member \"%.*s%s\" is given twice", (int)most, name,
           most < length ? "…" : "");
  fail(reader, name - 1, BIDE_ERROR_JSON, message);
}

/*
** Finds the first name of the innermost object that repeats an earlier one, and records it as a
** failure. `kept` are the members without repetitions: up to that name they are those of the slots.
** A name that was taken from a model lies in an earlier object: the later place of the two counts.
*/
static void refuse_repeated(Reader *reader, const BideMember *kept, size_t count) {
  const Slot *slots = &reader->slots[reader->frame->base];
  const Name *repeated;
  const char *place;
  size_t at = 0;
  while (at < count && slots[2 * at].name.bytes == kept[at].name)
    at++;
  repeated = &slots[2 * at].name;
  place = repeated->bytes;
  for (size_t i = 0; i < at; i++)
    if (slots[2 * i].name.length == repeated->length &&
        memcmp(slots[2 * i].name.bytes, repeated->bytes, repeated->length) == 0 &&
        slots[2 * i].name.bytes > place)
      place = slots[2 * i].name.bytes;
  fail_repeated(reader, place, repeated->length);
}

/* The most that comparing two values of a member may cost; beyond it they count as different. */
#define COMPARED UINT64_C(10000)

/*
** Notes the members of the innermost object whose first and last values differ. `kept` are the
** members without repetitions, in the order of their first places.
*/
static void note_repeated(Reader *reader, const BideMember *kept, size_t count) {
  const Slot *slots = &reader->slots[reader->frame->base];
  for (size_t at = 0, i = 0; at < count; i++) {
    uint64_t work = COMPARED;
    if (slots[2 * i].name.bytes != kept[at].name)
      continue;
    if (!bide_value_equal_within(&slots[2 * i + 1].value, &kept[at].value, &work))
      bide_json_repairs_add_repeated(reader->repairs, kept[at].name, kept[at].name_length);
    at++;
  }
}

/*
** Moves the children to the arena and pushes the container in their place. Returns false after a
** failure.
*/
static bool close_container(Reader *reader) {
  Frame *frame = reader->frame;
  size_t slots = reader->top - frame->base;
  size_t count = frame->is_object ? slots / 2 : slots;
  void *children = NULL;
  BideValue value;
  if (slots > 0) {
    children = bide_arena_alloc(reader->arena, slots * sizeof(Slot));
    if (children == NULL)
      return fail_memory(reader) != NULL;
    copy_slots(children, &reader->slots[frame->base], slots);
  }
  if (frame->repeats && !bide_members_unique(children, &count))
    return fail_memory(reader) != NULL;
  if (reader->is_unique && frame->is_object && count < slots / 2) {
    refuse_repeated(reader, children, count);
    return false;
  }
  if (frame->repeats && reader->repairs != NULL && count < slots / 2)
    note_repeated(reader, children, count);
  reader->top = frame->base;
  reader->frame--;
  value = (BideValue){.type = frame->is_object ? BIDE_OBJECT : BIDE_ARRAY,
                      .depth = (uint16_t)(frame->deepest + 1),
                      .length = (uint32_t)count,
                      .as.elements = children};
  if (value.depth > reader->frame->deepest)
    reader->frame->deepest = value.depth;
  reader->slots[reader->top++].value = value;
  return true;
}

/* ---- values ---- */

/* Repairs a number beyond the largest double, which ends at `next`; fails if strict. */
static const char *read_too_large(Reader *reader, const char *at, const char *next,
                                  BideValue *value) {
  if (reader->repairs == NULL)
    return fail(reader, at, BIDE_ERROR_JSON, "the number is larger than any double");
  reader->repairs->numbers++;
  *value = bide_value_double(*at == '-' ? -DBL_MAX : DBL_MAX);
  return next;
}

static const char *read_number(Reader *reader, const char *at, BideValue *value) {
  const char *next = bide_number_read_short(at, value);
  if (next != NULL)
    return next;
  next = at;
  switch (bide_number_read(at, &next, value)) {
    case BIDE_NUMBER_OK: return next;
    case BIDE_NUMBER_TOO_LARGE: return read_too_large(reader, at, next, value);
    case BIDE_NUMBER_MALFORMED: break;
  }
  if (*at == '0')
    return fail_unexpected(reader, next, "the end of the number (no leading zeros)");
  return fail_unexpected(reader, next, "a digit");
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
    next = read_number(reader, next, value);
  else
    next = read_word(reader, next, value);
  reader->top++;
  return next;
}

static const char *fail_separator(Reader *reader, const char *at) {
  if (reader->frame->is_object)
    return fail_unexpected(reader, at, "a comma or a closing brace");
  return fail_unexpected(reader, at, "a comma or a closing bracket");
}

/*
** Reads what follows a value and closes the containers that end here. Returns the place of the
** next value, or the end of the document once no container is open.
*/
static inline const char *read_separator(Reader *reader, const char *next) {
  while (reader->frame > reader->frames) {
    if (*next != ',')
      next = skip_space(next);
    if (*next == ',') {
      next = skip_space(next + 1);
      return reader->frame->is_object ? read_name(reader, next) : next;
    }
    if (*next != (reader->frame->is_object ? '}' : ']'))
      return fail_separator(reader, next);
    if (!close_container(reader))
      return NULL;
    next++;
  }
  return next;
}

/* Opens a container. An empty one is left for read_separator to close. */
static inline const char *read_container(Reader *reader, const char *next, bool *is_empty) {
  bool is_object = *next == '{';
  next = open_container(reader, next, is_object);
  if (next == NULL)
    return NULL;
  next = skip_space(next);
  *is_empty = *next == (is_object ? '}' : ']');
  return is_object && !*is_empty ? read_name(reader, next) : next;
}

/* Reads a document. Returns the place after it, or NULL after a failure. */
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
  } while (next != NULL && reader->frame > reader->frames);
  return next;
}

/* ---- documents ---- */

static bool within_limits(size_t length, const BideJsonOptions *options, BideError *error) {
  size_t most = options == NULL || options->bytes == 0 ? LARGEST_TEXT : options->bytes;
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

static BideJsonRepairs *start_repairs(const BideJsonOptions *options) {
  if (options == NULL || options->repairs == NULL)
    return NULL;
  *options->repairs = (BideJsonRepairs){0};
  return options->repairs;
}

/* Returns the message for a text that begins with a byte order mark, or NULL. */
static const char *foreign_beginning(const char *text) {
  if (memcmp(text, "\xEF\xBB\xBF", 3) == 0)
    return "found a byte order mark, which JSON does not allow";
  if (memcmp(text, "\xFE\xFF", 2) == 0 || memcmp(text, "\xFF\xFE", 2) == 0)
    return "found UTF-16 where UTF-8 should be";
  return NULL;
}

static const char *read_whole(Reader *reader) {
  const char *next = reader->text;
  const char *message = foreign_beginning(next);
  if (message != NULL)
    return fail(reader, next, BIDE_ERROR_JSON, message);
  next = read_document(reader, next);
  if (next == NULL)
    return NULL;
  next = skip_space(next);
  if (next != reader->end)
    return fail_unexpected(reader, next, "the end of the text");
  return next;
}

bool bide_json_read(BideArena *arena, const char *text, size_t length,
                    const BideJsonOptions *options, BideValue *value, BideError *error) {
  Reader reader;
  const char *end;
  if (!within_limits(length, options, error))
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
  reader.repairs = start_repairs(options);
  reader.is_unique = options != NULL && options->is_unique;
  reader.frames = reader.frame = reader.first_frames;
  reader.frames_capacity = FIRST_FRAMES;
  *reader.frame = (Frame){.base = 0};
  end = read_whole(&reader);
  if (end != NULL)
    *value = reader.slots[0].value;
  else if (error != NULL)
    bide_error_locate(error, text, length, error->offset);
  if (reader.slots != reader.first_slots)
    free(reader.slots);
  if (reader.frames != reader.first_frames)
    free(reader.frames);
  return end != NULL;
}

bool bide_json_read_next(BideArena *arena, const char *text, size_t length,
                         const BideJsonOptions *options, BideValue *value, size_t *consumed,
                         BideError *error) {
  size_t end = bide_text_document_end(text, length);
  if (!bide_json_read(arena, text, end, options, value, error))
    return false;
  *consumed = bide_text_skip_space(text, length, end);
  return true;
}
