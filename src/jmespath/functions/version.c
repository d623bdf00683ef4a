/*
** version_at_least(): compares versions as Semantic Versioning 2.0 orders them, with any number of
** parts, of which missing ones are 0.
*/
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "jmespath/function.h"

/* A piece of a version: its numbers (1.22.3), or its pre-release (rc.1). */
typedef struct Span {
  const char *at;
  const char *end;
} Span;

typedef struct Version {
  Span numbers;
  Span prerelease; /* empty if there is none */
} Version;

static const char *skip_digits(const char *at, const char *end) {
  while (at < end && bide_is_digit(*at))
    at++;
  return at;
}

/* Returns the end of identifiers with dots between them; NULL if one of them is empty. */
static const char *skip_identifiers(const char *at, const char *end) {
  for (;;) {
    const char *start = at;
    while (at < end && (bide_is_alphanumeric(*at) || *at == '-'))
      at++;
    if (at == start)
      return NULL;
    if (at == end || *at != '.')
      return at;
    at++;
  }
}

/*
** Reads "v1.22.3-rc.1+build": the v, the pre-release and the build may be absent, and a blank ends
** the version. Returns false for anything else.
*/
static bool read_version(const BideValue *value, Version *version) {
  const char *at = value->as.string, *end = at + value->length;
  if (at < end && (*at == 'v' || *at == 'V'))
    at++;
  version->numbers.at = at;
  for (;;) {
    const char *start = at;
    at = skip_digits(at, end);
    if (at == start)
      return false;
    if (at == end || *at != '.')
      break;
    at++;
  }
  version->numbers.end = version->prerelease.at = version->prerelease.end = at;
  if (at < end && *at == '-') {
    version->prerelease.at = at + 1;
    at = version->prerelease.end = skip_identifiers(at + 1, end);
  }
  if (at != NULL && at < end && *at == '+')
    at = skip_identifiers(at + 1, end);
  return at != NULL && (at == end || *at == ' ');
}

/* Takes the next identifier from a span; the span is empty after the last. */
static Span take(Span *span) {
  const char *dot = memchr(span->at, '.', (size_t)(span->end - span->at));
  Span taken = {span->at, dot != NULL ? dot : span->end};
  span->at = dot != NULL ? dot + 1 : span->end;
  return taken;
}

static bool is_empty(Span span) {
  return span.at == span.end;
}

static int compare_bytes(Span a, Span b) {
  return bide_order_of_texts(a.at, (size_t)(a.end - a.at), b.at, (size_t)(b.end - b.at));
}

/* Compares numbers of any length. An empty one is 0. */
static int compare_numbers(Span a, Span b) {
  while (!is_empty(a) && *a.at == '0')
    a.at++;
  while (!is_empty(b) && *b.at == '0')
    b.at++;
  if (a.end - a.at != b.end - b.at)
    return a.end - a.at > b.end - b.at ? 1 : -1;
  return compare_bytes(a, b);
}

/* Compares identifiers of pre-releases. A number comes before a text. */
static int compare_identifiers(Span a, Span b) {
  bool is_a_number = skip_digits(a.at, a.end) == a.end,
       is_b_number = skip_digits(b.at, b.end) == b.end;
  if (is_a_number && is_b_number)
    return compare_numbers(a, b);
  if (is_a_number != is_b_number)
    return is_a_number ? -1 : 1;
  return compare_bytes(a, b);
}

/* Compares pre-releases. Of two that begin alike, the shorter comes first; none comes last. */
static int compare_prereleases(Span a, Span b) {
  if (is_empty(a) || is_empty(b))
    return is_empty(a) - is_empty(b);
  while (!is_empty(a) && !is_empty(b)) {
    int order = compare_identifiers(take(&a), take(&b));
    if (order != 0)
      return order;
  }
  return is_empty(b) - is_empty(a);
}

static int compare_versions(Version *a, Version *b) {
  while (!is_empty(a->numbers) || !is_empty(b->numbers)) {
    int order = compare_numbers(take(&a->numbers), take(&b->numbers));
    if (order != 0)
      return order;
  }
  return compare_prereleases(a->prerelease, b->prerelease);
}

BideValue bide_function_version_at_least(const BideCall *call) {
  const BideValue *found = &call->arguments[0], *wanted = &call->arguments[1];
  Version version, least;
  if (found->type != BIDE_STRING || !bide_search_charge(call->search, found->length / 16) ||
      !read_version(found, &version) || !read_version(wanted, &least))
    return bide_value_null();
  return bide_value_boolean(compare_versions(&version, &least) >= 0);
}
