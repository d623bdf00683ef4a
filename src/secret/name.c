#include "secret/name.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Secret anywhere in a name. */
static const char *const anywhere[] = {"password",   "passwd",      "secret",
                                       "credential", "accesstoken", "authorization"};

/* Secret as the last word of a name. */
static const char *const last_words[] = {"token",     "session", "cookie", "bearer", "jwt",
                                         "signature", "pwd",     "pass",   "auth"};

/* Secret at the end of a name, in one word or in several. */
static const char *const endings[] = {
  "passphrase",   "apikey",       "privatekey",    "sshkey",
  "accesskey",    "accountkey",   "signingkey",    "encryptionkey",
  "authkey",      "authtoken",    "apitoken",      "idtoken",
  "refreshtoken", "sessiontoken", "securitytoken", "bearertoken",
  "csrftoken",    "xsrftoken",    "vaulttoken",    "webtoken",
  "sessionid",    "sessionkey",   "sessioncookie", "authcookie",
  "setcookie",    "phpsessid",    "jsessionid",    "sharedaccesssignature"};

/* Words before "token" in the name of a page token or of an idempotency token, which are open. */
static const char *const open_tokens[] = {
  "next",        "continuation", "continue",      "page",     "paging",   "pagination", "sync",
  "idempotency", "client",       "clientrequest", "starting", "previous", "prev"};

static const char *const harmless_headers[] = {
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-encoding",
  "content-language",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-unmodified-since",
  "origin",
  "pragma",
  "prefer",
  "range",
  "te",
  "traceparent",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via",
  "x-amz-date",
  "x-amz-target",
  "x-correlation-id",
  "x-request-id",
};

/* ---- matching names ----------------------------------------------------- */

static bool is_separator(char byte) {
  return byte == '-' || byte == '_' || byte == '.' || byte == ' ';
}

static bool is_upper(char byte) {
  return byte >= 'A' && byte <= 'Z';
}

static bool is_lower(char byte) {
  return byte >= 'a' && byte <= 'z';
}

static char lower(char byte) {
  return is_upper(byte) ? (char)(byte - 'A' + 'a') : byte;
}

/* Reports whether `name` begins with `word`, ignoring separators and case. */
static bool begins(const char *name, size_t length, const char *word) {
  size_t i = 0;
  for (; i < length && *word != '\0'; i++)
    if (lower(name[i]) == *word)
      word++;
    else if (!is_separator(name[i]))
      return false;
  return *word == '\0';
}

static bool contains(const char *name, size_t length, const char *word) {
  for (size_t i = 0; i < length; i++)
    if (lower(name[i]) == word[0] && begins(name + i, length - i, word))
      return true;
  return false;
}

/* Reports whether `name` ends with `word`, ignoring separators and case. */
static bool ends(const char *name, size_t length, const char *word) {
  size_t left = strlen(word);
  while (length > 0 && left > 0) {
    char byte = name[--length];
    if (lower(byte) == word[left - 1])
      left--;
    else if (!is_separator(byte))
      return false;
  }
  return left == 0;
}

/* Reports whether a word begins at `at`: after a separator or digit, or at a capital letter. */
static bool is_edge(const char *name, size_t length, size_t at) {
  char before;
  if (at == 0)
    return true;
  before = name[at - 1];
  if (is_separator(before) || bide_is_digit(before) || (unsigned char)before >= 0x80)
    return true;
  return is_upper(name[at]) && (is_lower(before) || (at + 1 < length && is_lower(name[at + 1])));
}

/* Reports whether the last word of the name is `word`; sets `*at` to its beginning. */
static bool is_last_word(const char *name, size_t length, const char *word, size_t *at) {
  size_t size = strlen(word);
  if (length < size || strncasecmp(name + length - size, word, size) != 0)
    return false;
  *at = length - size;
  return is_edge(name, length, *at);
}

/* Returns the length of the name without a number at its end: token2, api_key_1. */
static size_t without_number(const char *name, size_t length) {
  while (length > 0 && (bide_is_digit(name[length - 1]) || is_separator(name[length - 1])))
    length--;
  return length;
}

/* ---- classifying --------------------------------------------------------- */

static bool is_open_token(const char *name, size_t length) {
  length = without_number(name, length);
  for (size_t i = 0; i < COUNT(open_tokens); i++) {
    size_t size = strlen(open_tokens[i]), at;
    if (is_last_word(name, length, open_tokens[i], &at))
      return true;
    if (size > 8 && ends(name, length, open_tokens[i]))
      return true;
  }
  return false;
}

/* Reports whether the words before a last word make the name open: require_auth names a method. */
static bool is_open(const char *word, const char *name, size_t at) {
  if (strcmp(word, "auth") == 0)
    return ends(name, at, "require");
  return strcmp(word, "token") == 0 && is_open_token(name, at);
}

/* Reports whether the plural of a last word is secret: tokens and sessions are mostly counts. */
static bool has_secret_plural(const char *word) {
  return strcmp(word, "token") != 0 && strcmp(word, "session") != 0;
}

static bool has_ending(const char *name, size_t length, bool is_plural) {
  size_t at;
  for (size_t i = 0; i < COUNT(last_words); i++)
    if (is_last_word(name, length, last_words[i], &at) &&
        (!is_plural || has_secret_plural(last_words[i])))
      return !is_open(last_words[i], name, at);
  for (size_t i = 0; i < COUNT(endings); i++)
    if (ends(name, length, endings[i]))
      return true;
  return false;
}

static bool has_secret_ending(const char *name, size_t length) {
  length = without_number(name, length);
  return has_ending(name, length, false) ||
         (length > 0 && lower(name[length - 1]) == 's' && has_ending(name, length - 1, true));
}

/* ---- most names ---------------------------------------------------------- */

/* The bit of a letter, in either case. Another byte may have the bit of a letter. */
#define LETTER(byte) (UINT32_C(1) << ((unsigned char)(byte)&31))

/*
** The letters of parts of words: each word above has all letters of one of them. Most names have
** the letters of none, so that no word is sought in them.
*/
static const uint32_t parts[] = {
  LETTER('p') | LETTER('a') | LETTER('s'),                             /* pass */
  LETTER('p') | LETTER('w') | LETTER('d'),                             /* pwd */
  LETTER('s') | LETTER('e') | LETTER('c') | LETTER('r') | LETTER('t'), /* secret */
  LETTER('c') | LETTER('r') | LETTER('e') | LETTER('d') | LETTER('l'), /* credential */
  LETTER('t') | LETTER('o') | LETTER('k') | LETTER('e') | LETTER('n'), /* token */
  LETTER('a') | LETTER('u') | LETTER('t') | LETTER('h'),               /* auth */
  LETTER('s') | LETTER('e') | LETTER('i') | LETTER('o') | LETTER('n'), /* session */
  LETTER('s') | LETTER('e') | LETTER('i') | LETTER('d') | LETTER('p'), /* phpsessid */
  LETTER('c') | LETTER('o') | LETTER('k') | LETTER('i') | LETTER('e'), /* cookie */
  LETTER('b') | LETTER('e') | LETTER('a') | LETTER('r'),               /* bearer */
  LETTER('j') | LETTER('w') | LETTER('t'),                             /* jwt */
  LETTER('s') | LETTER('i') | LETTER('g') | LETTER('n') | LETTER('u'), /* signature */
  LETTER('k') | LETTER('e') | LETTER('y'),                             /* key */
};

static bool may_have_word(const char *name, size_t length) {
  uint32_t letters = 0;
  for (size_t i = 0; i < length; i++)
    letters |= LETTER(name[i]);
  for (size_t i = 0; i < COUNT(parts); i++)
    if ((letters & parts[i]) == parts[i])
      return true;
  return false;
}

BideSecretKind bide_secret_name_kind(const char *name, size_t length) {
  if (!may_have_word(name, length))
    return BIDE_SECRET_NONE;
  for (size_t i = 0; i < COUNT(anywhere); i++)
    if (contains(name, length, anywhere[i]))
      return BIDE_SECRET_ANY;
  return has_secret_ending(name, length) ? BIDE_SECRET_TEXT : BIDE_SECRET_NONE;
}

static uint32_t place_of(uint32_t hash) {
  return (hash ^ hash >> 16) % BIDE_SECRET_NAMES;
}

bool bide_secret_names_have(const BideSecretNames *names, const char *name, size_t length,
                            uint32_t hash) {
  uint32_t place = place_of(hash);
  return names->places[place].hash == hash && names->places[place].length == length && length > 0 &&
         memcmp(names->places[place].bytes, name, length) == 0;
}

bool bide_secret_names_add(BideSecretNames *names, const char *name, size_t length, uint32_t hash) {
  uint32_t place = place_of(hash);
  if (length == 0 || length > BIDE_SECRET_LONGEST_NAME ||
      bide_secret_name_kind(name, length) != BIDE_SECRET_NONE)
    return false;
  names->places[place].hash = hash;
  names->places[place].length = (uint8_t)length;
  memcpy(names->places[place].bytes, name, length);
  return true;
}

bool bide_secret_name_is_harmless_header(const char *name, size_t length) {
  return bide_is_one_in_any_case(name, length, harmless_headers, COUNT(harmless_headers));
}
