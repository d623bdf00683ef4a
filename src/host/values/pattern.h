/*
** Lua's patterns, for scripts that are not trusted. They match what Lua's own functions match, but
** each step is charged to the script: a pattern that takes exponential time ends at the limit of
** instructions or at a deadline, like any other loop.
*/
#ifndef BIDE_HOST_VALUES_PATTERN_H
#define BIDE_HOST_VALUES_PATTERN_H

#include <lua.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BidePatternCapture {
  const char *begin;
  ptrdiff_t length; /* or one of the two constants below */
} BidePatternCapture;

#define BIDE_CAPTURE_OPEN (-1)     /* the end of the capture has not been reached */
#define BIDE_CAPTURE_POSITION (-2) /* it captures a position, not a text */
#define BIDE_CAPTURES 32

/*
** A pattern and a text, both of which end with NUL and stay at their address. Errors are raised on
** L.
*/
typedef struct BidePattern {
  lua_State *L;
  const char *text, *text_end;
  const char *pattern_end;
  int level; /* captures so far */
  int depth;
  int64_t steps; /* not charged yet */
  BidePatternCapture captures[BIDE_CAPTURES];
} BidePattern;

void bide_pattern_init(BidePattern *pattern, lua_State *L, const char *text, size_t length,
                       const char *pattern_end);

/* Returns the end of the match of the pattern from `p` on that begins at `s`; NULL if none does. */
const char *bide_pattern_match(BidePattern *pattern, const char *s, const char *p);

/* Charges the steps that were not charged yet. */
void bide_pattern_settle(BidePattern *pattern);

#endif
