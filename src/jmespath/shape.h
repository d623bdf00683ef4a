/*
** Shapes: what is known of a value before there is one. They describe the input
** of an expression to its analysis, which gives the shape of its result.
**
** A shape may hold itself, as recursive structures do. Whoever makes shapes keeps
** them alive; they are immutable once an analysis has seen them.
*/
#ifndef BIDE_JMESPATH_SHAPE_H
#define BIDE_JMESPATH_SHAPE_H

#include "base/arena.h"
#include "json/value.h"

typedef enum BideShapeKind {
  BIDE_SHAPE_ANY, /* nothing is known */
  BIDE_SHAPE_NULL,
  BIDE_SHAPE_BOOLEAN,
  BIDE_SHAPE_NUMBER,
  BIDE_SHAPE_STRING,
  BIDE_SHAPE_ARRAY,  /* of `element` */
  BIDE_SHAPE_OBJECT, /* with `members`, each of which may be absent, and no other */
  BIDE_SHAPE_MAP     /* an object of any names, whose values are `element` */
} BideShapeKind;

typedef struct BideShape BideShape;

typedef struct BideShapeMember {
  const char *name;
  size_t length;
  const BideShape *shape;
} BideShapeMember;

struct BideShape {
  BideShapeKind kind;
  const BideShape *element;
  const BideShapeMember *members;
  size_t count;
  bool is_mixed; /* an ARRAY that is known to hold a null, or values of several kinds */
};

/* Shapes without parts; static. ARRAY is an array of anything, OBJECT stands for a map of it. */
const BideShape *bide_shape_of_kind(BideShapeKind kind);

/* Makers; NULL where memory is out. What they are given is borrowed. */
const BideShape *bide_shape_array(BideArena *arena, const BideShape *element);
const BideShape *bide_shape_object(BideArena *arena, const BideShapeMember *members, size_t count);

/* The shape of a member; NULL where an object is known not to have it. */
const BideShape *bide_shape_member(const BideShape *object, const char *name, size_t length);

/* What both are: the more general of the two, as far as one can tell. */
const BideShape *bide_shape_common(BideArena *arena, const BideShape *a, const BideShape *b);

/*
** The shape of a sample. A null may be anything, and so may the elements of an
** empty array; elements of several shapes have what they share. NULL where memory
** is out.
*/
const BideShape *bide_shape_of_value(BideArena *arena, const BideValue *value);

/* "string", "array", …: for messages. */
const char *bide_shape_kind_name(BideShapeKind kind);

#endif
