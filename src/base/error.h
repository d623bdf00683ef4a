/*
** An error is a small value that the caller owns and the callee fills in. It
** is always the last parameter, never on the heap, and may be NULL where the
** caller only wants to know whether something failed.
*/
#ifndef BIDE_BASE_ERROR_H
#define BIDE_BASE_ERROR_H

#include <stddef.h>

/* What went wrong. The name of a code, bide_error_name, is part of what users see. */
typedef enum BideErrorCode {
  BIDE_OK = 0,
  BIDE_ERROR_MEMORY,           /* an allocation failed, or an arena met its limit */
  BIDE_ERROR_LIMIT,            /* nesting, size, length or work beyond a limit */
  BIDE_ERROR_JSON,             /* text that is no JSON */
  BIDE_ERROR_SYNTAX,           /* JMESPath, the suite's name: syntax */
  BIDE_ERROR_TYPE,             /* JMESPath: invalid-type */
  BIDE_ERROR_VALUE,            /* JMESPath: invalid-value */
  BIDE_ERROR_ARITY,            /* JMESPath: invalid-arity */
  BIDE_ERROR_UNKNOWN_FUNCTION, /* JMESPath: unknown-function */
  BIDE_ERROR_DEFINITION,       /* a waiter that breaks a rule of the specification */
  BIDE_ERROR_SYSTEM,           /* a call to the operating system failed */
  BIDE_ERROR_HOST              /* a function that the host supplied raised */
} BideErrorCode;

#define BIDE_ERROR_TEXT 256

typedef struct BideError {
  BideErrorCode code;
  size_t offset; /* in bytes from the beginning of the text that was read, where there is one */
  int line;      /* from 1; 0 where the error has no place */
  int column;    /* from 1, in code points */
  char message[BIDE_ERROR_TEXT]; /* one sentence without a full stop, cut if it is longer */
} BideError;

/* Fills in code and message (as printf); no place. Accepts error == NULL. */
void bide_error_set(BideError *error, BideErrorCode code, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

/* Adds the place: line and column of `offset` in `text`. Accepts error == NULL. */
void bide_error_locate(BideError *error, const char *text, size_t length, size_t offset);

/* "syntax", "invalid-type", … for messages; a static string. */
const char *bide_error_name(BideErrorCode code);

#endif
