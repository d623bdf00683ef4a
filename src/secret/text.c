#include "secret/text.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A text and the position in it that is being examined. */
typedef struct Cursor {
  const BideSecretMask *mask;
  const char *bytes;
  size_t length;
  size_t at;
} Cursor;

static bool is_blank(char byte) {
  return byte == ' ' || byte == '\t';
}

static bool is_of_name(char byte) {
  return bide_is_alphanumeric(byte) || byte == '_' || byte == '-' || byte == '.';
}

static size_t skip_blanks(const Cursor *cursor, size_t at) {
  while (at < cursor->length && is_blank(cursor->bytes[at]))
    at++;
  return at;
}

/* Returns the place of the first byte of `ends` from `at` on, or the end of the text. */
static size_t find_end(const Cursor *cursor, size_t at, const char *ends) {
  while (at < cursor->length &&
         (cursor->bytes[at] == '\0' || strchr(ends, cursor->bytes[at]) == NULL))
    at++;
  return at;
}

static bool is_redacted(const Cursor *cursor, size_t begin) {
  size_t size = sizeof BIDE_SECRET_REDACTED - 1;
  return begin <= cursor->length && cursor->length - begin >= size &&
         memcmp(cursor->bytes + begin, BIDE_SECRET_REDACTED, size) == 0;
}

/* Makes the span, unless it is empty or is a secret that was redacted already. */
static bool take(const Cursor *cursor, size_t begin, size_t end, BideSecretSpan *span) {
  if (end <= begin || is_redacted(cursor, begin))
    return false;
  *span = (BideSecretSpan){.begin = begin, .length = end - begin};
  return true;
}

/* Makes the span of a quoted text whose opening quote is at `at`. */
static bool take_quoted(const Cursor *cursor, size_t at, BideSecretSpan *span) {
  char quote = cursor->bytes[at];
  size_t end = at + 1;
  if (is_redacted(cursor, end)) /* before its end is sought, which may be far away */
    return false;
  while (end < cursor->length && cursor->bytes[end] != quote)
    end += cursor->bytes[end] == '\\' ? 2 : 1;
  return take(cursor, at + 1, end < cursor->length ? end : cursor->length, span);
}

/* ---- https://user:password@host ------------------------------------------ */

/* Finds the last '@', since a password may contain one. */
static const char *find_last_at(const char *bytes, size_t length) {
  while (length > 0)
    if (bytes[--length] == '@')
      return bytes + length;
  return NULL;
}

/* Reports whether the user part of a URL is a role of PostgreSQL, without a password. */
static bool is_role(const Cursor *cursor, size_t begin, size_t end) {
  static const char *const schemes[] = {"postgres", "postgresql"};
  for (size_t at = begin; at < end; at++)
    if (!is_of_name(cursor->bytes[at]))
      return false;
  for (size_t i = 0; i < COUNT(schemes); i++) {
    size_t length = strlen(schemes[i]), first = cursor->at - length;
    if (cursor->at >= length && strncasecmp(cursor->bytes + first, schemes[i], length) == 0 &&
        (first == 0 || !is_of_name(cursor->bytes[first - 1])))
      return true;
  }
  return false;
}

static bool find_user_part(const Cursor *cursor, BideSecretSpan *span) {
  size_t begin = cursor->at + 3, end;
  const char *at;
  if (cursor->length - cursor->at < 3 || memcmp(cursor->bytes + cursor->at, "://", 3) != 0)
    return false;
  end = find_end(cursor, begin, "/?#\"'<> \t\r\n\\");
  at = find_last_at(cursor->bytes + begin, end - begin);
  end = at == NULL ? begin : (size_t)(at - cursor->bytes);
  return at != NULL && !is_role(cursor, begin, end) && take(cursor, begin, end, span);
}

/* ---- name=value ---------------------------------------------------------- */

/* Also knows names that are secret only as parameters, not as members. */
static bool is_secret_parameter(const Cursor *cursor, const char *name, size_t length) {
  static const char *const others[] = {"sig"};
  return bide_secret_mask_kind(cursor->mask, name, length) != BIDE_SECRET_NONE ||
         bide_is_one_in_any_case(name, length, others, COUNT(others));
}

/* A connection string has a ';' this near its first value. No further ones are looked for. */
#define NEAR ((size_t)1024)

static bool has_semicolon(const Cursor *cursor, size_t at) {
  size_t left = cursor->length - at;
  return memchr(cursor->bytes + at, ';', left < NEAR ? left : NEAR) != NULL;
}

/* Returns the end of the value that begins at `at`. `before` is the byte before its name. */
static size_t end_of_value(const Cursor *cursor, size_t at, char before) {
  if (before == '?' || before == '&' || before == '#')
    return find_end(cursor, at, "&#; \t\r\n\"'<>");
  if (is_redacted(cursor, at)) /* before its end is sought, which may be far away */
    return at;
  if (before == ';' || (before == '\0' && has_semicolon(cursor, at)))
    return find_end(cursor, at, ";\r\n\"'");
  return find_end(cursor, at, "; \t\r\n\"'<>");
}

/* Returns ';' if that is the last byte before a name, ignoring blanks, and '\0' otherwise. */
static char byte_before(const Cursor *cursor, size_t at) {
  while (at > 0 && is_blank(cursor->bytes[at - 1]))
    at--;
  return at > 0 && cursor->bytes[at - 1] == ';' ? ';' : '\0';
}

/* Finds name=value as libpq, ADO and URLs write it; `==` is not an assignment. */
static bool find_pair(const Cursor *cursor, BideSecretSpan *span) {
  size_t name = cursor->at, end = cursor->at, value = cursor->at + 1;
  char before;
  while (end > 0 && is_blank(cursor->bytes[end - 1]))
    end--;
  for (name = end; name > 0 && is_of_name(cursor->bytes[name - 1]);)
    name--;
  if (name == end || value >= cursor->length || cursor->bytes[value] == '=' ||
      !is_secret_parameter(cursor, cursor->bytes + name, end - name))
    return false;
  before = name > 0 && !is_blank(cursor->bytes[name - 1]) ? cursor->bytes[name - 1]
                                                          : byte_before(cursor, name);
  if (end < cursor->at) /* "Pwd = x", and not "pwd= is missing" */
    value = skip_blanks(cursor, value);
  if (value < cursor->length && (cursor->bytes[value] == '"' || cursor->bytes[value] == '\''))
    return take_quoted(cursor, value, span);
  return take(cursor, value, end_of_value(cursor, value, name == 0 ? '\0' : before), span);
}

/* ---- "name": "value" and Name: value ------------------------------------- */

static bool find_json_member(const Cursor *cursor, size_t quote, BideSecretSpan *span) {
  size_t begin = quote, value = skip_blanks(cursor, cursor->at + 1);
  while (begin > 0 && cursor->bytes[begin - 1] != '"')
    begin--;
  if (begin == 0 || begin == quote ||
      bide_secret_mask_kind(cursor->mask, cursor->bytes + begin, quote - begin) == BIDE_SECRET_NONE)
    return false;
  return value < cursor->length && cursor->bytes[value] == '"' && take_quoted(cursor, value, span);
}

/* Reports whether a name before ':' is a header. "--token: …" is a message about an option. */
static bool is_header(const char *name, size_t length) {
  static const char *const others[] = {"authorization", "cookie"};
  if (name[0] == '-')
    return false;
  return memchr(name, '-', length) != NULL ||
         bide_is_one_in_any_case(name, length, others, COUNT(others));
}

static bool find_named(const Cursor *cursor, BideSecretSpan *span) {
  size_t name = cursor->at, end = cursor->at;
  while (end > 0 && is_blank(cursor->bytes[end - 1]))
    end--;
  if (end > 0 && cursor->bytes[end - 1] == '"')
    return find_json_member(cursor, end - 1, span);
  for (name = end; name > 0 && is_of_name(cursor->bytes[name - 1]);)
    name--;
  if (name == end || end != cursor->at || !is_header(cursor->bytes + name, end - name) ||
      bide_secret_mask_kind(cursor->mask, cursor->bytes + name, end - name) == BIDE_SECRET_NONE)
    return false;
  end = skip_blanks(cursor, cursor->at + 1);
  return !is_redacted(cursor, end) && take(cursor, end, find_end(cursor, end, "\r\n\"'"), span);
}

/* ---- Bearer … and Basic … -------------------------------------------------- */

static bool is_of_token(char byte) {
  return bide_is_alphanumeric(byte) || (byte != '\0' && strchr("-._~+/=", byte) != NULL);
}

/* Words after "bearer" or "basic" in ordinary sentences. */
static bool is_plain_word(const char *word, size_t length) {
  static const char *const words[] = {
    "access",  "and", "auth", "authentication", "authorization", "credentials", "error",  "header",
    "is",      "not", "or",   "realm",          "scheme",        "token",       "tokens", "token.",
    "tokens.", "was"};
  return bide_is_one_in_any_case(word, length, words, COUNT(words));
}

/* Reports whether an attribute of a challenge, such as realm="…", begins there. */
static bool is_attribute(const Cursor *cursor, size_t begin, size_t end) {
  size_t at = begin;
  while (at < end && cursor->bytes[at] >= 'a' && cursor->bytes[at] <= 'z')
    at++;
  return at > begin && at + 1 == end && cursor->bytes[at] == '=' && end < cursor->length &&
         cursor->bytes[end] == '"';
}

static bool find_scheme(const Cursor *cursor, BideSecretSpan *span) {
  const char *bytes = cursor->bytes + cursor->at;
  size_t left = cursor->length - cursor->at;
  size_t word = left > 7 && strncasecmp(bytes, "bearer", 6) == 0  ? 6
                : left > 6 && strncasecmp(bytes, "basic", 5) == 0 ? 5
                                                                  : 0;
  size_t begin = skip_blanks(cursor, cursor->at + word), end = begin;
  if (word == 0 || begin == cursor->at + word ||
      (cursor->at > 0 && bide_is_alphanumeric(cursor->bytes[cursor->at - 1])))
    return false;
  while (end < cursor->length && is_of_token(cursor->bytes[end]))
    end++;
  if (is_plain_word(cursor->bytes + begin, end - begin) || is_attribute(cursor, begin, end))
    return false;
  return take(cursor, begin, end, span);
}

bool bide_secret_text_find(const BideSecretMask *mask, const char *bytes, size_t length,
                           size_t from, size_t to, BideSecretSpan *span) {
  Cursor cursor = {.mask = mask, .bytes = bytes, .length = length, .at = from};
  for (; cursor.at < to; cursor.at++) {
    switch (bytes[cursor.at]) {
      case ':':
        if (find_user_part(&cursor, span) || find_named(&cursor, span))
          return true;
        break;
      case '=':
        if (find_pair(&cursor, span))
          return true;
        break;
      case 'B':
      case 'b':
        if (find_scheme(&cursor, span))
          return true;
        break;
      default: break;
    }
  }
  return false;
}

/* The bytes that are not plain: controls, the marks above, and those that are escaped. */
static const bool is_mark[256] = {
  ['"'] = true, ['\\'] = true, [':'] = true, ['='] = true, ['B'] = true, ['b'] = true, [0] = true,
  [1] = true,   [2] = true,    [3] = true,   [4] = true,   [5] = true,   [6] = true,   [7] = true,
  [8] = true,   [9] = true,    [10] = true,  [11] = true,  [12] = true,  [13] = true,  [14] = true,
  [15] = true,  [16] = true,   [17] = true,  [18] = true,  [19] = true,  [20] = true,  [21] = true,
  [22] = true,  [23] = true,   [24] = true,  [25] = true,  [26] = true,  [27] = true,  [28] = true,
  [29] = true,  [30] = true,   [31] = true,
};

bool bide_secret_text_is_plain(const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (!is_mark[(unsigned char)bytes[i]])
      continue;
    if ((bytes[i] | 0x20) != 'b')
      return false;
    if (i + 1 < length && ((bytes[i + 1] | 0x20) == 'a' || (bytes[i + 1] | 0x20) == 'e'))
      return false; /* "basic" or "bearer", perhaps */
  }
  return true;
}

bool bide_secret_text_find_password(const char *bytes, size_t length, BideSecretSpan *span) {
  Cursor cursor = {.bytes = bytes, .length = length};
  const char *colon;
  while (cursor.at < length && !find_user_part(&cursor, span))
    cursor.at++;
  if (cursor.at == length)
    return false;
  colon = memchr(bytes + span->begin, ':', span->length);
  return colon != NULL &&
         take(&cursor, (size_t)(colon + 1 - bytes), span->begin + span->length, span);
}
