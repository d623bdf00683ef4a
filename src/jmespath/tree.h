/*
** A compiled expression: a tree, immutable once it is made.
**
** What leans left in the text is flat here. `a.b[0].c | d` is one chain of
** steps, each applied to what the one before gave; `a || b || c` is one list of
** operands. So the depth of the tree, and with it the stack that a search takes,
** is what the parser allowed as nesting, however long an expression is.
*/
#ifndef BIDE_JMESPATH_TREE_H
#define BIDE_JMESPATH_TREE_H

#include "jmespath/jmespath.h"

typedef enum BideNodeKind {
  BIDE_NODE_CURRENT,
  BIDE_NODE_LITERAL,
  BIDE_NODE_FIELD,
  BIDE_NODE_INDEX,
  BIDE_NODE_CHAIN,    /* items, one after the other */
  BIDE_NODE_PROJECT,  /* over the current value, as `variant` says */
  BIDE_NODE_LIST,     /* [a, b] */
  BIDE_NODE_HASH,     /* {x: a, y: b} */
  BIDE_NODE_CALL,
  BIDE_NODE_REFERENCE, /* &a, only as an argument */
  BIDE_NODE_OR,
  BIDE_NODE_AND,
  BIDE_NODE_NOT,
  BIDE_NODE_COMPARE
} BideNodeKind;

typedef enum BideProjection {
  BIDE_PROJECT_LIST,    /* [*] */
  BIDE_PROJECT_FLATTEN, /* [] */
  BIDE_PROJECT_VALUES,  /* * */
  BIDE_PROJECT_FILTER,  /* [?condition] */
  BIDE_PROJECT_SLICE    /* [start:stop:step] */
} BideProjection;

typedef enum BideOperator {
  BIDE_OPERATOR_EQUAL,
  BIDE_OPERATOR_NOT_EQUAL,
  BIDE_OPERATOR_LESS,
  BIDE_OPERATOR_LESS_EQUAL,
  BIDE_OPERATOR_GREATER,
  BIDE_OPERATOR_GREATER_EQUAL
} BideOperator;

/* The variant of a HASH some of whose names are equal: the last one wins. */
enum { BIDE_HASH_REPEATS = 1 };

typedef struct BideNode BideNode;

typedef struct BideSlice {
  int64_t start, stop, step;
  bool has_start, has_stop;
} BideSlice;

typedef struct BideSearch BideSearch;

/* What a node gives for a value; see search.h. */
typedef BideValue BideEvaluator(BideSearch *search, const BideNode *node,
                                const BideValue *current);

/* Takes a projection over elements that stand side by side into a sink; see search.h. */
typedef struct BideSink BideSink;
typedef void BideWalker(BideSearch *search, const BideNode *projection, const BideValue *elements,
                        uint32_t count, BideSink *sink);

struct BideNode {
  BideEvaluator *evaluate;
  uint8_t kind;     /* a BideNodeKind */
  uint8_t variant;  /* a BideProjection, a BideOperator, BIDE_HASH_REPEATS */
  bool can_raise;   /* a search of it may fail by what the input holds: it calls a function */
  bool is_piped;    /* as a step: a pipe stands before it */
  bool is_field_and_text; /* COMPARE: whether a field equals a literal string, or does not */
  bool is_field_and_row;  /* CHAIN: a field and projections, which run as one: bide_search_row */
  uint32_t offset;  /* where in the text it begins */
  uint32_t number;  /* how many nodes were made before it */
  uint32_t weight;  /* PROJECT, REFERENCE: what one element costs, in units of work */
  union {
    BideValue literal;
    struct { /* FIELD */
      const char *name;
      uint32_t length;
      uint32_t hash;
      uint32_t hint; /* the number of its hint in a search */
    } field;
    int64_t index; /* INDEX */
    struct { /* CHAIN, LIST, OR, AND, HASH */
      BideNode **items;
      BideMember *names; /* HASH: as many as items, without values */
      uint32_t count;
    } list;
    struct { /* PROJECT */
      BideWalker *walk;
      const BideNode *condition;
      const BideNode *each;  /* what a search gives for an element; NULL for itself */
      const BideNode *body;  /* the same as it is written */
      const BideSlice *slice;
      const BideNode *flatten; /* the step behind it, which takes the items of `body`, a list */
      bool each_is_path; /* a chain of fields and nothing else */
      bool is_continued; /* a multi-select hash ends it, and more than a flatten follows */
    } project;
    struct { /* CALL */
      const BideFunction *function;
      BideNode **arguments;
      uint32_t count;
    } call;
    struct { /* COMPARE; NOT and REFERENCE have the left one only */
      const BideNode *left;
      const BideNode *right;
    } pair;
  } as;
};

/* "==", "<", … */
const char *bide_operator_text(BideOperator operator);

/* The items, for those who only read them. */
static inline const BideNode *const *bide_node_items(const BideNode *node) {
  return (const BideNode *const *)node->as.list.items;
}

struct BideExpression {
  const char *text;
  size_t length;
  BideNode *root;
  const BideFunction *functions; /* of the host; may be NULL */
  uint32_t nodes; /* how many there are */
  uint32_t hints; /* how many fields there are */
  uint32_t depth;   /* of the text */
  uint32_t leaning; /* comparators whose left side is a comparison: so much deeper is the tree */
  uint32_t copies; /* how many times over a value may be in its result, at most; saturates */
};

#endif
