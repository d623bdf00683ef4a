#include "secret/mask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "secret/encoded.h"
#include "secret/text.h"

struct BideSecretText {
  BideSecretText *next;
  const char *bytes;
  size_t length;
  BideSecretText *peer; /* the next one that is sought and has a similar hash */
  uint32_t hash;
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

#define HASHED 4

/*
** Hashes the first four bytes to the number of a bit in `beginnings`. A blank counts as "+", as a
** form writes it.
*/
static uint32_t hash_of(const char *bytes) {
  uint32_t word = 0;
  for (int i = 0; i < HASHED; i++)
    word = word << 8 | (unsigned char)(bytes[i] == ' ' ? '+' : bytes[i]);
  return word * UINT32_C(2654435761) >> 20;
}

#define BUCKET(hash) ((hash) % 64)

/* Adds a text to a list, and to what is sought. */
static bool add_sought(BideSecretMask *mask, BideSecretText **list, const char *bytes,
                       size_t length) {
  BideSecretText *text;
  if (!add(mask, list, bytes, length))
    return false;
  text = *list;
  text->hash = hash_of(bytes);
  text->peer = mask->sought[BUCKET(text->hash)];
  mask->sought[BUCKET(text->hash)] = text;
  mask->beginnings[text->hash / 64] |= UINT64_C(1) << text->hash % 64;
  return true;
}

/* Adds the base64 of a value, which depends on the number of bytes before it. */
static bool add_base64(BideSecretMask *mask, const char *value, size_t length, char *room) {
  BideSecretText *list = NULL; /* they are no values, but sought */
  for (unsigned i = 0; i < 6; i++) {
    BideSecretAlphabet alphabet = i % 2 == 0 ? BIDE_SECRET_BASE64 : BIDE_SECRET_BASE64_URL;
    size_t letters = bide_secret_encoded_base64(room, value, length, i / 2, alphabet);
    if (find_equal(list, room, letters) == NULL && !add_sought(mask, &list, room, letters))
      return false;
  }
  return true;
}

static bool add_encoded(BideSecretMask *mask, const char *value, size_t length) {
  char *room = malloc(BIDE_SECRET_BASE64_SIZE(length));
  bool has_room = room != NULL && add_base64(mask, value, length, room);
  free(room);
  return has_room;
}

bool bide_secret_mask_add_value(BideSecretMask *mask, const char *value, size_t length) {
  if (length < BIDE_SECRET_SHORTEST || bide_secret_mask_is_open_value(mask, value, length) ||
      find_equal(mask->values, value, length) != NULL ||
      (length == sizeof BIDE_SECRET_REDACTED - 1 &&
       memcmp(value, BIDE_SECRET_REDACTED, length) == 0))
    return true;
  mask->value_count++;
  return add_sought(mask, &mask->values, value, length) && add_encoded(mask, value, length);
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
** Returns how many bytes of a text are a beginning of a value; 0 if that is too little. What was
** compared is then masked and not compared again, so that long values cost no more than short ones.
*/
static size_t match(const BideSecretText *value, BideSecretEscape escape, const char *bytes,
                    size_t left) {
  size_t least = value->length < PART ? value->length : PART, matched = 0, at = 0;
  while (matched < value->length && at < left) {
    char unit[BIDE_SECRET_UNIT];
    size_t taken, count = bide_secret_encoded_read(escape, bytes + at, left - at, unit, &taken);
    if (count > value->length - matched || memcmp(value->bytes + matched, unit, count) != 0) {
      if (bytes[at] != value->bytes[matched])
        break;
      count = taken = 1; /* it was left as it is, as "+" in a path */
    }
    matched += count;
    at += taken;
  }
  return matched >= least ? at : 0;
}

/* Returns the hash of the first bytes, with those that escapes mean. */
static uint32_t escaped_hash_of(BideSecretEscape escape, const char *bytes, size_t left) {
  char first[HASHED + BIDE_SECRET_UNIT];
  size_t length = 0;
  for (size_t at = 0, taken; at < left && length < HASHED; at += taken)
    length += bide_secret_encoded_read(escape, bytes + at, left - at, first + length, &taken);
  return hash_of(length >= HASHED ? first : bytes);
}

static bool begins(const BideSecretMask *mask, uint32_t hash) {
  return (mask->beginnings[hash / 64] >> hash % 64 & 1) != 0;
}

static size_t match_with(const BideSecretMask *mask, BideSecretEscape escape, const char *bytes,
                         size_t left) {
  uint32_t hash = escaped_hash_of(escape, bytes, left);
  const BideSecretText *text = begins(mask, hash) ? mask->sought[BUCKET(hash)] : NULL;
  size_t longest = 0;
  for (; text != NULL; text = text->peer) {
    size_t length = text->hash == hash ? match(text, escape, bytes, left) : 0;
    if (length > longest)
      longest = length;
  }
  return longest;
}

/* Returns the length of the longest part of a secret value that `bytes` begins with, or 0. */
static size_t match_any(const BideSecretMask *mask, const char *bytes, size_t left) {
  size_t longest = 0;
  if (!begins(mask, hash_of(bytes)) && !bide_secret_encoded_is_near(bytes))
    return 0;
  for (int escape = 0; escape < BIDE_SECRET_ESCAPES; escape++) {
    size_t length = match_with(mask, (BideSecretEscape)escape, bytes, left);
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
