#include "json/text.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "json/scan.h"

char *bide_text_copy(BideArena *arena, const char *text, size_t length) {
  char *copy = bide_arena_alloc(arena, length + BIDE_JSON_PADDING);
  if (copy == NULL)
    return NULL;
  if (length > 0)
    memcpy(copy, text, length);
  memset(copy + length, 0, BIDE_JSON_PADDING);
  return copy;
}

char *bide_text_writable(const char *bytes) {
  return (char *)(uintptr_t)bytes;
}

/* ---- escapes ---- */

#define REPLACEMENT 0xFFFD

/* Reads the four digits after \u; -1 if there are fewer. The NUL after the text stops it. */
static int32_t hex_code(const char *next) {
  int32_t code = 0;
  for (int i = 0; i < 4; i++) {
    int digit = bide_hex_digit(next[i]);
    if (digit < 0)
      return -1;
    code = code << 4 | digit;
  }
  return code;
}

static bool is_high_surrogate(int32_t code) {
  return code >= 0xD800 && code <= 0xDBFF;
}

static bool is_low_surrogate(int32_t code) {
  return code >= 0xDC00 && code <= 0xDFFF;
}

/* Reads an escaped low surrogate at `next`; -1 if it is something else. */
static int32_t low_surrogate(const char *next) {
  int32_t code = next[0] == '\\' && next[1] == 'u' ? hex_code(next + 2) : -1;
  return is_low_surrogate(code) ? code : -1;
}

/* Unescapes \uXXXX; `*next` is at the u. Returns the message of a failure, or NULL. */
static const char *unescape_code(const char **next, char **to, size_t *lone) {
  int32_t code = hex_code(*next + 1), low = -1;
  *next += 5;
  if (code < 0)
    return "\\u is not followed by four hexadecimal digits";
  if (is_high_surrogate(code))
    low = low_surrogate(*next);
  if (low >= 0) {
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    *next += 6;
  } else if (is_high_surrogate(code) || is_low_surrogate(code)) {
    if (lone == NULL)
      return is_low_surrogate(code) ? "a low surrogate does not follow a high one"
                                    : "a high surrogate is not followed by a low one";
    ++*lone;
    code = REPLACEMENT;
  }
  *to += bide_utf8_encode((uint32_t)code, *to);
  return NULL;
}

static char simple_escape(char byte) {
  switch (byte) {
    case '"': return '"';
    case '\\': return '\\';
    case '/': return '/';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
  }
}

/* Unescapes one character; `*next` is after the backslash. Returns a message, or NULL. */
static const char *unescape_one(const char **next, char **to, size_t *lone) {
  char byte = simple_escape(**next);
  if (**next == 'u')
    return unescape_code(next, to, lone);
  if (byte == '\0')
    return "a backslash is not followed by a valid escape";
  *(*to)++ = byte;
  ++*next;
  return NULL;
}

static const char *wrong_byte(const char *at, const char *end) {
  if (at >= end)
    return "the string has no closing quote";
  if ((unsigned char)*at < 0x20)
    return "a control character in a string must be escaped";
  return "the text is not UTF-8";
}

/* Moves a run of plain characters at once. */
static void move_plain(const char **next, char **to) {
  size_t length = (size_t)(bide_scan_plain(*next) - *next);
  memmove(*to, *next, length);
  *to += length;
  *next += length;
}

const char *bide_text_unescape(const char **next, char **to, const char *end, size_t *lone,
                               const char **message) {
  while (**next != '"') {
    const char *at = *next;
    size_t length;
    if (*at == '\\') {
      ++*next;
      *message = unescape_one(next, to, lone);
      if (*message != NULL)
        return at;
      move_plain(next, to);
      continue;
    }
    length = (unsigned char)*at < 0x20 ? 0 : bide_utf8_sequence(at, (size_t)(end - at));
    if (length == 0) {
      *message = wrong_byte(at, end);
      return at;
    }
    for (size_t i = 0; i < length; i++)
      *(*to)++ = at[i];
    *next += length;
  }
  ++*next;
  return NULL;
}

/* ---- places ---- */

void bide_text_found(const char *at, size_t available, char found[BIDE_TEXT_FOUND]) {
  size_t length = bide_utf8_sequence(at, available);
  if (available == 0)
    snprintf(found, BIDE_TEXT_FOUND, "the end");
  else if (length == 0 || (unsigned char)*at < 0x20 || *at == 0x7F)
    snprintf(found, BIDE_TEXT_FOUND, "the byte 0x%02X", (unsigned char)*at);
  else if (*at == '\'')
    snprintf(found, BIDE_TEXT_FOUND, "\"'\"");
  else
    snprintf(found, BIDE_TEXT_FOUND, "'%.*s'", (int)length, at);
}

size_t bide_text_skip_space(const char *text, size_t length, size_t from) {
  while (from < length && bide_is_blank(text[from]))
    from++;
  return from;
}

static size_t string_end(const char *text, size_t length, size_t at) {
  for (at++; at < length && text[at] != '"'; at++)
    at += text[at] == '\\';
  return at < length ? at + 1 : length;
}

static size_t word_end(const char *text, size_t length, size_t at) {
  while (at < length && !bide_is_blank(text[at]) && strchr("[]{}\",:", text[at]) == NULL)
    at++;
  return at;
}

/* Returns the end of the string, word or bracket at `at`, and counts brackets in `*depth`. */
static size_t token_end(const char *text, size_t length, size_t at, size_t *depth) {
  switch (text[at]) {
    case '"': return string_end(text, length, at);
    case '[':
    case '{': ++*depth; return at + 1;
    case ']':
    case '}': *depth -= *depth > 0; return at + 1;
    case ':':
    case ',': return at + 1;
    default: return word_end(text, length, at);
  }
}

size_t bide_text_document_end(const char *text, size_t length) {
  size_t at = bide_text_skip_space(text, length, 0);
  size_t depth = 0;
  if (at == length)
    return length;
  do {
    size_t end = token_end(text, length, at, &depth);
    at = bide_text_skip_space(text, length, end > at ? end : at + 1);
    if (depth == 0)
      return end > length ? length : end;
  } while (at < length);
  return length;
}
