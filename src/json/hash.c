#include "json/value.h"

#include <string.h>

#define TWO_TO_63 9223372036854775808.0
#define TWO_TO_64 18446744073709551616.0

/* Mixes a word into a hash (the finisher of splitmix64): each bit affects all bits. */
static uint64_t mix(uint64_t hash, uint64_t word) {
  uint64_t z = (hash ^ word) + UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* Hashes byte by byte (FNV-1a), so the byte order of the machine does not matter. */
static uint64_t hash_text(const char *bytes, size_t length) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001B3);
  return hash;
}

/* Hashes a double with an integral value as that integer, since the two are equal. */
static uint64_t hash_double(double number) {
  uint64_t bits;
  if (number >= -TWO_TO_63 && number < TWO_TO_63 && number == (double)(int64_t)number)
    return (uint64_t)(int64_t)number;
  if (number >= TWO_TO_63 && number < TWO_TO_64)
    return (uint64_t)number;
  memcpy(&bits, &number, sizeof bits);
  return mix(1, bits);
}

/* Adds up the hashes of the members, whose order does not matter. */
static uint64_t hash_members(const BideValue *object) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < object->length; i++) {
    const BideMember *member = &object->as.members[i];
    sum += mix(hash_text(member->name, member->name_length), bide_value_hash(&member->value));
  }
  return sum;
}

static uint64_t hash_elements(const BideValue *array) {
  uint64_t hash = array->length;
  for (uint32_t i = 0; i < array->length; i++)
    hash = mix(hash, bide_value_hash(&array->as.elements[i]));
  return hash;
}

uint64_t bide_value_hash(const BideValue *value) {
  switch ((BideType)value->type) {
    case BIDE_NULL:
    case BIDE_FALSE:
    case BIDE_TRUE: return mix(value->type, 0);
    case BIDE_INTEGER: return mix(BIDE_INTEGER, (uint64_t)value->as.integer);
    case BIDE_UNSIGNED: return mix(BIDE_INTEGER, value->as.unsigned_integer);
    case BIDE_DOUBLE: return mix(BIDE_INTEGER, hash_double(value->as.number));
    case BIDE_STRING: return mix(BIDE_STRING, hash_text(value->as.string, value->length));
    case BIDE_ARRAY: return mix(BIDE_ARRAY, hash_elements(value));
    case BIDE_OBJECT: return mix(BIDE_OBJECT, hash_members(value));
  }
  return 0;
}
