/*
** libbide: bide's decisions without bide. It reads JSON, searches it by JMESPath, and decides by
** the waiters of Smithy when to ask again and when a wait is over. It has no clock, no threads, no
** network and no Lua: the caller asks, and says what came and when.
**
** - Ownership: what a function whose name ends in _read or _new returns is the caller's, who frees
**   it with the function of the same type that ends in _free; NULL may be freed. A node belongs to
**   what it came from. A text belongs to its node or object and has no NUL at its end unless it is
**   said to have one.
** - Errors: a function that can fail takes `error`, which may be NULL. On failure it returns NULL
**   or false, and sets `*error`, if it is there, to an error that the caller frees. Otherwise it
**   leaves it alone.
** - Threads: an object is used by one thread at a time. Different objects share nothing, but a
**   waiter and its definition, which never changes.
** - Texts are UTF-8 with a length in bytes. Times are milliseconds of any clock that never goes
**   back. NULL for an object or a node is allowed only where it is said.
*/
#ifndef BIDE_H
#define BIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BIDE_PUBLIC __attribute__((visibility("default")))

typedef struct bide_error bide_error;
typedef struct bide_document bide_document;
typedef struct bide_node bide_node;
typedef struct bide_jmespath bide_jmespath;
typedef struct bide_waiter_definition bide_waiter_definition;
typedef struct bide_waiter bide_waiter;

/* ---- errors ---------------------------------------------------------------------------- */

/*
** Returns the class of an error, with a NUL: "json", "limit", "memory", "definition", and for
** expressions "syntax", "unknown-function", "invalid-arity", "invalid-type" and "invalid-value".
*/
BIDE_PUBLIC const char *bide_error_class(const bide_error *error);

/* Returns one sentence without a full stop, with a NUL. */
BIDE_PUBLIC const char *bide_error_message(const bide_error *error);

/*
** Return the place in the text that was read: line and column from 1, the column in code points.
** The line is 0 if the error has no place.
*/
BIDE_PUBLIC int bide_error_line(const bide_error *error);
BIDE_PUBLIC int bide_error_column(const bide_error *error);

BIDE_PUBLIC void bide_error_free(bide_error *error);

/* ---- documents ------------------------------------------------------------------------- */

/*
** Reads JSON strictly by RFC 8259. Whole numbers of 64 bits are exact. If a member is given twice,
** the last one counts. Keeps nothing of `text`. Fails with json, limit or memory.
*/
BIDE_PUBLIC bide_document *bide_document_read(const char *text, size_t length, bide_error **error);
BIDE_PUBLIC void bide_document_free(bide_document *document);

/* Returns the node of the whole document, which lives as long as the document. */
BIDE_PUBLIC const bide_node *bide_document_root(const bide_document *document);

typedef enum bide_document_type {
  BIDE_DOCUMENT_NULL,
  BIDE_DOCUMENT_BOOLEAN,
  BIDE_DOCUMENT_INTEGER,  /* a whole number that an int64_t holds */
  BIDE_DOCUMENT_UNSIGNED, /* a larger one that a uint64_t holds */
  BIDE_DOCUMENT_DOUBLE,   /* any other number */
  BIDE_DOCUMENT_STRING,
  BIDE_DOCUMENT_ARRAY,
  BIDE_DOCUMENT_OBJECT
} bide_document_type;

BIDE_PUBLIC bide_document_type bide_document_type_of(const bide_node *node);

/*
** Return the value of a node of that type, and false, 0 or an empty text of any other.
** bide_document_double converts whole numbers.
*/
BIDE_PUBLIC bool bide_document_boolean(const bide_node *node);
BIDE_PUBLIC int64_t bide_document_integer(const bide_node *node);
BIDE_PUBLIC uint64_t bide_document_unsigned(const bide_node *node);
BIDE_PUBLIC double bide_document_double(const bide_node *node);
BIDE_PUBLIC const char *bide_document_string(const bide_node *node, size_t *length);

/* Returns how many elements or members a node has; 0 for one that can have none. */
BIDE_PUBLIC size_t bide_document_count(const bide_node *node);

/* Return an element, or the value or the name of a member, by its place from 0; NULL beyond. */
BIDE_PUBLIC const bide_node *bide_document_element(const bide_node *node, size_t place);
BIDE_PUBLIC const char *bide_document_name(const bide_node *node, size_t place, size_t *length);

/* Returns the value of the member of that name, or NULL. */
BIDE_PUBLIC const bide_node *bide_document_member(const bide_node *node, const char *name,
                                                  size_t length);

/* Compares deeply, as JMESPath's == does. */
BIDE_PUBLIC bool bide_document_equal(const bide_node *a, const bide_node *b);

/*
** Writes a node as JSON with a NUL at its end, which `*length`, if it is there, does not count. The
** caller frees it with free(). Fails with memory or limit.
*/
BIDE_PUBLIC char *bide_document_write(const bide_node *node, size_t *length, bide_error **error);

/* ---- JMESPath -------------------------------------------------------------------------- */

/*
** Compiles an expression of jmespath.org's specification, and of bide's own functions. Keeps
** nothing of `text`. Fails with syntax, unknown-function, invalid-arity, invalid-value, limit or
** memory.
*/
BIDE_PUBLIC bide_jmespath *bide_jmespath_new(const char *text, size_t length, bide_error **error);
BIDE_PUBLIC void bide_jmespath_free(bide_jmespath *expression);

/*
** Searches a node. The result lives until the next search by this expression, and no longer than
** the expression and the document of the node. Work and memory are bounded. Fails with
** invalid-type, invalid-value, limit or memory.
*/
BIDE_PUBLIC const bide_node *bide_jmespath_evaluate(bide_jmespath *expression,
                                                    const bide_node *node, bide_error **error);

/* ---- waiters --------------------------------------------------------------------------- */

/*
** Reads a waiter as Smithy's trait smithy.waiters#waitable has it: an object with `acceptors`,
** of which one is for success, and with `minDelay` and `maxDelay` in seconds, which are 2 and 120
** otherwise. Other members than the trait's are refused. Fails with definition, json, limit and
** memory, and as bide_jmespath_new for a path.
*/
BIDE_PUBLIC bide_waiter_definition *bide_waiter_definition_read(const char *text, size_t length,
                                                                bide_error **error);
BIDE_PUBLIC void bide_waiter_definition_free(bide_waiter_definition *definition);

/*
** Begins a wait at `now` that lasts `max_wait` at most, which is above 0. The definition must
** outlive it. Delays are random by a seed, 0 at first: give each of many waits its own, so that
** they do not ask at once. Fails with definition or memory.
*/
BIDE_PUBLIC bide_waiter *bide_waiter_new(const bide_waiter_definition *definition, int64_t max_wait,
                                         int64_t now, bide_error **error);
BIDE_PUBLIC void bide_waiter_free(bide_waiter *waiter);

/* Set what the wait begins with. They are ignored after the first attempt. Attempts: from 1. */
BIDE_PUBLIC void bide_waiter_set_seed(bide_waiter *waiter, uint64_t seed);
BIDE_PUBLIC void bide_waiter_set_max_attempts(bide_waiter *waiter, uint64_t attempts);

typedef enum bide_waiter_state {
  BIDE_WAITER_WAITING, /* make the next attempt at bide_waiter_due */
  BIDE_WAITER_SUCCESS,
  BIDE_WAITER_FAILURE
} bide_waiter_state;

/*
** End an attempt at `now`, with the output of the operation or with the type of its error, and
** return the state of the wait. `input` is that of the operation, for matchers that look at it;
** NULL is an empty object. `retry_after` is what the service asks for, 0 if nothing. A wait that
** is over stays as it is. One for which memory runs out ends as a failure with the reason "memory".
*/
BIDE_PUBLIC bide_waiter_state bide_waiter_take_output(bide_waiter *waiter, const bide_node *input,
                                                      const bide_node *output, int64_t retry_after,
                                                      int64_t now);
BIDE_PUBLIC bide_waiter_state bide_waiter_take_error(bide_waiter *waiter, const bide_node *input,
                                                     const char *type, size_t length,
                                                     int64_t retry_after, int64_t now);

/* Ends the wait at its deadline, while an attempt is still under way. */
BIDE_PUBLIC void bide_waiter_cut(bide_waiter *waiter);

BIDE_PUBLIC bide_waiter_state bide_waiter_state_of(const bide_waiter *waiter);

/* Returns when the next attempt is due; while the wait continues, before the deadline. */
BIDE_PUBLIC int64_t bide_waiter_due(const bide_waiter *waiter);
BIDE_PUBLIC int64_t bide_waiter_deadline_of(const bide_waiter *waiter);

/* Returns how many attempts have ended. */
BIDE_PUBLIC uint64_t bide_waiter_attempts(const bide_waiter *waiter);

/*
** Returns why the wait is over, with a NUL: "acceptor", "unmatchedError", "maxAttempts", "maxWait",
** or "memory"; NULL while it continues.
*/
BIDE_PUBLIC const char *bide_waiter_reason(const bide_waiter *waiter);

/* Returns the position, from 1, of the acceptor that matched the last attempt; 0 if none did. */
BIDE_PUBLIC size_t bide_waiter_acceptor(const bide_waiter *waiter);

/* Returns why a path could not be evaluated in the last attempt, with a NUL; NULL if all could. */
BIDE_PUBLIC const char *bide_waiter_note(const bide_waiter *waiter);

/*
** Plans a wait whose attempts take no time and never end it: sets `times` to when the first
** `capacity` of them are due, in milliseconds since the beginning. Returns how many there are, at
** most `capacity`. The wait has not begun an attempt.
*/
BIDE_PUBLIC size_t bide_waiter_plan(const bide_waiter *waiter, int64_t *times, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
