#include "base/shown.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

typedef struct Range {
  uint32_t first, last;
} Range;

/* Control characters of two bytes or more, in ascending order. */
static const Range wide_controls[] = {
  {0x80, 0x9F},     /* C1 */
  {0x61C, 0x61C},   /* the Arabic letter mark */
  {0x180E, 0x180E}, /* zero width */
  {0x200B, 0x200F}, /* zero width; left-to-right and right-to-left marks */
  {0x2028, 0x202E}, /* separators of lines and paragraphs; embeddings, overrides */
  {0x2060, 0x206F}, /* zero width; isolates */
  {0xFEFF, 0xFEFF}, /* the byte order mark */
};

uint32_t bide_shown_wide_control(const char *bytes, size_t available, size_t *length) {
  uint32_t code_point;
  if ((unsigned char)bytes[0] < 0xC2 || bide_utf8_sequence(bytes, available) == 0)
    return 0;
  code_point = bide_utf8_decode(bytes, length);
  for (size_t i = 0; i < sizeof wide_controls / sizeof *wide_controls; i++)
    if (code_point >= wide_controls[i].first && code_point <= wide_controls[i].last)
      return code_point;
  return 0;
}

/* Returns the length of the character at `bytes`, or 0 if it must be escaped. */
static size_t harmless(const char *bytes, size_t available) {
  unsigned char byte = (unsigned char)bytes[0];
  size_t length;
  if (byte < 0x80)
    return byte >= 0x20 && byte != 0x7F;
  return bide_shown_wide_control(bytes, available, &length) != 0
           ? 0
           : bide_utf8_sequence(bytes, available);
}

/* Appends the escape of the character at `bytes`. Returns the length of that character. */
static size_t append_escape(BideBuffer *buffer, const char *bytes, size_t available) {
  char text[16];
  size_t length = 1;
  uint32_t code_point = bide_shown_wide_control(bytes, available, &length);
  int written = code_point != 0
                  ? snprintf(text, sizeof text, "\\u{%04X}", (unsigned)code_point)
                  : snprintf(text, sizeof text, "\\x%02X", (unsigned)(unsigned char)bytes[0]);
  bide_buffer_append(buffer, text, (size_t)written);
  return code_point != 0 ? length : 1;
}

/* Returns how many bytes at the beginning are one character to show as it is; 0 if none are. */
static size_t shown_as_is(const char *bytes, size_t length, bool keeps_tabs) {
  return keeps_tabs && *bytes == '\t' ? 1 : harmless(bytes, length);
}

static void append_escaped(BideBuffer *buffer, const char *bytes, size_t length, bool keeps_tabs) {
  size_t from = 0;
  while (from < length) {
    size_t begin = from, step;
    while (from < length && (step = shown_as_is(bytes + from, length - from, keeps_tabs)) > 0)
      from += step;
    bide_buffer_append(buffer, bytes + begin, from - begin);
    if (from < length)
      from += append_escape(buffer, bytes + from, length - from);
  }
}

static bool append_line(BideBuffer *buffer, const char *bytes, size_t length, bool keeps_tabs) {
  size_t shown = bide_utf8_cut(bytes, length, BIDE_SHOWN_LONGEST);
  char rest[48];
  append_escaped(buffer, bytes, shown, keeps_tabs);
  if (shown < length)
    bide_buffer_append(buffer, rest, (size_t)snprintf(rest, sizeof rest, "… (%zu bytes)", length));
  return !buffer->failed;
}

bool bide_shown_line(BideBuffer *buffer, const char *bytes, size_t length) {
  return append_line(buffer, bytes, length, false);
}

bool bide_shown_lines(BideBuffer *buffer, const char *bytes, size_t length) {
  const char *end;
  while ((end = memchr(bytes, '\n', length)) != NULL) {
    append_line(buffer, bytes, (size_t)(end - bytes), true);
    bide_buffer_append_byte(buffer, '\n');
    length -= (size_t)(end - bytes) + 1;
    bytes = end + 1;
  }
  return append_line(buffer, bytes, length, true);
}
