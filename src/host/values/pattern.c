#include "host/values/pattern.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#include "host/task.h"

#define DEEPEST 200        /* matches within each other, as in Lua */
#define STEPS_AT_ONCE 4096 /* steps between two charges */
#define STEPS_PER_INSTRUCTION 2

static const char *match_here(BidePattern *pattern, const char *s, const char *p);

void bide_pattern_init(BidePattern *pattern, lua_State *L, const char *text, size_t length,
                       const char *pattern_end) {
  pattern->L = L;
  pattern->text = text;
  pattern->text_end = text + length;
  pattern->pattern_end = pattern_end;
  pattern->steps = 0;
}

void bide_pattern_settle(BidePattern *pattern) {
  int64_t steps = pattern->steps;
  pattern->steps = 0;
  bide_task_charge(pattern->L, steps / STEPS_PER_INSTRUCTION);
}

static void spend(BidePattern *pattern, ptrdiff_t steps) {
  pattern->steps += steps;
  if (pattern->steps >= STEPS_AT_ONCE)
    bide_pattern_settle(pattern);
}

/* ---- single characters ------------------------------------------------------ */

static bool is_in_class(int c, int name) {
  bool is_in;
  switch (tolower(name)) {
    case 'a': is_in = isalpha(c); break;
    case 'c': is_in = iscntrl(c); break;
    case 'd': is_in = isdigit(c); break;
    case 'g': is_in = isgraph(c); break;
    case 'l': is_in = islower(c); break;
    case 'p': is_in = ispunct(c); break;
    case 's': is_in = isspace(c); break;
    case 'u': is_in = isupper(c); break;
    case 'w': is_in = isalnum(c); break;
    case 'x': is_in = isxdigit(c); break;
    case 'z': is_in = c == 0; break; /* deprecated, but still in Lua */
    default: return name == c;
  }
  return isupper(name) ? !is_in : is_in;
}

static int byte_at(const char *place) {
  return (unsigned char)*place;
}

/* Matches a set, from its bracket at `p` to the one at `last`. */
static bool is_in_set(int c, const char *p, const char *last) {
  bool wanted = p[1] != '^';
  for (p += wanted ? 1 : 2; p < last; p++) {
    if (*p == '%') {
      if (is_in_class(c, byte_at(++p)))
        return wanted;
    } else if (p[1] == '-' && p + 2 < last) {
      if (byte_at(p) <= c && c <= byte_at(p + 2))
        return wanted;
      p += 2;
    } else if (byte_at(p) == c)
      return wanted;
  }
  return !wanted;
}

/* Returns the end of the item at `p`, which matches one character. */
static const char *end_of_item(const BidePattern *pattern, const char *p) {
  char first = *p++;
  if (first == '%') {
    if (p == pattern->pattern_end)
      luaL_error(pattern->L, "malformed pattern (ends with '%%')");
    return p + 1;
  }
  if (first != '[')
    return p;
  if (*p == '^')
    p++;
  do {
    if (p == pattern->pattern_end)
      luaL_error(pattern->L, "malformed pattern (missing ']')");
    if (*p++ == '%' && p < pattern->pattern_end)
      p++;
  } while (*p != ']');
  return p + 1;
}

static bool fits(BidePattern *pattern, const char *s, const char *p, const char *end) {
  spend(pattern, end - p);
  if (s >= pattern->text_end)
    return false;
  switch (*p) {
    case '.': return true;
    case '%': return is_in_class(byte_at(s), byte_at(p + 1));
    case '[': return is_in_set(byte_at(s), p, end - 1);
    default: return *p == *s;
  }
}

/* ---- repetitions: the item from `p` to `end`, with its sign there ---------------------- */

static const char *expand_most(BidePattern *pattern, const char *s, const char *p,
                               const char *end) {
  const char *last = s, *found = NULL;
  while (fits(pattern, last, p, end))
    last++;
  while (found == NULL && last >= s)
    found = match_here(pattern, last--, end + 1);
  return found;
}

static const char *expand_least(BidePattern *pattern, const char *s, const char *p,
                                const char *end) {
  for (;;) {
    const char *found = match_here(pattern, s, end + 1);
    if (found != NULL)
      return found;
    if (!fits(pattern, s, p, end))
      return NULL;
    s++;
  }
}

/* ---- captures ------------------------------------------------------------------- */

static const char *open_capture(BidePattern *pattern, const char *s, const char *p,
                                ptrdiff_t length) {
  const char *found;
  if (pattern->level >= BIDE_CAPTURES)
    luaL_error(pattern->L, "too many captures");
  pattern->captures[pattern->level++] = (BidePatternCapture){s, length};
  found = match_here(pattern, s, p);
  if (found == NULL)
    pattern->level--;
  return found;
}

static const char *close_capture(BidePattern *pattern, const char *s, const char *p) {
  int innermost = pattern->level - 1;
  const char *found;
  while (innermost >= 0 && pattern->captures[innermost].length != BIDE_CAPTURE_OPEN)
    innermost--;
  if (innermost < 0)
    luaL_error(pattern->L, "invalid pattern capture");
  pattern->captures[innermost].length = s - pattern->captures[innermost].begin;
  found = match_here(pattern, s, p);
  if (found == NULL)
    pattern->captures[innermost].length = BIDE_CAPTURE_OPEN;
  return found;
}

/* Matches the text of a capture again, by its digit. */
static const char *match_again(BidePattern *pattern, const char *s, int digit) {
  int number = digit - '1';
  const BidePatternCapture *capture = &pattern->captures[number < 0 ? 0 : number];
  if (number < 0 || number >= pattern->level || capture->length == BIDE_CAPTURE_OPEN)
    luaL_error(pattern->L, "invalid capture index %%%d", number + 1);
  if (capture->length == BIDE_CAPTURE_POSITION || pattern->text_end - s < capture->length)
    return NULL;
  spend(pattern, capture->length / 8);
  return memcmp(capture->begin, s, (size_t)capture->length) == 0 ? s + capture->length : NULL;
}

/* ---- %b and %f ------------------------------------------------------------------ */

static const char *match_balance(BidePattern *pattern, const char *s, const char *p) {
  int open = 1;
  if (p >= pattern->pattern_end - 1)
    luaL_error(pattern->L, "malformed pattern (missing arguments to '%%b')");
  if (*s != *p)
    return NULL;
  while (++s < pattern->text_end) {
    spend(pattern, 1);
    if (*s == p[1]) {
      if (--open == 0)
        return s + 1;
    } else if (*s == *p)
      open++;
  }
  return NULL;
}

static bool is_frontier(BidePattern *pattern, const char *s, const char *p, const char *end) {
  int before = s == pattern->text ? '\0' : byte_at(s - 1);
  spend(pattern, end - p);
  return !is_in_set(before, p, end - 1) && is_in_set(byte_at(s), p, end - 1);
}

/* ---- patterns -------------------------------------------------------------------- */

/* A state between two items; `s` becomes NULL if nothing matches. */
typedef struct Place {
  const char *s, *p;
  bool is_final; /* `s` is the result */
} Place;

static Place answer(const char *s) {
  return (Place){s, NULL, true};
}

static Place go_to(const char *s, const char *p) {
  return (Place){s, p, s == NULL};
}

/* Matches an item with its sign of repetition. */
static Place match_item(BidePattern *pattern, const char *s, const char *p) {
  const char *end = end_of_item(pattern, p), *found;
  char sign = *end;
  if (!fits(pattern, s, p, end))
    return sign == '*' || sign == '?' || sign == '-' ? go_to(s, end + 1) : answer(NULL);
  switch (sign) {
    case '?':
      found = match_here(pattern, s + 1, end + 1);
      return found != NULL ? answer(found) : go_to(s, end + 1);
    case '+': return answer(expand_most(pattern, s + 1, p, end));
    case '*': return answer(expand_most(pattern, s, p, end));
    case '-': return answer(expand_least(pattern, s, p, end));
    default: return go_to(s + 1, end);
  }
}

static Place match_escape(BidePattern *pattern, const char *s, const char *p) {
  const char *end;
  if (p[1] == 'b')
    return go_to(match_balance(pattern, s, p + 2), p + 4);
  if (isdigit(byte_at(p + 1)))
    return go_to(match_again(pattern, s, byte_at(p + 1)), p + 2);
  if (p[1] != 'f')
    return match_item(pattern, s, p);
  if (p[2] != '[')
    luaL_error(pattern->L, "missing '[' after '%%f' in pattern");
  end = end_of_item(pattern, p + 2);
  return is_frontier(pattern, s, p + 2, end) ? go_to(s, end) : answer(NULL);
}

static Place match_next(BidePattern *pattern, const char *s, const char *p) {
  switch (*p) {
    case '(':
      return answer(p[1] == ')' ? open_capture(pattern, s, p + 2, BIDE_CAPTURE_POSITION)
                                : open_capture(pattern, s, p + 1, BIDE_CAPTURE_OPEN));
    case ')': return answer(close_capture(pattern, s, p + 1));
    case '%': return match_escape(pattern, s, p);
    case '$':
      if (p + 1 == pattern->pattern_end)
        return answer(s == pattern->text_end ? s : NULL);
      return match_item(pattern, s, p);
    default: return match_item(pattern, s, p);
  }
}

static const char *match_here(BidePattern *pattern, const char *s, const char *p) {
  Place place = {s, p, false};
  if (pattern->depth-- == 0)
    luaL_error(pattern->L, "pattern too complex");
  while (!place.is_final && place.p != pattern->pattern_end) {
    spend(pattern, 1);
    place = match_next(pattern, place.s, place.p);
  }
  pattern->depth++;
  return place.s;
}

const char *bide_pattern_match(BidePattern *pattern, const char *s, const char *p) {
  pattern->level = 0;
  pattern->depth = DEEPEST;
  return match_here(pattern, s, p);
}
