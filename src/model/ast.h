/*
** The JSON AST of a Smithy model, read in place: whether its shapes have the right structure, and
** to which shapes they refer. What a shape is once its mixins and the traits applied to it are
** taken in is found in Lua, in lua/bide/model/assembly/model.lua.
*/
#ifndef BIDE_MODEL_AST_H
#define BIDE_MODEL_AST_H

#include "base/arena.h"
#include "json/value.h"

/*
** Reports whether a member of the object of shapes has the structure that the AST gives it: its
** name is the id of a shape, and the type, the members and the references of the shape are what
** they must be. What is wrong otherwise is said in Lua, in lua/bide/model/assembly/structure.lua. The other
** functions take shapes for which this is true.
*/
bool bide_ast_is_sound(const BideMember *member);

/* Calls `visit` with the id, a string, of each shape that `shape` refers to. */
typedef void BideAstVisitor(void *context, const BideValue *id);
void bide_ast_visit_references(const BideValue *shape, BideAstVisitor *visit, void *context);

/*
** The shapes of a model in the order of their ids, borrowed from its document. In a table of hashes,
** ids that were made to collide would be found slowly.
*/
typedef struct BideAstIds {
  const BideMember **members;
  size_t count;
} BideAstIds;

/* Collects the ids of `shapes`, an object. Returns false if memory is exhausted. */
bool bide_ast_collect_ids(BideAstIds *ids, BideArena *arena, const BideValue *shapes);

/* Reports whether a string is one of the ids. */
bool bide_ast_has_id(const BideAstIds *ids, const BideValue *id);

#endif
