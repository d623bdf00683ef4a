#include "json/writer.h"

#include <stdio.h>
#include <string.h>

#include "base/shown.h"
#include "json/secret.h"

typedef struct Writer {
  BideBuffer *buffer;
  unsigned flags;
  unsigned level;
  const BideSecretMask *mask;
  BideJsonPlace place; /* of the value being written */
} Writer;

/* ---- strings ---- */

/* Returns how many bytes need no escape. */
static size_t plain_run(const char *bytes, size_t length) {
  size_t run = 0;
  while (run < length && (unsigned char)bytes[run] >= 0x20 && bytes[run] != '"' &&
         bytes[run] != '\\')
    run++;
  return run;
}

static bool write_code_point(BideBuffer *buffer, uint32_t code_point) {
  char text[16];
  int length = snprintf(text, sizeof text, "\\u%04x", (unsigned)code_point);
  return bide_buffer_append(buffer, text, (size_t)length);
}

static bool write_escape(BideBuffer *buffer, char byte) {
  switch (byte) {
    case '"': return bide_buffer_append(buffer, "\\\"", 2);
    case '\\': return bide_buffer_append(buffer, "\\\\", 2);
    case '\b': return bide_buffer_append(buffer, "\\b", 2);
    case '\f': return bide_buffer_append(buffer, "\\f", 2);
    case '\n': return bide_buffer_append(buffer, "\\n", 2);
    case '\r': return bide_buffer_append(buffer, "\\r", 2);
    case '\t': return bide_buffer_append(buffer, "\\t", 2);
    default: return write_code_point(buffer, (unsigned char)byte);
  }
}

static void write_escaped(BideBuffer *buffer, const char *bytes, size_t length) {
  while (length > 0) {
    size_t run = plain_run(bytes, length);
    bide_buffer_append(buffer, bytes, run);
    bytes += run;
    length -= run;
    if (length > 0) {
      write_escape(buffer, *bytes++);
      length--;
    }
  }
}

/* Escapes also the characters that JSON allows and a terminal obeys. */
static void write_for_people(BideBuffer *buffer, const char *bytes, size_t length) {
  size_t from = 0;
  for (size_t i = 0, step; i < length; i += step) {
    uint32_t control = bytes[i] == 0x7F ? 0x7F : 0;
    step = 1;
    if ((unsigned char)bytes[i] >= 0xC2)
      control = bide_shown_wide_control(bytes + i, length - i, &step);
    if (control == 0) {
      step = 1;
      continue;
    }
    write_escaped(buffer, bytes + from, i - from);
    write_code_point(buffer, control);
    from = i + step;
  }
  write_escaped(buffer, bytes + from, length - from);
}

bool bide_json_write_string(BideBuffer *buffer, const char *bytes, size_t length) {
  bide_buffer_append_byte(buffer, '"');
  write_escaped(buffer, bytes, length);
  return bide_buffer_append_byte(buffer, '"');
}

static void write_part(const Writer *writer, const char *bytes, size_t length) {
  bool for_people = (writer->flags & BIDE_JSON_ESCAPE) != 0;
  (for_people ? write_for_people : write_escaped)(writer->buffer, bytes, length);
}

static bool write_text(const Writer *writer, const char *bytes, size_t length) {
  bool is_masked = (writer->flags & BIDE_JSON_REDACT) != 0;
  BideSecretSpan secret;
  bide_buffer_append_byte(writer->buffer, '"');
  if (is_masked && (writer->flags & BIDE_JSON_INPUT) == 0 && length > BIDE_SECRET_LONGEST) {
    bide_secret_mask_leave_out(writer->buffer, length);
    return bide_buffer_append_byte(writer->buffer, '"');
  }
  while (is_masked && bide_secret_mask_find(writer->mask, bytes, length, &secret)) {
    write_part(writer, bytes, secret.begin);
    bide_buffer_append(writer->buffer, BIDE_SECRET_REDACTED, sizeof BIDE_SECRET_REDACTED - 1);
    bytes += secret.begin + secret.length;
    length -= secret.begin + secret.length;
  }
  write_part(writer, bytes, length);
  return bide_buffer_append_byte(writer->buffer, '"');
}

/* ---- containers ---- */

static bool write_value(Writer *writer, const BideValue *value);

static void write_line_break(Writer *writer) {
  if ((writer->flags & BIDE_JSON_INDENT) == 0)
    return;
  bide_buffer_append_byte(writer->buffer, '\n');
  for (unsigned i = 0; i < writer->level; i++)
    bide_buffer_append(writer->buffer, "  ", 2);
}

static void begin_child(Writer *writer, uint32_t position) {
  if (position > 0)
    bide_buffer_append_byte(writer->buffer, ',');
  write_line_break(writer);
}

static bool end_container(Writer *writer, char bracket) {
  writer->level--;
  write_line_break(writer);
  return bide_buffer_append_byte(writer->buffer, bracket);
}

static bool write_redacted(const Writer *writer) {
  return bide_buffer_append(writer->buffer, "\"" BIDE_SECRET_REDACTED "\"",
                            sizeof BIDE_SECRET_REDACTED + 1);
}

/* Writes an element of a list. The strings of a list in a secret member are secret. */
static bool write_element(Writer *writer, const BideValue *element, BideSecretKind kind) {
  return element->type == BIDE_STRING && kind != BIDE_SECRET_NONE ? write_redacted(writer)
                                                                  : write_value(writer, element);
}

static bool write_list(Writer *writer, const BideValue *array, BideSecretKind kind) {
  if (array->length == 0)
    return bide_buffer_append(writer->buffer, "[]", 2);
  bide_buffer_append_byte(writer->buffer, '[');
  writer->level++;
  for (uint32_t i = 0; i < array->length; i++) {
    begin_child(writer, i);
    if (!write_element(writer, &array->as.elements[i], kind))
      return false;
  }
  return end_container(writer, ']');
}

/* Writes an array. Headers may be a list of lines, all of which are secret. */
static bool write_array(Writer *writer, const BideValue *array) {
  return write_list(writer, array, writer->place.in_headers ? BIDE_SECRET_ANY : BIDE_SECRET_NONE);
}

static bool write_member_value(Writer *writer, const BideMember *member) {
  BideJsonPlace place = writer->place;
  BideSecretKind kind = (writer->flags & BIDE_JSON_REDACT) == 0
                          ? BIDE_SECRET_NONE
                          : bide_json_secret_kind(writer->mask, place, member);
  bool written;
  if (bide_json_secret_hides(writer->mask, kind, &member->value))
    return write_redacted(writer);
  writer->place = bide_json_secret_below(place, member);
  written = kind != BIDE_SECRET_NONE && member->value.type == BIDE_ARRAY
              ? write_list(writer, &member->value, kind)
              : write_value(writer, &member->value);
  writer->place = place;
  return written;
}

static bool write_member(Writer *writer, const BideMember *member) {
  write_text(writer, member->name, member->name_length);
  bide_buffer_append(writer->buffer, ": ", (writer->flags & BIDE_JSON_INDENT) != 0 ? 2 : 1);
  return write_member_value(writer, member);
}

static bool write_object(Writer *writer, const BideValue *object) {
  if (object->length == 0)
    return bide_buffer_append(writer->buffer, "{}", 2);
  bide_buffer_append_byte(writer->buffer, '{');
  writer->level++;
  for (uint32_t i = 0; i < object->length; i++) {
    begin_child(writer, i);
    if (!write_member(writer, &object->as.members[i]))
      return false;
  }
  return end_container(writer, '}');
}

/* ---- values ---- */

static bool write_unsigned(BideBuffer *buffer, uint64_t number, bool negative) {
  char text[24];
  char *begin = text + sizeof text;
  do {
    *--begin = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  if (negative)
    *--begin = '-';
  return bide_buffer_append(buffer, begin, (size_t)(text + sizeof text - begin));
}

static bool write_integer(BideBuffer *buffer, int64_t number) {
  return number < 0 ? write_unsigned(buffer, 0 - (uint64_t)number, true)
                    : write_unsigned(buffer, (uint64_t)number, false);
}

static bool write_double(BideBuffer *buffer, double number) {
  char text[BIDE_JSON_NUMBER_TEXT];
  size_t length = bide_json_format_double(number, text);
  return bide_buffer_append(buffer, text, length);
}

static bool write_value(Writer *writer, const BideValue *value) {
  BideBuffer *buffer = writer->buffer;
  switch ((BideType)value->type) {
    case BIDE_NULL: return bide_buffer_append(buffer, "null", 4);
    case BIDE_FALSE: return bide_buffer_append(buffer, "false", 5);
    case BIDE_TRUE: return bide_buffer_append(buffer, "true", 4);
    case BIDE_INTEGER: return write_integer(buffer, value->as.integer);
    case BIDE_UNSIGNED: return write_unsigned(buffer, value->as.unsigned_integer, false);
    case BIDE_DOUBLE: return write_double(buffer, value->as.number);
    case BIDE_STRING: return write_text(writer, value->as.string, value->length);
    case BIDE_ARRAY: return write_array(writer, value);
    case BIDE_OBJECT: return write_object(writer, value);
  }
  return false;
}

bool bide_json_write(BideBuffer *buffer, const BideValue *value, unsigned flags, BideError *error) {
  return bide_json_write_masked(buffer, value, flags, NULL, error);
}

bool bide_json_write_masked(BideBuffer *buffer, const BideValue *value, unsigned flags,
                            const BideSecretMask *mask, BideError *error) {
  bool redacts = (flags & BIDE_JSON_REDACT) != 0;
  Writer writer = {.buffer = buffer,
                   .flags = flags,
                   .mask = mask,
                   .place = {.of_input = redacts && (flags & BIDE_JSON_INPUT) != 0}};
  if (write_value(&writer, value))
    return true;
  if (buffer->limit != 0 && buffer->length > buffer->limit / 2)
    bide_error_set(error, BIDE_ERROR_LIMIT, "the text is longer than the limit, %zu bytes",
                   buffer->limit);
  else
    bide_error_set(error, BIDE_ERROR_MEMORY, "not enough memory for the text");
  return false;
}
