/*
** A JSON value of 16 bytes, immutable once it is read. The elements of an array are contiguous,
** and so are the members of an object. A JMESPath result that contains parts of a document copies
** their 16 bytes and borrows the rest.
**
** Every value stores its depth, and every maker refuses values deeper than BIDE_DEPTH. This bounds
** all recursion over a value.
**
** Ownership: strings, elements and members belong to the arena or the text that the value was read
** into, and die with it.
*/
#ifndef BIDE_JSON_VALUE_H
#define BIDE_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
  uint16_t depth;  /* of an array or object: 1 more than its deepest part; else 0 */
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
** A member of an object. Names within an object are unique: if the text repeats one, the reader
** keeps the last value at the first position. Two names of one document at the same address must
** be the same name, since a search compares addresses; so an empty name must not lie where
** another begins or ends.
*/
struct BideMember {
  union {
    const char *name; /* `name_length` bytes of UTF-8 */
    uint64_t width;   /* gives a member the size of two values on every machine */
  };
  uint32_t name_length;
  uint32_t name_hash; /* bide_name_hash(name, name_length) */
  BideValue value;
};

_Static_assert(sizeof(BideValue) == 16, "a value has 16 bytes");
_Static_assert(sizeof(BideMember) == 2 * sizeof(BideValue), "a member has the size of two values");

/* Computes the hash that members store; equal names have equal hashes. */
uint32_t bide_name_hash(const char *name, size_t length);

/* Returns the value of a member; NULL if `value` is not an object or lacks it. */
const BideValue *bide_value_member(const BideValue *value, const char *name, size_t length);

/* Returns the member of that name among `count`, or NULL. */
const BideMember *bide_object_find(const BideMember *members, size_t count, const char *name,
                                   size_t length, uint32_t hash);

/*
** Compares deeply, as JMESPath's == does. Any two values can be compared; the order of members
** does not matter; numbers of all three types compare by their exact value (1 equals 1.0,
** 9007199254740993 does not equal 9007199254740992.0).
*/
bool bide_value_equal(const BideValue *a, const BideValue *b);

/*
** Compares with a bound: subtracts the cost from `*work`, about one a value compared. If `*work`
** does not suffice, sets it to 0 and returns false.
*/
bool bide_value_equal_within(const BideValue *a, const BideValue *b, uint64_t *work);

/*
** Hashes the whole value. Values that bide_value_equal calls equal have equal hashes. The hash is
** the same in every process and on every machine.
*/
uint64_t bide_value_hash(const BideValue *value);

/* Compares two numbers, which both must be: returns less than 0, 0 or more than 0. */
int bide_value_compare_numbers(const BideValue *a, const BideValue *b);

/* Returns the type as JMESPath's type() names it: "null", "boolean", "number", … */
const char *bide_value_type_name(const BideValue *value);

/* Constructors of values that are not part of a text. They borrow their arguments. */
static inline BideValue bide_value_null(void) {
  return (BideValue){.type = BIDE_NULL, .as.integer = 0};
}

static inline BideValue bide_value_boolean(bool boolean) {
  return (BideValue){.type = boolean ? BIDE_TRUE : BIDE_FALSE, .as.integer = 0};
}

static inline BideValue bide_value_integer(int64_t integer) {
  return (BideValue){.type = BIDE_INTEGER, .as.integer = integer};
}

/* Makes an INTEGER if `integer` fits one, else an UNSIGNED. */
static inline BideValue bide_value_unsigned(uint64_t integer) {
  if (integer <= INT64_MAX)
    return bide_value_integer((int64_t)integer);
  return (BideValue){.type = BIDE_UNSIGNED, .as.unsigned_integer = integer};
}

/* `number` must be finite. */
static inline BideValue bide_value_double(double number) {
  return (BideValue){.type = BIDE_DOUBLE, .as.number = number};
}

static inline BideValue bide_value_string(const char *bytes, size_t length) {
  return (BideValue){.type = BIDE_STRING, .length = (uint32_t)length, .as.string = bytes};
}

/* Makes an array whose deepest element has the depth `deepest`. */
static inline BideValue bide_value_array_above(const BideValue *elements, size_t count,
                                               uint16_t deepest) {
  return (BideValue){.type = BIDE_ARRAY,
                     .depth = (uint16_t)(deepest + 1),
                     .length = (uint32_t)count,
                     .as.elements = elements};
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
  return (BideValue){.type = BIDE_OBJECT,
                     .depth = (uint16_t)(deepest + 1),
                     .length = (uint32_t)count,
                     .as.members = members};
}

/* Makes a member and computes the hash of its name. */
BideMember bide_member(const char *name, size_t length, BideValue value);

/* Reports whether a value is a string of these bytes. */
static inline bool bide_value_is_text(const BideValue *value, const char *bytes, size_t length) {
  return value->type == BIDE_STRING && value->length == length &&
         memcmp(value->as.string, bytes, length) == 0;
}

static inline bool bide_value_is_number(const BideValue *value) {
  return value->type >= BIDE_INTEGER && value->type <= BIDE_DOUBLE;
}

#endif
