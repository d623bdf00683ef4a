#include <string.h>

#include "base/utf8.h"
#include "jmespath/function.h"
#include "json/writer.h"

BideValue bide_function_starts_with(const BideCall *call) {
  BideValue string = call->arguments[0], prefix = call->arguments[1];
  return bide_value_boolean(prefix.length <= string.length &&
                            memcmp(string.as.string, prefix.as.string, prefix.length) == 0);
}

BideValue bide_function_ends_with(const BideCall *call) {
  BideValue string = call->arguments[0], suffix = call->arguments[1];
  return bide_value_boolean(
    suffix.length <= string.length &&
    memcmp(string.as.string + string.length - suffix.length, suffix.as.string, suffix.length) == 0);
}

bool bide_string_contains(BideSearch *search, BideValue string, BideValue part) {
  return bide_search_charge(search, string.length / 16) &&
         memmem(string.as.string, string.length, part.as.string, part.length) != NULL;
}

/* ---- join ---- */

/* Adds up the lengths of the strings and the separators. Fails if the sum is too large. */
static bool joined_length(const BideCall *call, uint64_t *length) {
  BideValue glue = call->arguments[0], strings = call->arguments[1];
  *length = strings.length == 0 ? 0 : (uint64_t)glue.length * (strings.length - 1);
  for (uint32_t i = 0; i < strings.length; i++)
    *length += strings.as.elements[i].length;
  if (*length <= call->search->room)
    return true;
  bide_search_fail(call->search, BIDE_ERROR_LIMIT, call->node,
                   "join() would make a string of %llu bytes; a search is limited to %zu MiB",
                   (unsigned long long)*length, BIDE_JMESPATH_BYTES >> 20);
  return false;
}

static char *put(char *to, BideValue string) {
  if (string.length > 0)
    memcpy(to, string.as.string, string.length);
  return to + string.length;
}

BideValue bide_function_join(const BideCall *call) {
  BideValue glue = call->arguments[0], strings = call->arguments[1];
  uint64_t length;
  char *bytes, *to;
  if (!joined_length(call, &length))
    return bide_value_null();
  bytes = to = bide_search_alloc(call->search, (size_t)length);
  if (bytes == NULL)
    return bide_value_null();
  for (uint32_t i = 0; i < strings.length; i++) {
    if (i > 0)
      to = put(to, glue);
    to = put(to, strings.as.elements[i]);
  }
  return bide_value_string(bytes, (size_t)length);
}

/* ---- to_string ---- */

static BideValue fail_text(const BideCall *call, const BideError *error) {
  if (error->code == BIDE_ERROR_LIMIT)
    return bide_search_fail(call->search, error->code, call->node,
                            "to_string() would make too long a text; "
                            "a search is limited to %zu MiB",
                            BIDE_JMESPATH_BYTES >> 20);
  return bide_search_fail(call->search, error->code, call->node, "to_string(): %s", error->message);
}

/* Copies the bytes of the buffer, so that nothing of a search outlives its arena. */
BideValue bide_function_to_string(const BideCall *call) {
  BideValue result = call->arguments[0];
  BideBuffer buffer;
  BideError error;
  char *bytes;
  if (result.type == BIDE_STRING)
    return result;
  bide_buffer_init(&buffer, call->search->room / 4 + 1);
  if (!bide_json_write(&buffer, &result, 0, &error)) {
    result = fail_text(call, &error);
    goto out;
  }
  result = bide_value_null();
  bytes = bide_search_alloc(call->search, buffer.length);
  if (bytes == NULL)
    goto out;
  memcpy(bytes, buffer.bytes, buffer.length);
  result = bide_value_string(bytes, buffer.length);
out:
  bide_buffer_free(&buffer);
  return result;
}

/* ---- reverse ---- */

BideValue bide_function_reverse_string(const BideCall *call) {
  BideValue string = call->arguments[0];
  char *bytes = bide_search_alloc(call->search, string.length);
  char *to = bytes + string.length;
  if (bytes == NULL)
    return bide_value_null();
  for (size_t at = 0; at < string.length;) {
    size_t length = bide_utf8_sequence(string.as.string + at, string.length - at);
    to -= length;
    memcpy(to, string.as.string + at, length);
    at += length;
  }
  return bide_value_string(bytes, string.length);
}
