#include "secret/mask.h"

#include <stdio.h>
#include <string.h>

#include "secret/text.h"

struct BideSecretText {
  BideSecretText *next;
  const char *bytes;
  size_t length;
};

void bide_secret_mask_init(BideSecretMask *mask) {
  memset(mask, 0, sizeof *mask);
  bide_arena_init(&mask->arena, 0);
}

void bide_secret_mask_free(BideSecretMask *mask) {
  bide_arena_free(&mask->arena);
  bide_secret_mask_init(mask); /* leaves no dangling pointers */
}

static bool equals(const BideSecretText *text, const char *bytes, size_t length) {
  return text != NULL && text->length == length && memcmp(text->bytes, bytes, length) == 0;
}

static const BideSecretText *find_equal(const BideSecretText *list, const char *bytes,
                                        size_t length) {
  while (list != NULL && !equals(list, bytes, length))
    list = list->next;
  return list;
}

static bool add(BideSecretMask *mask, BideSecretText **list, const char *bytes, size_t length) {
  BideSecretText *text = bide_arena_alloc(&mask->arena, sizeof *text);
  char *copy = text != NULL ? bide_arena_copy(&mask->arena, bytes, length) : NULL;
  if (copy == NULL)
    return false;
  *text = (BideSecretText){.next = *list, .bytes = copy, .length = length};
  *list = text;
  return true;
}

bool bide_secret_mask_add_name(BideSecretMask *mask, const char *name, size_t length) {
  return add(mask, &mask->names, name, length);
}

bool bide_secret_mask_open_name(BideSecretMask *mask, const char *name, size_t length) {
  return add(mask, &mask->open_name, name, length);
}

/* Hashes the first four bytes to the number of a bit in `beginnings`. */
static uint32_t hash_of(const char *bytes) {
  uint32_t word;
  memcpy(&word, bytes, sizeof word);
  return word * UINT32_C(2654435761) >> 22;
}

bool bide_secret_mask_add_value(BideSecretMask *mask, const char *value, size_t length) {
  uint32_t hash;
  if (length < BIDE_SECRET_SHORTEST || bide_secret_mask_is_open_value(mask, value, length) ||
      find_equal(mask->values, value, length) != NULL ||
      (length == sizeof BIDE_SECRET_REDACTED - 1 &&
       memcmp(value, BIDE_SECRET_REDACTED, length) == 0))
    return true;
  hash = hash_of(value);
  mask->value_count++;
  mask->beginnings[hash / 64] |= UINT64_C(1) << hash % 64;
  return add(mask, &mask->values, value, length);
}

bool bide_secret_mask_collect_value(BideSecretMask *mask, const char *value, size_t length) {
  return mask->value_count >= BIDE_SECRET_MOST_VALUES ||
         bide_secret_mask_add_value(mask, value, length);
}

bool bide_secret_mask_open_value(BideSecretMask *mask, const char *value, size_t length) {
  return add(mask, &mask->open_values, value, length);
}

bool bide_secret_mask_is_general(const BideSecretMask *mask) {
  return mask == NULL || (mask->names == NULL && mask->values == NULL && mask->open_name == NULL &&
                          mask->open_values == NULL);
}

const char *bide_secret_mask_value(const BideSecretMask *mask, size_t number, size_t *length) {
  const BideSecretText *value = mask->values;
  while (value != NULL && number-- > 0)
    value = value->next;
  if (value == NULL)
    return NULL;
  *length = value->length;
  return value->bytes;
}

bool bide_secret_mask_is_open(const BideSecretMask *mask, const char *name, size_t length) {
  return mask != NULL && equals(mask->open_name, name, length);
}

bool bide_secret_mask_is_open_value(const BideSecretMask *mask, const char *value, size_t length) {
  return mask != NULL && find_equal(mask->open_values, value, length) != NULL;
}

BideSecretKind bide_secret_mask_kind(const BideSecretMask *mask, const char *name, size_t length) {
  if (bide_secret_mask_is_open(mask, name, length))
    return BIDE_SECRET_NONE;
  if (mask != NULL && find_equal(mask->names, name, length) != NULL)
    return BIDE_SECRET_ANY;
  return bide_secret_name_kind(name, length);
}

bool bide_secret_mask_knows(const BideSecretMask *mask, BideSecretNames *names, const char *name,
                            size_t length, uint32_t hash) {
  bool has_own = mask != NULL && (mask->names != NULL || mask->open_name != NULL);
  if (has_own)
    return false;
  if (bide_secret_names_have(names, name, length, hash))
    return true;
  return bide_secret_text_is_plain(name, length) &&
         bide_secret_names_add(names, name, length, hash);
}

/* A text that agrees with a value for N bytes has a part of it. */
#define PART ((size_t)64)

/*
** Returns how many bytes of a value `bytes` begins with; 0 if that is too little. What was compared
** is then masked and not compared again, so that long values cost no more than short ones.
*/
static size_t match(const BideSecretText *value, const char *bytes, size_t left) {
  size_t least = value->length < PART ? value->length : PART;
  size_t most = value->length < left ? value->length : left, length = least;
  if (left < least || memcmp(value->bytes, bytes, least) != 0)
    return 0;
  while (length < most && value->bytes[length] == bytes[length])
    length++;
  return length;
}

/* Returns the length of the longest part of a secret value that `bytes` begins with, or 0. */
static size_t match_any(const BideSecretMask *mask, const char *bytes, size_t left) {
  size_t longest = 0;
  uint32_t hash = hash_of(bytes);
  if ((mask->beginnings[hash / 64] >> hash % 64 & 1) == 0)
    return 0;
  for (const BideSecretText *value = mask->values; value != NULL; value = value->next) {
    size_t length = match(value, bytes, left);
    if (length > longest)
      longest = length;
  }
  return longest;
}

/* Finds the first secret value that begins between `from` and `to`. */
static bool find_value(const BideSecretMask *mask, const char *bytes, size_t length, size_t from,
                       size_t to, BideSecretSpan *span) {
  if (mask == NULL || mask->values == NULL)
    return false;
  for (size_t i = from; i < to && length - i >= BIDE_SECRET_SHORTEST; i++) {
    size_t matched = match_any(mask, bytes + i, length - i);
    if (matched == 0)
      continue;
    *span = (BideSecretSpan){.begin = i, .length = matched};
    return true;
  }
  return false;
}

/* Finds the first secret by its form, and skips the idempotency token. */
static bool find_pattern(const BideSecretMask *mask, const char *bytes, size_t length, size_t from,
                         size_t to, BideSecretSpan *span) {
  while (bide_secret_text_find(mask, bytes, length, from, to, span)) {
    if (!bide_secret_mask_is_open_value(mask, bytes + span->begin, span->length))
      return true;
    from = span->begin + span->length;
  }
  return false;
}

/* Values may overlap. A chain of more values is masked as several spans. */
#define LONGEST_CHAIN 32

/* Extends the span over the values that begin within it, and within what that adds. */
static void extend(const BideSecretMask *mask, const char *bytes, size_t length,
                   BideSecretSpan *span) {
  size_t at = mask->values != NULL ? span->begin : length;
  for (int links = 0; links < LONGEST_CHAIN && at < span->begin + span->length &&
                      length - at >= BIDE_SECRET_SHORTEST;
       at++) {
    size_t matched = match_any(mask, bytes + at, length - at);
    links += matched > 0;
    if (at + matched > span->begin + span->length)
      span->length = at + matched - span->begin;
  }
}

/* Bytes that one search covers: a text is not searched to its end for each of its secrets. */
#define WINDOW ((size_t)512)

static bool find_within(const BideSecretMask *mask, const char *bytes, size_t length, size_t from,
                        BideSecretSpan *span) {
  size_t to = length - from < WINDOW ? length : from + WINDOW;
  BideSecretSpan value;
  bool has_pattern = find_pattern(mask, bytes, length, from, to, span);
  if (!find_value(mask, bytes, length, from, has_pattern ? span->begin : to, &value))
    return has_pattern;
  *span = value;
  return true;
}

bool bide_secret_mask_find(const BideSecretMask *mask, const char *bytes, size_t length,
                           BideSecretSpan *span) {
  for (size_t from = 0; from < length; from += WINDOW) {
    if (!find_within(mask, bytes, length, from, span))
      continue;
    if (mask != NULL)
      extend(mask, bytes, length, span);
    return true;
  }
  return false;
}

bool bide_secret_mask_leave_out(BideBuffer *buffer, size_t length) {
  char mark[64];
  int written = snprintf(mark, sizeof mark, "[left out: %.1f MB of text]", (double)length / 1e6);
  return bide_buffer_append(buffer, mark, (size_t)written);
}

bool bide_secret_mask_write(const BideSecretMask *mask, BideBuffer *buffer, const char *bytes,
                            size_t length) {
  BideSecretSpan span;
  if (length > BIDE_SECRET_LONGEST)
    return bide_secret_mask_leave_out(buffer, length);
  while (bide_secret_mask_find(mask, bytes, length, &span)) {
    bide_buffer_append(buffer, bytes, span.begin);
    bide_buffer_append(buffer, BIDE_SECRET_REDACTED, sizeof BIDE_SECRET_REDACTED - 1);
    bytes += span.begin + span.length;
    length -= span.begin + span.length;
  }
  return bide_buffer_append(buffer, bytes, length);
}
