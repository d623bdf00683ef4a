/*
** The functions of the language (the specification's "Built-in Functions"): the types that they
** accept and return, and how they are called.
*/
#ifndef BIDE_JMESPATH_FUNCTION_H
#define BIDE_JMESPATH_FUNCTION_H

#include "jmespath/search.h"

/* Types of arguments, as bits of a set. */
enum {
  BIDE_TAKES_NULL = 1,
  BIDE_TAKES_BOOLEAN = 2,
  BIDE_TAKES_NUMBER = 4,
  BIDE_TAKES_STRING = 8,
  BIDE_TAKES_ARRAY = 16,
  BIDE_TAKES_OBJECT = 32,
  BIDE_TAKES_ANY = 63,
  BIDE_TAKES_NUMBERS = 64,   /* an array of numbers only */
  BIDE_TAKES_STRINGS = 128,  /* an array of strings only */
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
  uint32_t least; /* the smallest and the largest number of arguments */
  uint32_t most;
  uint16_t takes[BIDE_TAKES]; /* a set for each argument; 0 means as the one before */
  uint16_t gives;             /* the set of result types, for the analysis */
  BideValue (*call)(const BideCall *call);
  /* Optional. Returns an evaluator of the call that streams a projection and makes no list. */
  BideEvaluator *(*streamer)(const BideNode *call);
  const BideFunction *next; /* the next function of the host */
};

/*
** Finds the function of that name, in the language or among `more`, that takes `count` arguments.
** Otherwise returns NULL and sets the code (UNKNOWN_FUNCTION or ARITY), but not the place.
*/
const BideFunction *bide_function_find(const BideFunction *more, const char *name, size_t length,
                                       uint32_t count, BideError *error);

/* Finds a function by its name alone; may return NULL. */
const BideFunction *bide_function_named(const BideFunction *more, const char *name, size_t length);

/*
** Reports whether a node, and all below it, calls functions of the language alone: none of the
** host, none of an answer. Its value then depends on the current one alone.
*/
bool bide_function_all_of_language(const BideNode *node);

/* Reports whether a function is one of the host, which may give anything. */
bool bide_function_is_of_host(const BideFunction *function);

/* Reports whether a function is bide's own, so that no Smithy model has it. */
bool bide_function_is_own(const BideFunction *function);

/* Reports whether a function asks of the answer: header(), status(), text(). */
bool bide_function_asks_answer(const BideFunction *function);

/* Returns function number `position` of the language, by name; NULL after the last. */
const BideFunction *bide_function_at(size_t position);

/* Returns the set of types that argument number `position`, from 0, may have. */
unsigned bide_function_takes(const BideFunction *function, uint32_t position);

/* Describes a set of types: "a number", "a string, an array or an object". */
#define BIDE_TAKES_TEXT 160
void bide_function_describe(unsigned takes, char text[BIDE_TAKES_TEXT]);

/* Returns the evaluator of that call. */
BideEvaluator *bide_function_evaluator(const BideNode *call);

/* Checks the type of argument number `position`, from 0. Records a failure and returns false. */
bool bide_function_check(BideSearch *search, const BideNode *node, uint32_t position,
                         BideValue argument);

/* Evaluates the expression reference that is argument number `position` for one element. */
static inline BideValue bide_function_apply(const BideCall *call, uint32_t position,
                                            BideValue element) {
  const BideNode *reference = call->node->as.call.arguments[position];
  if (!bide_search_charge(call->search, reference->weight))
    return bide_value_null();
  return bide_search_evaluate(call->search, reference->as.pair.left, &element);
}

/*
** The functions, sorted by name, as bide_function_at returns them: the smallest and the largest
** number of arguments, the types of the result, and those of each argument, which function.c
** abbreviates. One that is streamed has a maker of evaluators beside it in functions/.
*/
#define BIDE_FUNCTIONS(PLAIN, STREAMED) \
  PLAIN(abs, 1, 1, NUMBER, NUMBER) \
  PLAIN(avg, 1, 1, NUMBER | MAYBE, NUMBERS) \
  PLAIN(ceil, 1, 1, NUMBER, NUMBER) \
  STREAMED(contains, 2, 2, BOOLEAN, LIST | STRING, ANY) \
  PLAIN(ends_with, 2, 2, BOOLEAN, STRING, STRING) \
  PLAIN(floor, 1, 1, NUMBER, NUMBER) \
  PLAIN(header, 1, 1, STRING | MAYBE, STRING) \
  PLAIN(join, 2, 2, STRING, STRING, STRINGS) \
  PLAIN(keys, 1, 1, STRINGS, OBJECT) \
  STREAMED(length, 1, 1, NUMBER, STRING | LIST | OBJECT) \
  PLAIN(map, 2, 2, LIST, REFERENCE, LIST) \
  PLAIN(max, 1, 1, NUMBER | STRING | MAYBE, ORDERED) \
  PLAIN(max_by, 2, 2, ANY, LIST, REFERENCE) \
  PLAIN(merge, 1, MANY, OBJECT, OBJECT, OBJECT) \
  PLAIN(min, 1, 1, NUMBER | STRING | MAYBE, ORDERED) \
  PLAIN(min_by, 2, 2, ANY, LIST, REFERENCE) \
  PLAIN(not_null, 1, MANY, ANY, ANY, ANY) \
  PLAIN(reverse, 1, 1, STRING | LIST, STRING | LIST) \
  PLAIN(sort, 1, 1, ORDERED, ORDERED) \
  PLAIN(sort_by, 2, 2, LIST, LIST, REFERENCE) \
  PLAIN(starts_with, 2, 2, BOOLEAN, STRING, STRING) \
  PLAIN(status, 0, 0, NUMBER | MAYBE, 0) \
  PLAIN(sum, 1, 1, NUMBER, NUMBERS) \
  PLAIN(text, 0, 0, STRING | MAYBE, 0) \
  PLAIN(to_array, 1, 1, LIST, ANY) \
  PLAIN(to_number, 1, 1, NUMBER | MAYBE, ANY) \
  PLAIN(to_string, 1, 1, STRING, ANY) \
  PLAIN(type, 1, 1, STRING, ANY) \
  PLAIN(values, 1, 1, LIST, OBJECT) \
  PLAIN(version_at_least, 2, 2, BOOLEAN | MAYBE, STRING | MAYBE, STRING)

#define BIDE_DECLARE_PLAIN(name, ...) BideValue bide_function_##name(const BideCall *call);
#define BIDE_DECLARE_STREAMED(name, ...) \
  BideValue bide_function_##name(const BideCall *call); \
  BideEvaluator *bide_function_##name##_streamer(const BideNode *call);
BIDE_FUNCTIONS(BIDE_DECLARE_PLAIN, BIDE_DECLARE_STREAMED)
#undef BIDE_DECLARE_PLAIN
#undef BIDE_DECLARE_STREAMED

/* Parts of those, for others. */
BideValue bide_function_reverse_string(const BideCall *call);
bool bide_string_contains(BideSearch *search, BideValue string, BideValue part);

#endif
