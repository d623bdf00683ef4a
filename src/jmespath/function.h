/*
** The functions of the language: what they take, what they give, and how they
** are called.
*/
#ifndef BIDE_JMESPATH_FUNCTION_H
#define BIDE_JMESPATH_FUNCTION_H

#include "jmespath/search.h"

/* What an argument may be; a set of these. */
enum {
  BIDE_TAKES_NULL = 1,
  BIDE_TAKES_BOOLEAN = 2,
  BIDE_TAKES_NUMBER = 4,
  BIDE_TAKES_STRING = 8,
  BIDE_TAKES_ARRAY = 16,
  BIDE_TAKES_OBJECT = 32,
  BIDE_TAKES_ANY = 63,
  BIDE_TAKES_NUMBERS = 64,   /* an array that holds nothing but numbers */
  BIDE_TAKES_STRINGS = 128,  /* an array that holds nothing but strings */
  BIDE_TAKES_REFERENCE = 256 /* &expression */
};

#define BIDE_ARGUMENTS_ANY UINT32_MAX

typedef struct BideCall {
  BideSearch *search;
  const BideNode *node;
  const BideValue *arguments;
  uint32_t count;
} BideCall;

#define BIDE_TAKES 8

struct BideFunction {
  const char *name;
  uint32_t least;             /* how many arguments it takes */
  uint32_t most;
  uint16_t takes[BIDE_TAKES]; /* a set for each; where it is 0, as the one before */
  uint16_t gives;             /* a set, for static types */
  BideValue (*call)(const BideCall *call);
  /* Where set, gives what evaluates a call and its arguments, so that a projection may stream into it. */
  BideEvaluator *(*streamer)(const BideNode *call);
  const BideFunction *next; /* of the host's functions */
};

/*
** The function of that name, the language's or one of `more`, if it takes `count`
** arguments. Otherwise NULL, with the code UNKNOWN_FUNCTION or ARITY, without the
** place.
*/
const BideFunction *bide_function_find(const BideFunction *more, const char *name, size_t length,
                                       uint32_t count, BideError *error);

/* The same whatever it takes; NULL where there is none. */
const BideFunction *bide_function_named(const BideFunction *more, const char *name, size_t length);

/* The language's functions, in the order of their names; NULL behind the last one. */
const BideFunction *bide_function_at(size_t position);

/* The set of what its argument number `position`, from 0, may be. */
unsigned bide_function_takes(const BideFunction *function, uint32_t position);

/* "a number", "a string, an array or an object": a set in words. */
#define BIDE_TAKES_TEXT 160
void bide_function_describe(unsigned takes, char text[BIDE_TAKES_TEXT]);

/* What evaluates that call. */
BideEvaluator *bide_function_evaluator(const BideNode *call);

/* Whether argument number `position`, from 0, is what the function takes; notes the failure. */
bool bide_function_check(BideSearch *search, const BideNode *node, uint32_t position,
                         BideValue argument);

/* What the expression that argument number `position` refers to gives for one element. */
static inline BideValue bide_function_apply(const BideCall *call, uint32_t position,
                                            BideValue element) {
  const BideNode *reference = call->node->as.call.arguments[position];
  if (!bide_search_charge(call->search, reference->weight))
    return bide_value_null();
  return bide_search_evaluate(call->search, reference->as.pair.left, &element);
}

/* function_number.c */
BideValue bide_function_abs(const BideCall *call);
BideValue bide_function_avg(const BideCall *call);
BideValue bide_function_ceil(const BideCall *call);
BideValue bide_function_floor(const BideCall *call);
BideValue bide_function_sum(const BideCall *call);
BideValue bide_function_to_number(const BideCall *call);

/* function_string.c */
BideValue bide_function_ends_with(const BideCall *call);
BideValue bide_function_join(const BideCall *call);
BideValue bide_function_starts_with(const BideCall *call);
BideValue bide_function_to_string(const BideCall *call);
BideValue bide_function_reverse_string(const BideCall *call);
bool bide_string_contains(BideSearch *search, BideValue string, BideValue part);

/* function_list.c */
BideValue bide_function_contains(const BideCall *call);
BideEvaluator *bide_function_contains_streamer(const BideNode *call);
BideValue bide_function_length(const BideCall *call);
BideEvaluator *bide_function_length_streamer(const BideNode *call);
BideValue bide_function_map(const BideCall *call);
BideValue bide_function_not_null(const BideCall *call);
BideValue bide_function_reverse(const BideCall *call);
BideValue bide_function_to_array(const BideCall *call);
BideValue bide_function_type(const BideCall *call);

/* function_object.c */
BideValue bide_function_keys(const BideCall *call);
BideValue bide_function_merge(const BideCall *call);
BideValue bide_function_values(const BideCall *call);

/* function_order.c */
BideValue bide_function_max(const BideCall *call);
BideValue bide_function_max_by(const BideCall *call);
BideValue bide_function_min(const BideCall *call);
BideValue bide_function_min_by(const BideCall *call);
BideValue bide_function_sort(const BideCall *call);
BideValue bide_function_sort_by(const BideCall *call);

#endif
