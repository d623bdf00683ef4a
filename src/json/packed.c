#include "json/packed.h"

#include <string.h>

/* The free memory. Containers take from its front, where they stay aligned; texts from its back. */
typedef struct Packing {
  char *front;
  char *back;
} Packing;

static bool take(size_t *room, size_t size) {
  if (size > *room)
    return false;
  *room -= size;
  return true;
}

/* Takes room for `count` items; `count * size` may be more than a size_t holds. */
static bool take_many(size_t *room, size_t count, size_t size) {
  return count <= *room / size && take(room, count * size);
}

static bool array_fits(const BideValue *array, size_t *room) {
  if (!take_many(room, array->length, sizeof(BideValue)))
    return false;
  for (uint32_t i = 0; i < array->length; i++)
    if (!bide_packed_fits(&array->as.elements[i], room))
      return false;
  return true;
}

static bool object_fits(const BideValue *object, size_t *room) {
  if (!take_many(room, object->length, sizeof(BideMember)))
    return false;
  for (uint32_t i = 0; i < object->length; i++) {
    const BideMember *member = &object->as.members[i];
    if (!take(room, member->name_length) || !bide_packed_fits(&member->value, room))
      return false;
  }
  return true;
}

bool bide_packed_fits(const BideValue *value, size_t *room) {
  if (value->type == BIDE_STRING)
    return take(room, value->length);
  if (value->type == BIDE_ARRAY)
    return array_fits(value, room);
  return value->type != BIDE_OBJECT || object_fits(value, room);
}

/* Copies a text. An empty one has its own address: names at one address count as equal. */
static const char *copy_text(Packing *packing, const char *text, size_t length) {
  if (length == 0)
    return "";
  packing->back -= length;
  memcpy(packing->back, text, length);
  return packing->back;
}

static void *take_front(Packing *packing, size_t size) {
  void *taken = packing->front;
  packing->front += size;
  return taken;
}

static BideValue copy_value(Packing *packing, const BideValue *value);

static BideValue copy_array(Packing *packing, const BideValue *array) {
  BideValue *elements = take_front(packing, array->length * sizeof *elements);
  BideValue copy = *array;
  for (uint32_t i = 0; i < array->length; i++)
    elements[i] = copy_value(packing, &array->as.elements[i]);
  copy.as.elements = elements;
  return copy;
}

static BideValue copy_object(Packing *packing, const BideValue *object) {
  BideMember *members = take_front(packing, object->length * sizeof *members);
  BideValue copy = *object;
  for (uint32_t i = 0; i < object->length; i++) {
    members[i] = object->as.members[i];
    members[i].name = copy_text(packing, members[i].name, members[i].name_length);
    members[i].value = copy_value(packing, &members[i].value);
  }
  copy.as.members = members;
  return copy;
}

static BideValue copy_value(Packing *packing, const BideValue *value) {
  if (value->type == BIDE_STRING)
    return bide_value_string(copy_text(packing, value->as.string, value->length), value->length);
  if (value->type == BIDE_ARRAY)
    return copy_array(packing, value);
  return value->type == BIDE_OBJECT ? copy_object(packing, value) : *value;
}

BideValue bide_packed_copy(const BideValue *value, char *memory, size_t size) {
  Packing packing = {memory, memory + size};
  return copy_value(&packing, value);
}

static bool is_same_text(const char *a, const char *b, size_t length) {
  return length == 0 || memcmp(a, b, length) == 0;
}

static bool is_same_member(const BideMember *a, const BideMember *b) {
  return a->name_length == b->name_length && a->name_hash == b->name_hash &&
         is_same_text(a->name, b->name, a->name_length) &&
         bide_packed_is_same(&a->value, &b->value);
}

static bool is_same_container(const BideValue *a, const BideValue *b) {
  for (uint32_t i = 0; i < a->length; i++)
    if (a->type == BIDE_ARRAY ? !bide_packed_is_same(&a->as.elements[i], &b->as.elements[i])
                              : !is_same_member(&a->as.members[i], &b->as.members[i]))
      return false;
  return true;
}

bool bide_packed_is_same(const BideValue *a, const BideValue *b) {
  if (a->type != b->type)
    return false;
  switch ((BideType)a->type) {
    case BIDE_NULL:
    case BIDE_FALSE:
    case BIDE_TRUE: return true;
    case BIDE_INTEGER:
    case BIDE_UNSIGNED:
    case BIDE_DOUBLE: return a->as.unsigned_integer == b->as.unsigned_integer;
    case BIDE_STRING:
      return a->length == b->length && is_same_text(a->as.string, b->as.string, a->length);
    case BIDE_ARRAY:
    case BIDE_OBJECT: return a->length == b->length && is_same_container(a, b);
  }
  return false;
}
