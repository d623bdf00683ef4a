/* The functions of an answer of HTTP: header(), status() and text(). */
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "jmespath/answer.h"
#include "jmespath/function.h"

/* Copies a text in which some bytes are not UTF-8. */
static BideValue repaired(BideSearch *search, const char *bytes, size_t length) {
  char *copy = length <= UINT32_MAX / 3 ? bide_search_alloc(search, length * 3) : NULL;
  return copy == NULL ? bide_value_null()
                      : bide_value_string(copy, bide_utf8_repair(bytes, length, copy));
}

static BideValue text_of(BideSearch *search, const char *bytes, size_t length) {
  if (length > UINT32_MAX || !bide_search_charge(search, length / 16))
    return bide_value_null();
  if (bide_utf8_check(bytes, length) < length)
    return repaired(search, bytes, length);
  return bide_value_string(bytes, length);
}

BideValue bide_function_status(const BideCall *call) {
  const BideAnswer *answer = call->search->answer;
  return answer == NULL || answer->status == 0 ? bide_value_null()
                                               : bide_value_integer(answer->status);
}

BideValue bide_function_text(const BideCall *call) {
  const BideAnswer *answer = call->search->answer;
  if (answer == NULL || answer->text == NULL)
    return bide_value_null();
  return text_of(call->search, answer->text, answer->text_length);
}

/* ---- headers ---- */

/* Returns the end of the line, behind its line feed, and of the lines that continue it. */
static const char *end_of_line(const char *line, const char *end) {
  do {
    const char *feed = memchr(line, '\n', (size_t)(end - line));
    line = feed != NULL ? feed + 1 : end;
  } while (line < end && (*line == ' ' || *line == '\t'));
  return line;
}

/* Returns a value whose continued lines are joined by a blank each. */
static BideValue value_of(BideSearch *search, BideText value) {
  const char *begin = value.bytes, *end = begin + value.length;
  char *joined;
  size_t used = 0;
  if (memchr(begin, '\n', value.length) == NULL)
    return text_of(search, begin, value.length);
  joined = bide_search_alloc(search, value.length);
  while (joined != NULL && begin < end) {
    const char *next = begin;
    while (bide_is_blank(*next))
      next++;
    joined[used] = memchr(begin, '\n', (size_t)(next - begin)) != NULL ? ' ' : *begin;
    begin = joined[used++] == *begin ? begin + 1 : next;
  }
  return joined == NULL ? bide_value_null() : text_of(search, joined, used);
}

BideValue bide_function_header(const BideCall *call) {
  const BideAnswer *answer = call->search->answer;
  const BideValue *name = &call->arguments[0];
  const char *line, *end, *last = NULL, *last_end = NULL;
  if (answer == NULL || answer->headers == NULL || name->length == 0 ||
      !bide_search_charge(call->search, answer->headers_length / 16))
    return bide_value_null();
  line = answer->headers;
  end = line + answer->headers_length;
  while (line < end) {
    const char *next = end_of_line(line, end);
    if (bide_is_header_line(line, next, (BideText){name->as.string, name->length})) {
      last = line + name->length + 1;
      last_end = next;
    }
    line = next;
  }
  return last == NULL ? bide_value_null() : value_of(call->search, bide_trimmed(last, last_end));
}

bool bide_function_asks_answer(const BideFunction *function) {
  return function->call == bide_function_header || function->call == bide_function_status ||
         function->call == bide_function_text;
}
