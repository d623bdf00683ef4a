#include "base/secret_mask.h"

#include <string.h>

#include "base/secret_text.h"

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
  bide_secret_mask_init(mask); /* nothing of it points there any more */
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

bool bide_secret_mask_add_value(BideSecretMask *mask, const char *value, size_t length) {
  if (length < BIDE_SECRET_SHORTEST || bide_secret_mask_is_open_value(mask, value, length) ||
      find_equal(mask->values, value, length) != NULL ||
      (length == sizeof BIDE_SECRET_REDACTED - 1 && memcmp(value, BIDE_SECRET_REDACTED, length) == 0))
    return true;
  mask->value_count++;
  return add(mask, &mask->values, value, length);
}

bool bide_secret_mask_open_value(BideSecretMask *mask, const char *value, size_t length) {
  return add(mask, &mask->open_values, value, length);
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

/* The first of the values; the longest of those that begin at the same place. */
static bool find_value(const BideSecretMask *mask, const char *bytes, size_t length,
                       BideSecretSpan *span) {
  bool found = false;
  for (const BideSecretText *value = mask->values; value != NULL; value = value->next) {
    const char *at = memmem(bytes, length, value->bytes, value->length);
    size_t begin = (size_t)(at - bytes);
    if (at == NULL || (found && (begin > span->begin ||
                                 (begin == span->begin && value->length < span->length))))
      continue;
    *span = (BideSecretSpan){.begin = begin, .length = value->length};
    found = true;
  }
  return found;
}

/* What a text looks like is no secret where it is the idempotency token. */
static bool find_pattern(const BideSecretMask *mask, const char *bytes, size_t length,
                         BideSecretSpan *span) {
  size_t from = 0;
  while (bide_secret_text_find(mask, bytes, length, from, span)) {
    if (!bide_secret_mask_is_open_value(mask, bytes + span->begin, span->length))
      return true;
    from = span->begin + span->length;
  }
  return false;
}

/* Takes the values in that begin within the span and reach beyond it. */
static void extend(const BideSecretMask *mask, const char *bytes, size_t length,
                   BideSecretSpan *span) {
  const BideSecretText *value = mask->values;
  while (value != NULL) {
    size_t from = span->begin, end = span->begin + span->length;
    size_t window = end - from + value->length - 1;
    const char *at = memmem(bytes + from, window < length - from ? window : length - from,
                            value->bytes, value->length);
    size_t reach = at != NULL ? (size_t)(at - bytes) + value->length : 0;
    bool is_longer = reach > end;
    if (is_longer)
      span->length = reach - from;
    value = is_longer ? mask->values : value->next;
  }
}

bool bide_secret_mask_find(const BideSecretMask *mask, const char *bytes, size_t length,
                           BideSecretSpan *span) {
  BideSecretSpan value;
  bool found = find_pattern(mask, bytes, length, span);
  if (mask == NULL || mask->values == NULL)
    return found;
  if (find_value(mask, bytes, length, &value) && (!found || value.begin < span->begin)) {
    *span = value;
    found = true;
  }
  if (found)
    extend(mask, bytes, length, span);
  return found;
}

bool bide_secret_mask_write(const BideSecretMask *mask, BideBuffer *buffer, const char *bytes,
                            size_t length) {
  BideSecretSpan span;
  while (bide_secret_mask_find(mask, bytes, length, &span)) {
    bide_buffer_append(buffer, bytes, span.begin);
    bide_buffer_append(buffer, BIDE_SECRET_REDACTED, sizeof BIDE_SECRET_REDACTED - 1);
    bytes += span.begin + span.length;
    length -= span.begin + span.length;
  }
  return bide_buffer_append(buffer, bytes, length);
}
