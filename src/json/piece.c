#include "json/piece.h"

#include <string.h>

/* Containers grow from the front, where they stay aligned, texts from the back. */
typedef struct Piece {
  char *front;
  char *back;
} Piece;

static bool take(size_t *room, size_t size) {
  if (size > *room)
    return false;
  *room -= size;
  return true;
}

/* `count * size` may be more than a size_t holds. */
static bool take_many(size_t *room, size_t count, size_t size) {
  return count <= *room / size && take(room, count * size);
}

static bool array_fits(const BideValue *array, size_t *room) {
  if (!take_many(room, array->length, sizeof(BideValue)))
    return false;
  for (uint32_t i = 0; i < array->length; i++)
    if (!bide_piece_fits(&array->as.elements[i], room))
      return false;
  return true;
}

static bool object_fits(const BideValue *object, size_t *room) {
  if (!take_many(room, object->length, sizeof(BideMember)))
    return false;
  for (uint32_t i = 0; i < object->length; i++) {
    const BideMember *member = &object->as.members[i];
    if (!take(room, member->name_length) || !bide_piece_fits(&member->value, room))
      return false;
  }
  return true;
}

bool bide_piece_fits(const BideValue *value, size_t *room) {
  if (value->type == BIDE_STRING)
    return take(room, value->length);
  if (value->type == BIDE_ARRAY)
    return array_fits(value, room);
  return value->type != BIDE_OBJECT || object_fits(value, room);
}

/* An empty text has a place of its own: names at one place are one name. */
static const char *copy_text(Piece *piece, const char *text, size_t length) {
  if (length == 0)
    return "";
  piece->back -= length;
  memcpy(piece->back, text, length);
  return piece->back;
}

static void *take_front(Piece *piece, size_t size) {
  void *taken = piece->front;
  piece->front += size;
  return taken;
}

static BideValue copy_value(Piece *piece, const BideValue *value);

static BideValue copy_array(Piece *piece, const BideValue *array) {
  BideValue *elements = take_front(piece, array->length * sizeof *elements);
  BideValue copy = *array;
  for (uint32_t i = 0; i < array->length; i++)
    elements[i] = copy_value(piece, &array->as.elements[i]);
  copy.as.elements = elements;
  return copy;
}

static BideValue copy_object(Piece *piece, const BideValue *object) {
  BideMember *members = take_front(piece, object->length * sizeof *members);
  BideValue copy = *object;
  for (uint32_t i = 0; i < object->length; i++) {
    members[i] = object->as.members[i];
    members[i].name = copy_text(piece, members[i].name, members[i].name_length);
    members[i].value = copy_value(piece, &members[i].value);
  }
  copy.as.members = members;
  return copy;
}

static BideValue copy_value(Piece *piece, const BideValue *value) {
  if (value->type == BIDE_STRING)
    return bide_value_string(copy_text(piece, value->as.string, value->length), value->length);
  if (value->type == BIDE_ARRAY)
    return copy_array(piece, value);
  return value->type == BIDE_OBJECT ? copy_object(piece, value) : *value;
}

BideValue bide_piece_copy(const BideValue *value, char *memory, size_t size) {
  Piece piece = {memory, memory + size};
  return copy_value(&piece, value);
}

static bool is_same_text(const char *a, const char *b, size_t length) {
  return length == 0 || memcmp(a, b, length) == 0;
}

static bool is_same_member(const BideMember *a, const BideMember *b) {
  return a->name_length == b->name_length && a->name_hash == b->name_hash &&
         is_same_text(a->name, b->name, a->name_length) && bide_piece_is_same(&a->value, &b->value);
}

static bool is_same_container(const BideValue *a, const BideValue *b) {
  for (uint32_t i = 0; i < a->length; i++)
    if (a->type == BIDE_ARRAY ? !bide_piece_is_same(&a->as.elements[i], &b->as.elements[i])
                              : !is_same_member(&a->as.members[i], &b->as.members[i]))
      return false;
  return true;
}

bool bide_piece_is_same(const BideValue *a, const BideValue *b) {
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
