/*
** Which members hold secrets: told by their names alone, since nothing else is
** known of them.
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
