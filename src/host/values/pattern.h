/*
** Lua's patterns for scripts that are not trusted: what they match is what Lua's own functions match,
** but each step is charged to the script, so that a pattern whose work is exponential ends at the
** limit of instructions, or at a deadline, like any other loop.
*/
#ifndef BIDE_HOST_VALUES_PATTERN_H
#define BIDE_HOST_VALUES_PATTERN_H

#include <lua.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BidePatternCapture {
  const char *begin;
  ptrdiff_t length; /* or one of the two below */
} BidePatternCapture;

#define BIDE_CAPTURE_OPEN (-1)     /* its end has not been reached */
#define BIDE_CAPTURE_POSITION (-2) /* it is the place, not a text */
#define BIDE_CAPTURES 32

/* A pattern over a text; both end in NUL and stay where they are. What goes wrong is raised on L. */
typedef struct BidePattern {
  lua_State *L;
  const char *text, *text_end;
  const char *pattern_end;
  int level; /* captures so far */
  int depth;
  int64_t steps; /* that were not charged yet */
  BidePatternCapture captures[BIDE_CAPTURES];
} BidePattern;

void bide_pattern_init(BidePattern *pattern, lua_State *L, const char *text, size_t length,
                       const char *pattern_end);

/* Where a match of the pattern from `p` on ends that begins at `s`; NULL where there is none. */
const char *bide_pattern_match(BidePattern *pattern, const char *s, const char *p);

/* Charges what is left to charge. */
void bide_pattern_settle(BidePattern *pattern);

#endif
