/*
** Writes values without secrets, bide_json_write_clean. Most of their names are known and most of
** their texts are plain, so each is copied as a whole.
*/
#include <string.h>

#include "secret/text.h"
#include "json/writer.h"

/* The bytes between `at` and `end` are room of the buffer, whose length is not counted up yet. */
typedef struct CleanWriter {
  BideBuffer *buffer;
  char *at, *end;
  const BideSecretMask *mask;
  BideSecretNames *names;
  bool has_values; /* whether the mask has secret values, which may be in any text */
} CleanWriter;

static void count_up(CleanWriter *writer) {
  writer->buffer->length = (size_t)(writer->at - writer->buffer->bytes);
}

/* Room is taken for this many more bytes than are needed at once. */
#define ROOM ((size_t)256)

/* Takes room of the buffer after something was appended to that, and for `length` bytes more. */
static bool take_room(CleanWriter *writer, size_t length) {
  writer->at = bide_buffer_reserve(writer->buffer, length + ROOM);
  if (writer->at == NULL) {
    writer->end = NULL;
    return false;
  }
  writer->end = writer->buffer->bytes + writer->buffer->capacity;
  return true;
}

static bool has_room(CleanWriter *writer, size_t length) {
  if ((size_t)(writer->end - writer->at) >= length)
    return true;
  if (writer->at != NULL)
    count_up(writer);
  return take_room(writer, length);
}

static void put_quoted(CleanWriter *writer, const char *bytes, size_t length) {
  *writer->at = '"';
  memcpy(writer->at + 1, bytes, length);
  writer->at[length + 1] = '"';
  writer->at += length + 2;
}

/* Writes a text with the functions for any text, unless it has a secret. */
static bool write_unplain_text(CleanWriter *writer, const char *bytes, size_t length) {
  BideSecretSpan secret;
  if (length > BIDE_SECRET_LONGEST || bide_secret_mask_find(writer->mask, bytes, length, &secret))
    return false;
  count_up(writer);
  return bide_json_write_string(writer->buffer, bytes, length) && take_room(writer, 1);
}

/* The room that is left behind a text is enough for a comma, a colon or a bracket. */
#define MARK ((size_t)1)

/* Appends a text between quotes, unless it has a secret. Most texts are plain, and are copied. */
static bool write_clean_text(CleanWriter *writer, const char *bytes, size_t length) {
  if (!has_room(writer, length + 2 + MARK))
    return false;
  if (writer->has_values || !bide_secret_text_is_plain(bytes, length))
    return write_unplain_text(writer, bytes, length);
  put_quoted(writer, bytes, length);
  return true;
}

/* Appends the name of a member, unless its value is secret. A known name is plain. */
static bool write_clean_name(CleanWriter *writer, const BideMember *member) {
  size_t length = member->name_length;
  if (writer->has_values ||
      !bide_secret_mask_knows(writer->mask, writer->names, member->name, length, member->name_hash))
    return bide_secret_mask_kind(writer->mask, member->name, length) == BIDE_SECRET_NONE &&
           write_clean_text(writer, member->name, length);
  if (!has_room(writer, length + 2 + MARK))
    return false;
  put_quoted(writer, member->name, length);
  return true;
}

static bool write_clean(CleanWriter *writer, const BideValue *value);

static bool write_clean_member(CleanWriter *writer, const BideMember *member) {
  if (!write_clean_name(writer, member))
    return false;
  *writer->at++ = ':';
  return write_clean(writer, &member->value);
}

static bool write_clean_container(CleanWriter *writer, const BideValue *value) {
  bool is_object = value->type == BIDE_OBJECT;
  if (!has_room(writer, 1))
    return false;
  *writer->at++ = is_object ? '{' : '[';
  for (uint32_t i = 0; i < value->length; i++) {
    if (!has_room(writer, 1))
      return false;
    if (i > 0)
      *writer->at++ = ',';
    if (is_object ? !write_clean_member(writer, &value->as.members[i])
                  : !write_clean(writer, &value->as.elements[i]))
      return false;
  }
  if (!has_room(writer, 1))
    return false;
  *writer->at++ = is_object ? '}' : ']';
  return true;
}

/* Writes a number, a boolean or null. */
static bool write_clean_scalar(CleanWriter *writer, const BideValue *value) {
  BideError error;
  count_up(writer);
  return bide_json_write(writer->buffer, value, 0, &error) && take_room(writer, 1);
}

static bool write_clean(CleanWriter *writer, const BideValue *value) {
  if (value->type == BIDE_STRING)
    return write_clean_text(writer, value->as.string, value->length);
  if (value->type == BIDE_ARRAY || value->type == BIDE_OBJECT)
    return write_clean_container(writer, value);
  return write_clean_scalar(writer, value);
}

bool bide_json_write_clean(BideBuffer *buffer, const BideValue *value, const BideSecretMask *mask,
                           BideSecretNames *names) {
  CleanWriter writer = {.buffer = buffer,
                        .mask = mask,
                        .names = names,
                        .has_values = mask != NULL && mask->value_count > 0};
  bool is_written = take_room(&writer, 1) && write_clean(&writer, value);
  if (writer.at != NULL)
    count_up(&writer);
  return is_written;
}
