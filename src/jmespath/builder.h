/*
** Makes the nodes of a tree, and keeps it flat: see tree.h. Whatever is given a
** NULL in place of a node, which is a failure noted before, fails as well.
*/
#ifndef BIDE_JMESPATH_BUILDER_H
#define BIDE_JMESPATH_BUILDER_H

#include "jmespath/lexer.h"
#include "jmespath/tree.h"

typedef struct BideBuilder {
  BideArena *arena;
  BideExpression *expression; /* whose fields are counted */
  BideError *error;           /* gets the one failure there is: memory */
} BideBuilder;

/* Notes that memory is out; returns NULL. */
void *bide_build_fail(const BideBuilder *builder);

BideNode *bide_build_node(const BideBuilder *builder, BideNodeKind kind, size_t offset);

/* Nodes of the name, and of the literal, that the lexer stands at. */
BideNode *bide_build_field(const BideBuilder *builder, const BideLexer *lexer);
BideNode *bide_build_literal(const BideBuilder *builder, const BideLexer *lexer);

/* Appends an item to a LIST, HASH, CHAIN, OR or AND. */
bool bide_build_append(const BideBuilder *builder, BideNode *list, BideNode *item);

/* Appends a name to a HASH, before its item. */
bool bide_build_append_name(const BideBuilder *builder, BideNode *hash, const BideValue *name);

/* A list of `kind` that begins with `first`, which may be such a list already. */
BideNode *bide_build_list(const BideBuilder *builder, BideNode *first, BideNodeKind kind);

/* `step` applied to what `left` gives: both end up in one chain. */
BideNode *bide_build_step(const BideBuilder *builder, BideNode *left, BideNode *step);

/* Finishes a projection by what is applied to each of its elements; NULL for nothing. */
void bide_build_body(const BideBuilder *builder, BideNode *projection, const BideNode *body);

/* Notes that each item of a LIST or HASH may be the same value. */
void bide_build_repetition(const BideBuilder *builder, const BideNode *list);

/* Gives a COMPARE its operands. */
void bide_build_comparison(BideNode *node, BideComparator comparator, BideNode *left,
                           BideNode *right);

/* Notes what one element of a reference costs: nodes made since it was made. */
void bide_build_weigh(const BideBuilder *builder, BideNode *node);

#endif
