/*
** What counts as a yes. Conditions of the command line, of inputs and of acceptors ask this, and so
** does the search for conditions that cannot be.
*/
#ifndef BIDE_JMESPATH_YES_H
#define BIDE_JMESPATH_YES_H

#include "json/value.h"

typedef enum BideYesRule {
  BIDE_YES_OF_PATH,    /* what JMESPath counts as true: for acceptors of files */
  BIDE_YES_OF_SUCCESS, /* true, and a list or an object that is not empty */
  BIDE_YES_OF_FAILURE, /* all but false, null, what is empty, 0, and texts that mean no */
  BIDE_YES_OF_ANY      /* any value, which the host compares */
} BideYesRule;

bool bide_yes(const BideValue *value, BideYesRule rule);

/*
** Reports whether a value is the text: a string equals it, and a number or a boolean has it as its
** JSON text.
*/
bool bide_yes_reads_as(const BideValue *value, const char *text, size_t length);

/*
** Reports whether an element of a list is this string; if `all`, whether it is not empty and all
** of its elements are.
*/
bool bide_yes_has_element(const BideValue *value, const char *text, size_t length, bool all);

#endif
