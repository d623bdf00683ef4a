#include "base/secret_text.h"

#include <string.h>
#include <strings.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A text, and the place in it that is looked at. */
typedef struct Look {
  const BideSecretMask *mask;
  const char *bytes;
  size_t length;
  size_t at;
} Look;

static bool is_blank(char byte) {
  return byte == ' ' || byte == '\t';
}

static bool is_alphanumeric(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z');
}

static bool is_of_name(char byte) {
  return is_alphanumeric(byte) || byte == '_' || byte == '-' || byte == '.';
}

static size_t skip_blanks(const Look *look, size_t at) {
  while (at < look->length && is_blank(look->bytes[at]))
    at++;
  return at;
}

/* The first of the bytes `ends` from `at` on, or the end of the text. */
static size_t find_end(const Look *look, size_t at, const char *ends) {
  while (at < look->length && (look->bytes[at] == '\0' || strchr(ends, look->bytes[at]) == NULL))
    at++;
  return at;
}

/* True where there is something, and not what stands in place of a secret. */
static bool take(const Look *look, size_t begin, size_t end, BideSecretSpan *span) {
  size_t size = sizeof BIDE_SECRET_REDACTED - 1;
  if (end <= begin)
    return false;
  if (end - begin >= size && memcmp(look->bytes + begin, BIDE_SECRET_REDACTED, size) == 0)
    return false;
  *span = (BideSecretSpan){.begin = begin, .length = end - begin};
  return true;
}

/* A text in quotes, whose first quote stands at `at`. */
static bool take_quoted(const Look *look, size_t at, BideSecretSpan *span) {
  char quote = look->bytes[at];
  size_t end = at + 1;
  while (end < look->length && look->bytes[end] != quote)
    end += look->bytes[end] == '\\' ? 2 : 1;
  return take(look, at + 1, end < look->length ? end : look->length, span);
}

/* ---- https://user:password@host ------------------------------------------ */

static bool find_user_part(const Look *look, BideSecretSpan *span) {
  size_t begin = look->at + 3, end;
  const char *at;
  if (look->length - look->at < 3 || memcmp(look->bytes + look->at, "://", 3) != 0)
    return false;
  end = find_end(look, begin, "/?#\"'<> \t\r\n\\");
  at = memrchr(look->bytes + begin, '@', end - begin);
  return at != NULL && take(look, begin, (size_t)(at - look->bytes), span);
}

/* ---- name=value ---------------------------------------------------------- */

static bool is_in_list(const char *name, size_t length, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strlen(list[i]) == length && strncasecmp(name, list[i], length) == 0)
      return true;
  return false;
}

/* Of parameters alone, where a member of such a name is open. */
static bool is_secret_parameter(const Look *look, const char *name, size_t length) {
  static const char *const others[] = {"sig"};
  return bide_secret_mask_kind(look->mask, name, length) != BIDE_SECRET_NONE ||
         is_in_list(name, length, others, COUNT(others));
}

/* Where the value ends that begins at `at`; `before` is what stands before its name. */
static size_t end_of_value(const Look *look, size_t at, char before) {
  if (before == '?' || before == '&' || before == '#')
    return find_end(look, at, "&#; \t\r\n\"'<>");
  if (before == ';' || (before == '\0' && memchr(look->bytes + at, ';', look->length - at) != NULL))
    return find_end(look, at, ";\r\n\"'");
  return find_end(look, at, "; \t\r\n\"'<>");
}

/* What stands before a name, blanks left out; '\0' where nothing does. */
static char byte_before(const Look *look, size_t at) {
  while (at > 0 && is_blank(look->bytes[at - 1]))
    at--;
  return at > 0 && look->bytes[at - 1] == ';' ? ';' : '\0';
}

/* libpq, ADO and URLs; a comparison is none. */
static bool find_pair(const Look *look, BideSecretSpan *span) {
  size_t name = look->at, end = look->at, value = look->at + 1;
  char before;
  while (end > 0 && is_blank(look->bytes[end - 1]))
    end--;
  for (name = end; name > 0 && is_of_name(look->bytes[name - 1]);)
    name--;
  if (name == end || value >= look->length || look->bytes[value] == '=' ||
      !is_secret_parameter(look, look->bytes + name, end - name))
    return false;
  before = name > 0 && !is_blank(look->bytes[name - 1]) ? look->bytes[name - 1]
                                                        : byte_before(look, name);
  if (end < look->at) /* "Pwd = x", and not "pwd= is missing" */
    value = skip_blanks(look, value);
  if (value < look->length && (look->bytes[value] == '"' || look->bytes[value] == '\''))
    return take_quoted(look, value, span);
  return take(look, value, end_of_value(look, value, name == 0 ? '\0' : before), span);
}

/* ---- "name": "value" and Name: value ------------------------------------- */

static bool find_json_member(const Look *look, size_t quote, BideSecretSpan *span) {
  size_t begin = quote, value = skip_blanks(look, look->at + 1);
  while (begin > 0 && look->bytes[begin - 1] != '"')
    begin--;
  if (begin == 0 || begin == quote ||
      bide_secret_mask_kind(look->mask, look->bytes + begin, quote - begin) == BIDE_SECRET_NONE)
    return false;
  return value < look->length && look->bytes[value] == '"' && take_quoted(look, value, span);
}

/* "--token: …" is an option that a message is about. */
static bool is_header(const char *name, size_t length) {
  static const char *const others[] = {"authorization", "cookie"};
  if (name[0] == '-')
    return false;
  return memchr(name, '-', length) != NULL || is_in_list(name, length, others, COUNT(others));
}

static bool find_named(const Look *look, BideSecretSpan *span) {
  size_t name = look->at, end = look->at;
  while (end > 0 && is_blank(look->bytes[end - 1]))
    end--;
  if (end > 0 && look->bytes[end - 1] == '"')
    return find_json_member(look, end - 1, span);
  for (name = end; name > 0 && is_of_name(look->bytes[name - 1]);)
    name--;
  if (name == end || end != look->at || !is_header(look->bytes + name, end - name) ||
      bide_secret_mask_kind(look->mask, look->bytes + name, end - name) == BIDE_SECRET_NONE)
    return false;
  end = skip_blanks(look, look->at + 1);
  return take(look, end, find_end(look, end, "\r\n\"'"), span);
}

/* ---- Bearer … and Basic … -------------------------------------------------- */

static bool is_of_token(char byte) {
  return is_alphanumeric(byte) || (byte != '\0' && strchr("-._~+/=", byte) != NULL);
}

/* Words of sentences about tokens, which are none. */
static bool is_plain_word(const char *word, size_t length) {
  static const char *const words[] = {
    "access", "and",   "auth", "authentication", "authorization", "credentials", "error",
    "header", "is",    "not",  "or",             "realm",         "scheme",      "token",
    "tokens", "token.", "tokens.", "was"};
  return is_in_list(word, length, words, COUNT(words));
}

/* realm="…", of a challenge. */
static bool is_attribute(const Look *look, size_t begin, size_t end) {
  size_t at = begin;
  while (at < end && look->bytes[at] >= 'a' && look->bytes[at] <= 'z')
    at++;
  return at > begin && at + 1 == end && look->bytes[at] == '=' && end < look->length &&
         look->bytes[end] == '"';
}

static bool find_scheme(const Look *look, BideSecretSpan *span) {
  const char *bytes = look->bytes + look->at;
  size_t left = look->length - look->at;
  size_t word = left > 7 && strncasecmp(bytes, "bearer", 6) == 0  ? 6
                : left > 6 && strncasecmp(bytes, "basic", 5) == 0 ? 5
                                                                  : 0;
  size_t begin = skip_blanks(look, look->at + word), end = begin;
  if (word == 0 || begin == look->at + word ||
      (look->at > 0 && is_alphanumeric(look->bytes[look->at - 1])))
    return false;
  while (end < look->length && is_of_token(look->bytes[end]))
    end++;
  if (is_plain_word(look->bytes + begin, end - begin) || is_attribute(look, begin, end))
    return false;
  return take(look, begin, end, span);
}

bool bide_secret_text_find(const BideSecretMask *mask, const char *bytes, size_t length,
                           size_t from, size_t to, BideSecretSpan *span) {
  Look look = {.mask = mask, .bytes = bytes, .length = length, .at = from};
  for (; look.at < to; look.at++) {
    switch (bytes[look.at]) {
      case ':':
        if (find_user_part(&look, span) || find_named(&look, span))
          return true;
        break;
      case '=':
        if (find_pair(&look, span))
          return true;
        break;
      case 'B':
      case 'b':
        if (find_scheme(&look, span))
          return true;
        break;
      default: break;
    }
  }
  return false;
}
