/*
** A JSON value: 16 bytes, immutable once it was read. The elements of an array
** stand side by side, so do the members of an object; a result of JMESPath that
** holds parts of a document copies their 16 bytes and borrows the rest.
**
** Every value knows its depth, and what makes values makes none that is deeper
** than BIDE_DEPTH: that bounds every walk over a value, and the stack that it takes.
**
** Who owns what: strings, elements and members live in the arena, or the text,
** that the value was read into, and die with it.
*/
#ifndef BIDE_JSON_VALUE_H
#define BIDE_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/depth.h"

typedef enum BideType {
  BIDE_NULL = 0,
  BIDE_FALSE,
  BIDE_TRUE,
  BIDE_INTEGER,  /* a number that is a whole int64 */
  BIDE_UNSIGNED, /* a whole number above INT64_MAX, up to UINT64_MAX */
  BIDE_DOUBLE,   /* any other number; finite */
  BIDE_STRING,   /* valid UTF-8; may hold NUL bytes; not NUL-terminated */
  BIDE_ARRAY,
  BIDE_OBJECT
} BideType;

typedef struct BideValue BideValue;
typedef struct BideMember BideMember;

struct BideValue {
  uint16_t type;   /* a BideType */
  uint16_t depth;  /* of an array or object: 1 more than that of its deepest part; else 0 */
  uint32_t length; /* bytes of a string; elements of an array; members of an object */
  union {
    int64_t integer;
    uint64_t unsigned_integer;
    double number;
    const char *string;
    const BideValue *elements;
    const BideMember *members;
  } as;
};

/*
** A member of an object. Names within an object are unique: where the text
** repeats one, the reader keeps the last value at the first one's place. Names of
** one document that stand at the same address are the same name; a search relies on
** that, so an empty one must not stand where another begins or ends.
*/
struct BideMember {
  union {
    const char *name; /* `name_length` bytes of UTF-8 */
    uint64_t width;   /* as wide as a pointer may be: a member is as long as two values on every machine */
  };
  uint32_t name_length;
  uint32_t name_hash; /* bide_name_hash(name, name_length) */
  BideValue value;
};

_Static_assert(sizeof(BideValue) == 16, "a value has 16 bytes");
_Static_assert(sizeof(BideMember) == 2 * sizeof(BideValue), "a member has the room of two values");

/* The hash that members carry: equal names have equal hashes. */
uint32_t bide_name_hash(const char *name, size_t length);

/* The value of a member; NULL when `value` is no object or has no such member. */
const BideValue *bide_value_member(const BideValue *value, const char *name, size_t length);

/* The member of that name among `count`; NULL where there is none. */
const BideMember *bide_object_find(const BideMember *members, size_t count, const char *name,
                                   size_t length, uint32_t hash);

/*
** Deep equality as JMESPath has it: total, the order of members does not
** matter, numbers compare by value over all three kinds (1 equals 1.0,
** 9007199254740993 does not equal 9007199254740992.0).
*/
bool bide_value_equal(const BideValue *a, const BideValue *b);

/*
** The same with a bound: takes what it costs from `*work`, about one a value
** compared. Where that does not suffice it returns false and `*work` is 0.
*/
bool bide_value_equal_within(const BideValue *a, const BideValue *b, uint64_t *work);

/*
** A hash of the whole value: equal values, as bide_value_equal has it, have equal
** hashes. It is the same in every process and on every machine.
*/
uint64_t bide_value_hash(const BideValue *value);

/* Orders two numbers by value: below 0, 0, above 0. Both must be numbers. */
int bide_value_compare_numbers(const BideValue *a, const BideValue *b);

/* "null", "boolean", "number", "string", "array", "object": the words of JMESPath's type(). */
const char *bide_value_type_name(const BideValue *value);

/* Makers, for values that are no part of a text. They borrow what they are given. */
static inline BideValue bide_value_null(void) {
  return (BideValue){.type = BIDE_NULL, .as.integer = 0};
}

static inline BideValue bide_value_boolean(bool boolean) {
  return (BideValue){.type = boolean ? BIDE_TRUE : BIDE_FALSE, .as.integer = 0};
}

static inline BideValue bide_value_integer(int64_t integer) {
  return (BideValue){.type = BIDE_INTEGER, .as.integer = integer};
}

/* An integer where it is one. */
static inline BideValue bide_value_unsigned(uint64_t integer) {
  if (integer <= INT64_MAX)
    return bide_value_integer((int64_t)integer);
  return (BideValue){.type = BIDE_UNSIGNED, .as.unsigned_integer = integer};
}

/* It must be finite. */
static inline BideValue bide_value_double(double number) {
  return (BideValue){.type = BIDE_DOUBLE, .as.number = number};
}

static inline BideValue bide_value_string(const char *bytes, size_t length) {
  return (BideValue){.type = BIDE_STRING, .length = (uint32_t)length, .as.string = bytes};
}

/* Of elements whose deepest has that depth. */
static inline BideValue bide_value_array_above(const BideValue *elements, size_t count,
                                               uint16_t deepest) {
  return (BideValue){.type = BIDE_ARRAY, .depth = (uint16_t)(deepest + 1),
                     .length = (uint32_t)count, .as.elements = elements};
}

static inline BideValue bide_value_array(const BideValue *elements, size_t count) {
  uint16_t deepest = 0;
  for (size_t i = 0; i < count; i++)
    if (elements[i].depth > deepest)
      deepest = elements[i].depth;
  return bide_value_array_above(elements, count, deepest);
}

static inline BideValue bide_value_object(const BideMember *members, size_t count) {
  uint16_t deepest = 0;
  for (size_t i = 0; i < count; i++)
    if (members[i].value.depth > deepest)
      deepest = members[i].value.depth;
  return (BideValue){.type = BIDE_OBJECT, .depth = (uint16_t)(deepest + 1),
                     .length = (uint32_t)count, .as.members = members};
}

BideMember bide_member(const char *name, size_t length, BideValue value);

static inline bool bide_value_is_number(const BideValue *value) {
  return value->type >= BIDE_INTEGER && value->type <= BIDE_DOUBLE;
}

#endif
