/*
** A compiled expression: a tree, immutable once it is complete.
**
** Left-recursive constructs are flat here. `a.b[0].c | d` is one chain of steps, each applied to
** the result of the one before; `a || b || c` is one list of operands. So the depth of the tree,
** and with it the stack of a search, depends only on the nesting that the parser allows, not on
** the length of an expression.
*/
#ifndef BIDE_JMESPATH_TREE_H
#define BIDE_JMESPATH_TREE_H

#include "jmespath/jmespath.h"

typedef enum BideNodeKind {
  BIDE_NODE_CURRENT,
  BIDE_NODE_LITERAL,
  BIDE_NODE_FIELD,
  BIDE_NODE_INDEX,
  BIDE_NODE_CHAIN,   /* the items are steps, evaluated in order */
  BIDE_NODE_PROJECT, /* over the current value; `variant` is its BideProjection */
  BIDE_NODE_LIST,    /* [a, b] */
  BIDE_NODE_HASH,    /* {x: a, y: b} */
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

/* The variant of a HASH with repeated names: the last one wins. */
enum { BIDE_HASH_REPEATS = 1 };

typedef struct BideNode BideNode;

typedef struct BideSlice {
  int64_t start, stop, step;
  bool has_start, has_stop;
} BideSlice;

typedef struct BideSearch BideSearch;

/* Evaluates a node for the current value; see search.h. */
typedef BideValue BideEvaluator(BideSearch *search, const BideNode *node, const BideValue *current);

/* Feeds the projection of contiguous elements to a sink; see search.h. */
typedef struct BideSink BideSink;
typedef void BideWalker(BideSearch *search, const BideNode *projection, const BideValue *elements,
                        uint32_t count, BideSink *sink);

struct BideNode {
  BideEvaluator *evaluate;
  uint8_t kind;           /* a BideNodeKind */
  uint8_t variant;        /* a BideProjection, a BideOperator, BIDE_HASH_REPEATS */
  bool can_raise;         /* evaluating it may fail for some inputs, since it calls a function */
  bool is_piped;          /* as a step: a pipe precedes it */
  bool is_of_current;     /* FIELD: it was written as @.name */
  bool is_field_and_text; /* COMPARE: == or != of a field and a literal string */
  bool is_field_and_row;  /* CHAIN: a field and one row of projections: bide_search_row */
  uint32_t offset;        /* of its beginning in the text */
  uint32_t number;        /* the number of nodes made before it */
  uint32_t weight;        /* PROJECT, REFERENCE: the units of work for one element */
  union {
    BideValue literal;
    struct { /* FIELD */
      const char *name;
      uint32_t length;
      uint32_t hash;
      uint32_t hint; /* the number of its hint in a search */
    } field;
    int64_t index; /* INDEX */
    struct {       /* CHAIN, LIST, OR, AND, HASH */
      BideNode **items;
      BideMember *names; /* HASH: one for each item, without values */
      uint32_t count;
    } list;
    struct { /* PROJECT */
      BideWalker *walk;
      BideNode *condition;
      const BideNode *each; /* evaluated for each element; NULL is the element itself */
      BideNode *body;       /* the same as it was written */
      const BideSlice *slice;
      const BideNode *flatten; /* a folded flatten, fed with the items of `body`, a LIST */
      bool each_is_path;       /* `each` is a chain of fields only */
      bool is_continued;       /* a multi-select hash ends it, and more than a flatten follows */
    } project;
    struct { /* CALL */
      const BideFunction *function;
      BideNode **arguments;
      uint32_t count;
      uint32_t hint; /* of an answer: its number among the fields; they share no hint */
    } call;
    struct { /* COMPARE; NOT and REFERENCE have `left` only */
      BideNode *left;
      BideNode *right;
    } pair;
  } as;
};

/* Returns "==", "<" and so on. */
const char *bide_operator_text(BideOperator comparison);

/* Returns the items as constants. */
static inline const BideNode *const *bide_node_items(const BideNode *node) {
  return (const BideNode *const *)node->as.list.items;
}

struct BideExpression {
  const char *text;
  size_t length;
  BideNode *root;
  const BideFunction *functions; /* of the host, may be NULL */
  uint32_t nodes;                /* the number of nodes */
  uint32_t hints;                /* the number of fields and of calls that ask of the answer */
  bool asks_answer;              /* there are such calls */
  bool has_own;                  /* there are calls of functions that are bide's own */
  uint32_t depth;                /* of nesting in the text */
  uint32_t leaning; /* comparators with a comparison on their left: they deepen the tree */
  uint32_t copies;  /* how often a value may occur in the result, at most; saturates */
};

/*
** Returns child number `position` of a node, in the order in which they are written; NULL after the
** last one.
*/
BideNode *bide_node_child(const BideNode *node, uint32_t position);

/* Says whether a node is what is sought. */
typedef bool BideNodeTest(const BideNode *node, const void *argument);

/*
** Returns the first node for which a test holds, of the node and those below it, which are tested
** in the order in which they are written; NULL if it holds for none. The depth of the tree is that
** of the expression, which the parser bounds.
*/
const BideNode *bide_node_find(const BideNode *node, BideNodeTest *test, const void *argument);

/* Sets an error at a node of an expression; without a node, at its beginning. */
void bide_expression_blame(const BideExpression *expression, const BideNode *node, BideError *error,
                           BideErrorCode code, const char *format, va_list arguments)
  __attribute__((format(printf, 5, 0)));

/*
** Reports whether the value of a node may depend on that of the input, which is the current value.
** The steps of a chain after the first apply to its result, a reference to elements of another
** argument, and the parts of a projection to elements.
*/
bool bide_node_reads_input(const BideNode *node);

#endif
