/*
** Shapes: static types of values. A shape describes the input of an expression to its analysis,
** which finds the shape of the result.
**
** A shape may contain itself, as recursive structures do. The maker of a shape keeps it alive. A
** shape must not change once an analysis has used it.
*/
#ifndef BIDE_JMESPATH_ANALYSIS_SHAPE_H
#define BIDE_JMESPATH_ANALYSIS_SHAPE_H

#include "base/arena.h"
#include "json/value.h"

typedef enum BideShapeKind {
  BIDE_SHAPE_ANY, /* nothing is known */
  BIDE_SHAPE_NULL,
  BIDE_SHAPE_BOOLEAN,
  BIDE_SHAPE_NUMBER,
  BIDE_SHAPE_STRING,
  BIDE_SHAPE_ARRAY,  /* of `element` */
  BIDE_SHAPE_OBJECT, /* with these `members` only, each of which may be absent */
  BIDE_SHAPE_MAP     /* an object with any names, whose values are `element` */
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
};

extern const BideShape bide_shape_any;

/* Returns a static shape without parts. ARRAY is an array of any; OBJECT gives a MAP of any. */
const BideShape *bide_shape_of_kind(BideShapeKind kind);

/* Returns the shape of a member; NULL if the object is known not to have it. */
const BideShape *bide_shape_member(const BideShape *object, const char *name, size_t length);

/*
** Derives the shape of a sample. A null and the elements of an empty array may be anything;
** elements of several shapes have their common shape. Returns NULL if memory is exhausted.
*/
const BideShape *bide_shape_of_value(BideArena *arena, const BideValue *value);

/* Returns "string", "array" and so on, for messages. */
const char *bide_shape_kind_name(BideShapeKind kind);

#endif
