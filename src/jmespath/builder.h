/*
** Makes the nodes of a tree and keeps it flat: see tree.h. A NULL in place of a node is a failure
** that was recorded before; every function that is passed one fails too.
*/
#ifndef BIDE_JMESPATH_BUILDER_H
#define BIDE_JMESPATH_BUILDER_H

#include "jmespath/lexer.h"
#include "jmespath/tree.h"

typedef struct BideBuilder {
  BideArena *arena;
  BideExpression *expression; /* counts its nodes and fields */
  BideError *error;           /* set if memory is exhausted, the only failure */
  BideError mistake;          /* the first mistake in a node, or BIDE_OK */
} BideBuilder;

/* Makes a node that begins at `offset`. Returns NULL if memory is exhausted, as all makers do. */
BideNode *bide_build_node(const BideBuilder *builder, BideNodeKind kind, size_t offset);

/* Make a FIELD and a LITERAL from the lexer's current token. */
BideNode *bide_build_field(const BideBuilder *builder, const BideLexer *lexer);
BideNode *bide_build_literal(const BideBuilder *builder, const BideLexer *lexer);

/* The content of the brackets of a slice. */
typedef struct BideSliceParts {
  int64_t numbers[3];
  bool present[3];
  int colons;
} BideSliceParts;

/* Makes the projection of a slice, without a body. A step of 0 is a mistake. */
BideNode *bide_build_slice(BideBuilder *builder, const BideSliceParts *parts, size_t offset);

/*
** Sets the function and the arguments of a CALL; the arguments are the items of a LIST. An unknown
** function and a wrong number of arguments are mistakes.
*/
void bide_build_call(BideBuilder *builder, BideNode *call, const BideValue *name,
                     const BideNode *arguments);

/*
** Sets the error to the first mistake and returns false if there was one. The parser calls this at
** its end, so that a syntax error later in the text is reported instead.
*/
bool bide_build_is_right(const BideBuilder *builder);

/* Appends an item to a LIST, HASH, CHAIN, OR or AND. */
bool bide_build_append(const BideBuilder *builder, BideNode *list, BideNode *item);

/* Appends a name to a HASH, before its item. */
bool bide_build_append_name(const BideBuilder *builder, BideNode *hash, const BideValue *name);

/* Makes a list of `kind` from its first item; returns `first` if it is such a list already. */
BideNode *bide_build_list(const BideBuilder *builder, BideNode *first, BideNodeKind kind);

/* Makes a chain that applies `step` to the result of `left`; flattens chains into one. */
BideNode *bide_build_step(const BideBuilder *builder, BideNode *left, BideNode *step);

/* Finishes a projection: sets the node that is applied to each element, or NULL. */
void bide_build_body(const BideBuilder *builder, BideNode *projection, BideNode *body);

/* Records that the items of a LIST or HASH may each contain the same value. */
void bide_build_repetition(const BideBuilder *builder, const BideNode *list);

/* Sets the operator and the operands of a COMPARE. */
void bide_build_comparison(BideNode *node, BideOperator comparison, BideNode *left,
                           BideNode *right);

/* Sets the cost of one element of a reference: the number of nodes made since it was made. */
void bide_build_weigh(const BideBuilder *builder, BideNode *node);

#endif
