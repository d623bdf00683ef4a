#include "json/secret.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "secret/text.h"

static bool is_called(const BideMember *member, const char *name) {
  return bide_is_word_in_any_case(member->name, member->name_length, name);
}

/* Reports whether a member holds request headers in one text, lines of the form "Name: value". */
static bool is_header_text(BideJsonPlace place, const BideMember *member) {
  return place.of_input && member->value.type == BIDE_STRING && is_called(member, "headers");
}

BideSecretKind bide_json_secret_kind(const BideSecretMask *mask, BideJsonPlace place,
                                     const BideMember *member) {
  if (!place.in_headers && is_header_text(place, member))
    return BIDE_SECRET_ANY;
  if (!place.in_headers)
    return bide_secret_mask_kind(mask, member->name, member->name_length);
  if (bide_secret_mask_is_open(mask, member->name, member->name_length) ||
      bide_secret_name_is_harmless_header(member->name, member->name_length))
    return BIDE_SECRET_NONE;
  return BIDE_SECRET_ANY;
}

BideJsonPlace bide_json_secret_below(BideJsonPlace place, const BideMember *member) {
  place.of_input = place.of_input || is_called(member, "input");
  place.in_headers = place.in_headers || (place.of_input && is_called(member, "headers"));
  return place;
}

bool bide_json_secret_hides(const BideSecretMask *mask, BideSecretKind kind,
                            const BideValue *value) {
  if (value->type == BIDE_STRING &&
      bide_secret_mask_is_open_value(mask, value->as.string, value->length))
    return false;
  switch (kind) {
    case BIDE_SECRET_NONE: return false;
    case BIDE_SECRET_TEXT: return value->type == BIDE_STRING;
    case BIDE_SECRET_ANY:
      return value->type != BIDE_NULL && value->type != BIDE_TRUE && value->type != BIDE_FALSE;
  }
  return false;
}

/* Adds a text. Of "Bearer X" both the whole and X are secret. */
static bool add_text(BideSecretMask *mask, const char *text, size_t length) {
  const char *rest = memchr(text, ' ', length);
  bool has_scheme = rest != NULL &&
                    (strncasecmp(text, "bearer ", 7) == 0 || strncasecmp(text, "basic ", 6) == 0);
  if (has_scheme &&
      !bide_secret_mask_collect_value(mask, rest + 1, length - (size_t)(rest + 1 - text)))
    return false;
  return bide_secret_mask_collect_value(mask, text, length);
}

/* Adds the password of a URL as it is written there, and as it is sent: without escapes. */
static bool add_url_password(BideSecretMask *mask, const char *text, size_t length) {
  BideSecretSpan span;
  char *decoded;
  size_t end = 0;
  if (!bide_secret_text_find_password(text, length, &span) || span.length < BIDE_SECRET_SHORTEST)
    return true;
  text += span.begin;
  decoded = bide_arena_alloc(&mask->arena, span.length);
  if (decoded == NULL)
    return false;
  for (size_t i = 0; i < span.length; i++, end++) {
    int high = text[i] == '%' && span.length - i > 2 ? bide_hex_digit(text[i + 1]) : -1;
    int low = high >= 0 ? bide_hex_digit(text[i + 2]) : -1;
    decoded[end] = low >= 0 ? (char)(high * 16 + low) : text[i];
    i += low >= 0 ? 2 : 0;
  }
  return bide_secret_mask_collect_value(mask, text, span.length) &&
         bide_secret_mask_collect_value(mask, decoded, end);
}

/* Adds a string, or the strings of a list. */
static bool add_value(BideSecretMask *mask, const BideValue *value) {
  if (value->type == BIDE_STRING)
    return add_text(mask, value->as.string, value->length);
  for (uint32_t i = 0; value->type == BIDE_ARRAY && i < value->length; i++)
    if (value->as.elements[i].type == BIDE_STRING && !add_value(mask, &value->as.elements[i]))
      return false;
  return true;
}

/* Adds the value of a line "Name: value", unless the header is harmless; another line as it is. */
static bool add_header_line(BideSecretMask *mask, const char *line, size_t length) {
  const char *value = memchr(line, ':', length), *end = line + length;
  if (value == NULL)
    return add_text(mask, line, length);
  if (bide_secret_name_is_harmless_header(line, (size_t)(value - line)))
    return true;
  do
    value++;
  while (value < end && (*value == ' ' || *value == '\t'));
  return add_text(mask, value, (size_t)(end - value));
}

/* Adds the values of request headers: of the lines of a text, or of the texts of a list. */
static bool add_header_lines(BideSecretMask *mask, const BideValue *value) {
  const char *at = value->type == BIDE_STRING ? value->as.string : "";
  const char *end = at + (value->type == BIDE_STRING ? value->length : 0);
  while (at < end) {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((line_end != NULL ? line_end : end) - at);
    bool has_return = length > 0 && at[length - 1] == '\r';
    if (!add_header_line(mask, at, length - has_return))
      return false;
    at += length + 1;
  }
  return true;
}

static bool collect(BideSecretMask *mask, const BideValue *value, BideJsonPlace place);

static bool collect_member(BideSecretMask *mask, const BideMember *member, BideJsonPlace place) {
  BideSecretKind kind = bide_json_secret_kind(mask, place, member);
  if (is_header_text(place, member) ? !add_header_lines(mask, &member->value)
                                    : kind != BIDE_SECRET_NONE && !add_value(mask, &member->value))
    return false;
  return collect(mask, &member->value, bide_json_secret_below(place, member));
}

static bool collect(BideSecretMask *mask, const BideValue *value, BideJsonPlace place) {
  bool has_room = value->type != BIDE_STRING || !place.of_input ||
                  add_url_password(mask, value->as.string, value->length);
  for (uint32_t i = 0; has_room && value->type == BIDE_OBJECT && i < value->length; i++)
    has_room = collect_member(mask, &value->as.members[i], place);
  for (uint32_t i = 0; has_room && value->type == BIDE_ARRAY && i < value->length; i++)
    has_room = place.in_headers ? add_header_lines(mask, &value->as.elements[i])
                                : collect(mask, &value->as.elements[i], place);
  return has_room;
}

static bool note_token(BideSecretMask *mask, const BideValue *input) {
  for (uint32_t i = 0; input->type == BIDE_OBJECT && i < input->length; i++) {
    const BideMember *member = &input->as.members[i];
    if (member->value.type == BIDE_STRING &&
        bide_secret_mask_is_open(mask, member->name, member->name_length))
      return bide_secret_mask_open_value(mask, member->value.as.string, member->value.length);
  }
  return true;
}

bool bide_json_secret_collect(BideSecretMask *mask, const BideValue *value, bool of_input) {
  return (!of_input || note_token(mask, value)) &&
         collect(mask, value, (BideJsonPlace){.of_input = of_input});
}
