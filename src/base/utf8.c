#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

static bool is_continuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

/* Rules out overlong forms, surrogates and too large code points by the second byte. */
static bool second_byte_fits(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second <= 0x9F;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second <= 0x8F;
    default: return true;
  }
}

static size_t length_by_first_byte(unsigned char first) {
  if (first < 0x80)
    return 1;
  if (first < 0xC2)
    return 0;
  if (first < 0xE0)
    return 2;
  if (first < 0xF0)
    return 3;
  return first < 0xF5 ? 4 : 0;
}

size_t bide_utf8_sequence(const char *bytes, size_t available) {
  const unsigned char *byte = (const unsigned char *)bytes;
  size_t length;
  if (available == 0)
    return 0;
  length = length_by_first_byte(byte[0]);
  if (length > available)
    return 0;
  for (size_t i = 1; i < length; i++)
    if (!is_continuation(byte[i]))
      return 0;
  if (length > 1 && !second_byte_fits(byte[0], byte[1]))
    return 0;
  return length;
}

uint32_t bide_utf8_decode(const char *bytes, size_t *length) {
  const unsigned char *byte = (const unsigned char *)bytes;
  uint32_t code_point;
  *length = length_by_first_byte(byte[0]);
  if (*length == 1)
    return byte[0];
  code_point = byte[0] & (0x7Fu >> *length);
  for (size_t i = 1; i < *length; i++)
    code_point = code_point << 6 | (byte[i] & 0x3Fu);
  return code_point;
}

size_t bide_utf8_encode(uint32_t code_point, char *bytes) {
  size_t length = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
  static const unsigned char marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (size_t i = length - 1; i > 0; i--) {
    bytes[i] = (char)(0x80 | (code_point & 0x3F));
    code_point >>= 6;
  }
  bytes[0] = (char)(marks[length] | code_point);
  return length;
}

/* What is not UTF-8 may have any number of bytes that continue none. */
size_t bide_utf8_cut(const char *bytes, size_t length, size_t most) {
  size_t end = most;
  if (length <= most)
    return length;
  while (end > 0 && most - end < 4 && is_continuation((unsigned char)bytes[end]))
    end--;
  return end;
}

size_t bide_utf8_count(const char *bytes, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    count += !is_continuation((unsigned char)bytes[i]);
  return count;
}

static bool is_ascii_word(const char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return (word & UINT64_C(0x8080808080808080)) == 0;
}

size_t bide_utf8_check(const char *bytes, size_t length) {
  size_t i = 0;
  while (i < length) {
    size_t step;
    if (length - i >= sizeof(uint64_t) && is_ascii_word(bytes + i)) {
      i += sizeof(uint64_t);
      continue;
    }
    step = bide_utf8_sequence(bytes + i, length - i);
    if (step == 0)
      return i;
    i += step;
  }
  return length;
}

size_t bide_utf8_repair(const char *bytes, size_t length, char *copy) {
  size_t used = 0;
  for (size_t i = 0; i < length;) {
    size_t step = bide_utf8_sequence(bytes + i, length - i);
    memcpy(copy + used, step > 0 ? bytes + i : "\xEF\xBF\xBD", step > 0 ? step : 3);
    used += step > 0 ? step : 3;
    i += step > 0 ? step : 1;
  }
  return used;
}
