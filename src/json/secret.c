/*
** What is a secret: members, told by their names alone, since nothing else is known
** of them, and the passwords of URLs.
*/
#include <string.h>

#include "json/writer.h"

#define LONGEST_NAME 128

/* Lower case, without "-", "_" and blanks: AccessToken, access_token and access-token are one. */
static size_t normalise(const char *name, size_t length, char normal[LONGEST_NAME]) {
  size_t kept = 0;
  for (size_t i = 0; i < length && kept < LONGEST_NAME - 1; i++) {
    char byte = name[i];
    if (byte >= 'A' && byte <= 'Z')
      byte = (char)(byte - 'A' + 'a');
    if (byte != '-' && byte != '_' && byte != ' ')
      normal[kept++] = byte;
  }
  normal[kept] = '\0';
  return kept;
}

bool bide_json_is_secret(const char *name, size_t length) {
  static const char *const words[] = {"password",   "passwd",      "secret",
                                      "credential", "accesstoken", "authorization"};
  char normal[LONGEST_NAME];
  if (normalise(name, length, normal) < 6)
    return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(normal, words[i]) != NULL)
      return true;
  return false;
}

/* The authority of a URL, "me:password@host:80", from its begin on. */
static size_t authority_length(const char *bytes, size_t length) {
  size_t end = 0;
  while (end < length && strchr("/?#\"'<> \t\n", bytes[end]) == NULL)
    end++;
  return end;
}

size_t bide_json_find_password(const char *bytes, size_t length, size_t *password_length) {
  size_t from = 0;
  const char *found;
  while ((found = memmem(bytes + from, length - from, "://", 3)) != NULL) {
    size_t begin = (size_t)(found - bytes) + 3;
    size_t end = authority_length(bytes + begin, length - begin);
    const char *at = memrchr(bytes + begin, '@', end);
    const char *colon = at != NULL ? memchr(bytes + begin, ':', (size_t)(at - bytes) - begin) : NULL;
    if (colon != NULL) {
      *password_length = (size_t)(at - colon) - 1;
      return (size_t)(colon - bytes) + 1;
    }
    from = begin;
  }
  return length;
}
