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
  BideError mistake;          /* the first one in a node that was made; BIDE_OK for none */
} BideBuilder;

/* Notes that memory is out; returns NULL. */
void *bide_build_fail(const BideBuilder *builder);

BideNode *bide_build_node(const BideBuilder *builder, BideNodeKind kind, size_t offset);

/* Nodes of the name, and of the literal, that the lexer stands at. */
BideNode *bide_build_field(const BideBuilder *builder, const BideLexer *lexer);
BideNode *bide_build_literal(const BideBuilder *builder, const BideLexer *lexer);

/* What stands between the brackets of a slice. */
typedef struct BideSliceParts {
  int64_t numbers[3];
  bool present[3];
  int colons;
} BideSliceParts;

/* A slice without a body. A step of 0 is a mistake. */
BideNode *bide_build_slice(BideBuilder *builder, const BideSliceParts *parts, size_t offset);

/*
** Gives a CALL its function and its arguments, the items of a LIST. An unknown
** function and a wrong number of arguments are mistakes.
*/
void bide_build_call(BideBuilder *builder, BideNode *call, const BideValue *name,
                     const BideNode *arguments);

/*
** Reports the first mistake; false where there is one. Whoever parses asks at the
** end, so that an error of syntax further on in the text is reported in its place.
*/
bool bide_build_is_right(const BideBuilder *builder);

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
void bide_build_comparison(BideNode *node, BideOperator operator, BideNode *left,
                           BideNode *right);

/* Notes what one element of a reference costs: nodes made since it was made. */
void bide_build_weigh(const BideBuilder *builder, BideNode *node);

#endif
