/*
** A secret value and any text around it. What is written of the text has the value in no way of
** writing, and nothing is read beyond the text.
*/
#include "check.h"
#include "secret/encoded.h"
#include "secret/mask.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST ((size_t)255)

typedef size_t Encode(char *to, const char *value, size_t length);

static size_t encode_plain(char *to, const char *value, size_t length) {
  memcpy(to, value, length);
  return length;
}

static size_t write_hex(char *to, const char *before, char byte, const char *after) {
  static const char digits[] = "0123456789aBcDeF";
  size_t length = strlen(before);
  memcpy(to, before, length);
  to[length++] = digits[(unsigned char)byte >> 4];
  to[length++] = digits[(unsigned char)byte & 15];
  memcpy(to + length, after, strlen(after));
  return length + strlen(after);
}

static size_t encode_for_url(char *to, const char *value, size_t length) {
  size_t end = 0;
  for (size_t i = 0; i < length; i++)
    end += write_hex(to + end, "%", value[i], "");
  return end;
}

/* Bytes beyond ASCII are parts of code points, and are written as they are. */
static size_t encode_all_ascii(char *to, const char *value, size_t length, const char *before,
                               const char *after) {
  size_t end = 0;
  for (size_t i = 0; i < length; i++) {
    if ((unsigned char)value[i] >= 0x80 || value[i] == '\0')
      to[end++] = value[i];
    else
      end += write_hex(to + end, before, value[i], after);
  }
  return end;
}

static size_t encode_for_json(char *to, const char *value, size_t length) {
  return encode_all_ascii(to, value, length, "\\u00", "");
}

static size_t encode_for_html(char *to, const char *value, size_t length) {
  return encode_all_ascii(to, value, length, "&#x", ";");
}

static size_t encode_base64(char *to, const char *value, size_t length) {
  return bide_secret_encoded_base64(to, value, length, (unsigned char)*value % 3,
                                    (unsigned char)*value % 2 ? BIDE_SECRET_BASE64
                                                              : BIDE_SECRET_BASE64_URL);
}

static bool contains(const char *bytes, size_t length, const char *part, size_t part_length) {
  for (size_t i = 0; i + part_length <= length; i++)
    if (memcmp(bytes + i, part, part_length) == 0)
      return true;
  return false;
}

/* Writes the value between two halves of the text, and checks that it is not in what is shown. */
static void check_hidden(const BideSecretMask *mask, Encode *encode, const char *value,
                         size_t value_length, const char *text, size_t length) {
  char written[MOST * 8];
  size_t written_length = encode(written, value, value_length), half = length / 2;
  BideBuffer around, shown;
  bide_buffer_init(&around, 0);
  bide_buffer_init(&shown, 0);
  check(bide_buffer_append(&around, text, half));
  check(bide_buffer_append(&around, written, written_length));
  check(bide_buffer_append(&around, text + half, length - half));
  check(bide_secret_mask_write(mask, &shown, around.bytes, around.length));
  check(!contains(shown.bytes, shown.length, written, written_length));
  bide_buffer_free(&shown);
  bide_buffer_free(&around);
}

/* The mark itself has parts of such a value. */
static bool is_like_the_mark(const char *value, size_t length) {
  return memchr(value, '[', length) != NULL || memchr(value, ']', length) != NULL ||
         contains(BIDE_SECRET_REDACTED, sizeof BIDE_SECRET_REDACTED - 1, value, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Encode *const encoders[] = {encode_plain, encode_for_url, encode_for_json, encode_for_html,
                                     encode_base64};
  size_t length = size > 0 ? data[0] : 0;
  const char *value = (const char *)data + 1;
  BideSecretMask mask;
  if (length < BIDE_SECRET_SHORTEST || size - 1 < length || is_like_the_mark(value, length))
    return 0;
  bide_secret_mask_init(&mask);
  check(bide_secret_mask_add_value(&mask, value, length));
  for (size_t i = 0; i < sizeof encoders / sizeof *encoders; i++)
    check_hidden(&mask, encoders[i], value, length, value + length, size - 1 - length);
  bide_secret_mask_free(&mask);
  return 0;
}
