/*
** The innermost loops over JSON text. They read 16 bytes at a time with SSE2 (which every x86-64
** has) and eight elsewhere. The text must be followed by BIDE_JSON_PADDING readable bytes, the
** first of which is NUL. The NUL stops every loop, so none checks for the end of the text.
*/
#ifndef BIDE_JSON_SCAN_H
#define BIDE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(BIDE_NO_SSE2)
#include <emmintrin.h>
#define BIDE_SCAN_SSE2 1
#else
#define BIDE_SCAN_SSE2 0
#endif

#define BIDE_JSON_PADDING ((size_t)32)

static inline uint64_t bide_load_word(const char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

static inline uint32_t bide_load_half_word(const char *bytes) {
  uint32_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

/* Compares as memcmp, but short strings without a call. Reads no byte beyond `length`. */
static inline bool bide_bytes_equal(const char *a, const char *b, size_t length) {
  if (length > 16)
    return memcmp(a, b, length) == 0;
  if (length >= 8)
    return ((bide_load_word(a) ^ bide_load_word(b)) |
            (bide_load_word(a + length - 8) ^ bide_load_word(b + length - 8))) == 0;
  if (length >= 4)
    return ((bide_load_half_word(a) ^ bide_load_half_word(b)) |
            (bide_load_half_word(a + length - 4) ^ bide_load_half_word(b + length - 4))) == 0;
  return length == 0 ||
         (a[0] == b[0] && a[length / 2] == b[length / 2] && a[length - 1] == b[length - 1]);
}

#if BIDE_SCAN_SSE2

/* Returns a bit for each of the next 16 bytes that is not plain. */
static inline unsigned bide_scan_specials(const char *next) {
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)next);
  __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  /* The comparison is signed, so bytes from 0x80 on are less too. */
  __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
  return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), low));
}

/* Returns the first byte that is not plain: quote, backslash, control character or not ASCII. */
static inline const char *bide_scan_plain(const char *next) {
  for (;;) {
    unsigned specials = bide_scan_specials(next);
    if (specials != 0)
      return next + __builtin_ctz(specials);
    next += 16;
  }
}

/* Returns the first byte that is not a space (0x20). */
static inline const char *bide_scan_spaces(const char *next) {
  for (;;) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)next);
    unsigned others = 0xFFFFu ^
                      (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
    if (others != 0)
      return next + __builtin_ctz(others);
    next += 16;
  }
}

/* Reports whether `length` bytes are equal. Reads up to 15 bytes beyond them. */
static inline bool bide_scan_equal(const char *a, const char *b, size_t length) {
  for (;; a += 16, b += 16, length -= 16) {
    __m128i left = _mm_loadu_si128((const __m128i *)(const void *)a);
    __m128i right = _mm_loadu_si128((const __m128i *)(const void *)b);
    unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(left, right));
    if (length <= 16)
      return ((same ^ 0xFFFFu) & ((1u << length) - 1)) == 0;
    if (same != 0xFFFFu)
      return false;
  }
}

#else

#define BIDE_EACH_BYTE UINT64_C(0x0101010101010101)
#define BIDE_HIGH_BITS UINT64_C(0x8080808080808080)

/* Sets the high bit of each zero byte of `word`; it may also mark the byte above a zero. */
static inline uint64_t bide_zero_bytes(uint64_t word) {
  return (word - BIDE_EACH_BYTE) & ~word & BIDE_HIGH_BITS;
}

static inline bool bide_is_plain_byte(char byte) {
  return (unsigned char)byte >= 0x20 && (unsigned char)byte < 0x80 && byte != '"' && byte != '\\';
}

static inline const char *bide_scan_plain(const char *next) {
  for (;;) {
    uint64_t word = bide_load_word(next);
    uint64_t specials = bide_zero_bytes(word ^ BIDE_EACH_BYTE * '"') |
                        bide_zero_bytes(word ^ BIDE_EACH_BYTE * '\\') |
                        ((word - BIDE_EACH_BYTE * 0x20) & BIDE_HIGH_BITS) | (word & BIDE_HIGH_BITS);
    if (specials != 0)
      break;
    next += 8;
  }
  while (bide_is_plain_byte(*next))
    next++;
  return next;
}

static inline const char *bide_scan_spaces(const char *next) {
  while (*next == ' ')
    next++;
  return next;
}

static inline bool bide_scan_equal(const char *a, const char *b, size_t length) {
  return memcmp(a, b, length) == 0;
}

#endif

#endif
