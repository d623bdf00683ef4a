#include "json/value.h"

#include <string.h>

#include "base/arena.h"
#include "base/depth.h"
#include "json/scan.h"

_Static_assert(BIDE_DEPTH < UINT16_MAX, "a value has room for its depth, and for one too much");
_Static_assert(BIDE_ARENA_ALIGNMENT % _Alignof(BideMember) == 0, "an arena aligns members");

/* ---- names ---- */

BideMember bide_member(const char *name, size_t length, BideValue value) {
  return (BideMember){.name = name,
                      .name_length = (uint32_t)length,
                      .name_hash = bide_name_hash(name, length),
                      .value = value};
}

/*
** Hashes whole words, and overlapping parts of names that are shorter than eight bytes. It only
** needs to distinguish the names of one object, since names with equal hashes are compared in
** full. spec/support/oracle/collision.lua repeats this function to make names that collide.
*/
uint32_t bide_name_hash(const char *name, size_t length) {
  const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);
  uint64_t hash = (length + 1) * factor;
  uint64_t word = 0;
  if (length >= 8) {
    for (size_t i = 0; i + 8 < length; i += 8) {
      hash = (hash ^ bide_load_word(name + i)) * factor;
      hash ^= hash >> 32;
    }
    word = bide_load_word(name + length - 8);
  } else if (length >= 4) {
    word = bide_load_half_word(name) | (uint64_t)bide_load_half_word(name + length - 4) << 32;
  } else if (length > 0) {
    word = (uint64_t)(unsigned char)name[0] | (uint64_t)(unsigned char)name[length / 2] << 8 |
           (uint64_t)(unsigned char)name[length - 1] << 16;
  }
  hash = (hash ^ word) * factor;
  return (uint32_t)(hash >> 32);
}

const BideMember *bide_object_find(const BideMember *members, size_t count, const char *name,
                                   size_t length, uint32_t hash) {
  for (size_t i = 0; i < count; i++)
    if (members[i].name_hash == hash && members[i].name_length == length &&
        memcmp(members[i].name, name, length) == 0)
      return &members[i];
  return NULL;
}

const BideValue *bide_value_member(const BideValue *value, const char *name, size_t length) {
  const BideMember *member;
  if (value->type != BIDE_OBJECT || value->length == 0)
    return NULL;
  member = bide_object_find(value->as.members, value->length, name, length,
                            bide_name_hash(name, length));
  return member == NULL ? NULL : &member->value;
}

const char *bide_value_type_name(const BideValue *value) {
  switch ((BideType)value->type) {
    case BIDE_NULL: return "null";
    case BIDE_FALSE:
    case BIDE_TRUE: return "boolean";
    case BIDE_INTEGER:
    case BIDE_UNSIGNED:
    case BIDE_DOUBLE: return "number";
    case BIDE_STRING: return "string";
    case BIDE_ARRAY: return "array";
    case BIDE_OBJECT: return "object";
  }
  return "null";
}

/* ---- numbers ---- */

static int order_of_signed(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static int order_of_unsigned(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

static int order_of_doubles(double a, double b) {
  return (a > b) - (a < b);
}

/* Compares with the integral part of the double, which an integer holds exactly. */
static int order_of_signed_and_double(int64_t a, double b) {
  int64_t whole;
  if (b >= 9223372036854775808.0)
    return -1;
  if (b < -9223372036854775808.0)
    return 1;
  whole = (int64_t)b;
  if (a != whole)
    return order_of_signed(a, whole);
  return order_of_doubles((double)whole, b);
}

static int order_of_unsigned_and_double(uint64_t a, double b) {
  uint64_t whole;
  if (b >= 18446744073709551616.0)
    return -1;
  if (b < 0)
    return 1;
  whole = (uint64_t)b;
  if (a != whole)
    return order_of_unsigned(a, whole);
  return order_of_doubles((double)whole, b);
}

static int order_of_integer_and_double(const BideValue *a, double b) {
  return a->type == BIDE_INTEGER ? order_of_signed_and_double(a->as.integer, b)
                                 : order_of_unsigned_and_double(a->as.unsigned_integer, b);
}

int bide_value_compare_numbers(const BideValue *a, const BideValue *b) {
  if (a->type == BIDE_DOUBLE && b->type == BIDE_DOUBLE)
    return order_of_doubles(a->as.number, b->as.number);
  if (a->type == BIDE_DOUBLE)
    return -order_of_integer_and_double(b, a->as.number);
  if (b->type == BIDE_DOUBLE)
    return order_of_integer_and_double(a, b->as.number);
  if (a->type != b->type) /* an UNSIGNED is above every int64 */
    return a->type == BIDE_UNSIGNED ? 1 : -1;
  return a->type == BIDE_INTEGER
           ? order_of_signed(a->as.integer, b->as.integer)
           : order_of_unsigned(a->as.unsigned_integer, b->as.unsigned_integer);
}

/* ---- equality ---- */

static bool charge(uint64_t *work, uint64_t units) {
  if (*work < units) {
    *work = 0;
    return false;
  }
  *work -= units;
  return true;
}

static bool equal_arrays(const BideValue *a, const BideValue *b, uint64_t *work) {
  if (a->length != b->length)
    return false;
  if (a->as.elements == b->as.elements)
    return true;
  for (uint32_t i = 0; i < a->length; i++)
    if (!bide_value_equal_within(&a->as.elements[i], &b->as.elements[i], work))
      return false;
  return true;
}

/* Finds a member; tries the same position first, since objects mostly share their order. */
static const BideMember *find_near(const BideValue *object, uint32_t position,
                                   const BideMember *wanted, uint64_t *work) {
  const BideMember *near = &object->as.members[position];
  if (near->name_hash == wanted->name_hash && near->name_length == wanted->name_length &&
      memcmp(near->name, wanted->name, wanted->name_length) == 0)
    return near;
  if (!charge(work, object->length / 4))
    return NULL;
  return bide_object_find(object->as.members, object->length, wanted->name, wanted->name_length,
                          wanted->name_hash);
}

/* Names are unique in both, so it suffices that the counts are equal and each name is found. */
static bool equal_objects(const BideValue *a, const BideValue *b, uint64_t *work) {
  if (a->length != b->length)
    return false;
  if (a->as.members == b->as.members)
    return true;
  for (uint32_t i = 0; i < a->length; i++) {
    const BideMember *member = &a->as.members[i];
    const BideMember *other = find_near(b, i, member, work);
    if (other == NULL || !bide_value_equal_within(&member->value, &other->value, work))
      return false;
  }
  return true;
}

bool bide_value_equal_within(const BideValue *a, const BideValue *b, uint64_t *work) {
  if (bide_value_is_number(a) && bide_value_is_number(b))
    return bide_value_compare_numbers(a, b) == 0;
  if (a->type != b->type)
    return false;
  if (a->type == BIDE_STRING)
    return a->length == b->length && memcmp(a->as.string, b->as.string, a->length) == 0;
  if (a->type < BIDE_ARRAY)
    return true;
  if (!charge(work, 1 + (uint64_t)a->length))
    return false;
  return a->type == BIDE_ARRAY ? equal_arrays(a, b, work) : equal_objects(a, b, work);
}

bool bide_value_equal(const BideValue *a, const BideValue *b) {
  uint64_t work = UINT64_MAX;
  return bide_value_equal_within(a, b, &work);
}
