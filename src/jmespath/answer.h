/*
** What header(), status() and text() ask of: the answer of HTTP that belongs to the input of a
** search. All three are null without one.
*/
#ifndef BIDE_JMESPATH_ANSWER_H
#define BIDE_JMESPATH_ANSWER_H

#include <stddef.h>
#include <stdint.h>

/* Its texts are borrowed, and need not be UTF-8. NULL where the answer has no such part. */
typedef struct BideAnswer {
  const char *headers; /* lines "Name: value\r\n" */
  size_t headers_length;
  const char *text; /* the body */
  size_t text_length;
  int64_t status; /* 0 without one */
} BideAnswer;

#endif
