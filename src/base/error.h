/*
** An error is a small value that the caller owns and the callee fills in. It is always the
** last parameter and never on the heap. A caller that only needs to know whether something
** failed may pass NULL.
*/
#ifndef BIDE_BASE_ERROR_H
#define BIDE_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

/* Classes of errors. Users see the name of a code, bide_error_name. */
typedef enum BideErrorCode {
  BIDE_OK = 0,
  BIDE_ERROR_MEMORY,           /* an allocation failed, or an arena reached its limit */
  BIDE_ERROR_LIMIT,            /* nesting, size, length or work beyond a limit */
  BIDE_ERROR_JSON,             /* the text is not JSON */
  BIDE_ERROR_SYNTAX,           /* JMESPath, the suite's name: syntax */
  BIDE_ERROR_TYPE,             /* JMESPath: invalid-type */
  BIDE_ERROR_VALUE,            /* JMESPath: invalid-value */
  BIDE_ERROR_ARITY,            /* JMESPath: invalid-arity */
  BIDE_ERROR_UNKNOWN_FUNCTION, /* JMESPath: unknown-function */
  BIDE_ERROR_DEFINITION,       /* a waiter that breaks a rule of the specification */
  BIDE_ERROR_SYSTEM,           /* a call to the operating system failed */
  BIDE_ERROR_HOST,             /* a function supplied by the host failed */
  BIDE_ERROR_NO_MEMBER         /* a condition rests on members that no answer has had */
} BideErrorCode;

#define BIDE_ERROR_TEXT 256

typedef struct BideError {
  BideErrorCode code;
  size_t offset; /* bytes from the beginning of the text that was read, if there is one */
  int line;      /* from 1; 0 if the error has no place */
  int column;    /* from 1, in code points */
  char message[BIDE_ERROR_TEXT]; /* one sentence without a full stop, truncated to fit */
} BideError;

/* Sets code and message (as printf) and clears the place. Accepts error == NULL. */
void bide_error_set(BideError *error, BideErrorCode code, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
void bide_error_set_list(BideError *error, BideErrorCode code, const char *format,
                         va_list arguments) __attribute__((format(printf, 3, 0)));

/* Sets the place: line and column of `offset` in `text`. Accepts error == NULL. */
void bide_error_locate(BideError *error, const char *text, size_t length, size_t offset);

/* Returns "syntax", "invalid-type", … for messages; a static string. */
const char *bide_error_name(BideErrorCode code);

#endif
