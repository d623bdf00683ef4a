/*
** Compiles expressions: parses their tokens into the tree by operator precedence.
*/
#include "base/utf8.h"
#include "jmespath/builder.h"
#include "json/text.h"

/* The longest expression, in bytes. */
#define LONGEST ((size_t)65536)

/*
** The limit of consecutive comparators, as in a == b == c, in a whole expression. They are the
** only left-recursive construct that is not a flat list, so they make the tree deeper.
*/
#define COMPARATORS 256

/*
** How tightly operators bind, from the grammar of the specification: `a || b && c` is
** `a || (b && c)`.
*/
enum {
  POWER_PIPE = 1,
  POWER_OR = 2,
  POWER_AND = 3,
  POWER_COMPARATOR = 5,
  POWER_FLATTEN = 9,
  PROJECTION_STOP = 10, /* operators that bind less end a projection */
  POWER_STAR = 20,
  POWER_FILTER = 21,
  POWER_DOT = 40,
  POWER_NOT = 45,
  POWER_BRACE = 50,
  POWER_BRACKET = 55,
  POWER_PARENTHESIS = 60
};

/* Returns how tightly a token binds to the expression on its left; 0 if it cannot follow one. */
static int power_of(BideToken token) {
  static const uint8_t powers[BIDE_TOKEN_CURRENT + 1] = {
    [BIDE_TOKEN_PIPE] = POWER_PIPE,
    [BIDE_TOKEN_OR] = POWER_OR,
    [BIDE_TOKEN_AND] = POWER_AND,
    [BIDE_TOKEN_EQUAL] = POWER_COMPARATOR,
    [BIDE_TOKEN_NOT_EQUAL] = POWER_COMPARATOR,
    [BIDE_TOKEN_LESS] = POWER_COMPARATOR,
    [BIDE_TOKEN_LESS_EQUAL] = POWER_COMPARATOR,
    [BIDE_TOKEN_GREATER] = POWER_COMPARATOR,
    [BIDE_TOKEN_GREATER_EQUAL] = POWER_COMPARATOR,
    [BIDE_TOKEN_FLATTEN] = POWER_FLATTEN,
    [BIDE_TOKEN_STAR] = POWER_STAR,
    [BIDE_TOKEN_FILTER] = POWER_FILTER,
    [BIDE_TOKEN_DOT] = POWER_DOT,
    [BIDE_TOKEN_NOT] = POWER_NOT,
    [BIDE_TOKEN_LEFT_BRACE] = POWER_BRACE,
    [BIDE_TOKEN_LEFT_BRACKET] = POWER_BRACKET,
    [BIDE_TOKEN_LEFT_PARENTHESIS] = POWER_PARENTHESIS,
  };
  return powers[token];
}

typedef struct Parser {
  BideLexer lexer;
  BideBuilder builder;
  BideError *error;
  uint32_t depth;
} Parser;

static BideNode *parse_expression(Parser *parser, int power);
static BideNode *parse_infixes(Parser *parser, BideNode *left, int power);
static BideNode *parse_list(Parser *parser, size_t offset);
static BideNode *parse_hash(Parser *parser);
static BideNode *parse_bracket(Parser *parser);

/* ---- failures ---- */

static void *fail_limit(Parser *parser, const char *message) {
  bide_error_set(parser->error, BIDE_ERROR_LIMIT, "%s", message);
  bide_error_locate(parser->error, parser->lexer.text, parser->lexer.length, parser->lexer.offset);
  return NULL;
}

static void *fail_unexpected(Parser *parser, const char *wanted) {
  char found[BIDE_TOKEN_TEXT];
  bide_lexer_describe(&parser->lexer, found);
  bide_error_set(parser->error, BIDE_ERROR_SYNTAX, "found %s where %s should be", found, wanted);
  bide_error_locate(parser->error, parser->lexer.text, parser->lexer.length, parser->lexer.offset);
  return NULL;
}

static bool advance(Parser *parser) {
  return bide_lexer_advance(&parser->lexer);
}

static bool expect(Parser *parser, BideToken token, const char *wanted) {
  return parser->lexer.token == token ? advance(parser) : fail_unexpected(parser, wanted) != NULL;
}

/* Enters one level of nesting; the caller must decrement `depth` when it leaves. */
static bool enter(Parser *parser) {
  if (parser->depth == BIDE_DEPTH) {
    fail_limit(parser,
               "the expression is nested too deeply, beyond " BIDE_IN_TEXT(BIDE_DEPTH) " levels");
    return false;
  }
  if (++parser->depth > parser->builder.expression->depth)
    parser->builder.expression->depth = parser->depth;
  return true;
}

/* ---- nodes ---- */

static BideNode *new_node(Parser *parser, BideNodeKind kind, size_t offset) {
  return bide_build_node(&parser->builder, kind, offset);
}

static bool append(Parser *parser, BideNode *list, BideNode *item) {
  return bide_build_append(&parser->builder, list, item);
}

static BideNode *append_step(Parser *parser, BideNode *left, BideNode *step) {
  return bide_build_step(&parser->builder, left, step);
}

/* ---- projections ---- */

static BideNode *new_projection(Parser *parser, BideProjection variant, size_t offset) {
  BideNode *node = new_node(parser, BIDE_NODE_PROJECT, offset);
  if (node != NULL)
    node->variant = (uint8_t)variant;
  return node;
}

/*
** Parses the expression after a dot; `power` is the binding power of the whole. A multi-select is
** complete by itself: what follows applies to everything before it, so a[*].[b][0] is
** (a[*].[b])[0].
*/
static BideNode *parse_after_dot(Parser *parser, int power) {
  size_t offset = parser->lexer.offset;
  BideToken token = parser->lexer.token;
  if (token == BIDE_TOKEN_LEFT_BRACKET) /* never an index here: foo.[0] is a syntax error */
    return advance(parser) ? parse_list(parser, offset) : NULL;
  if (token == BIDE_TOKEN_LEFT_BRACE)
    return parse_hash(parser);
  if (token == BIDE_TOKEN_NAME || token == BIDE_TOKEN_QUOTED_NAME || token == BIDE_TOKEN_STAR)
    return parse_expression(parser, power);
  return fail_unexpected(parser, "a name, '*', '[' or '{' after the dot");
}

/* Parses the bracket in a[*][0]: an index, slice or projection; [a, b] needs its dot here too. */
static BideNode *parse_after_projection(Parser *parser, int power) {
  BideNode *body;
  if (!enter(parser))
    return NULL;
  body = parse_infixes(parser, parse_bracket(parser), power);
  parser->depth--;
  return body;
}

/* Parses the body of a projection, which may be empty. */
static BideNode *parse_body(Parser *parser, BideNode *projection, int power) {
  BideToken token = parser->lexer.token;
  BideNode *body = NULL;
  if (projection == NULL)
    return NULL;
  if (power_of(token) < PROJECTION_STOP) {
    bide_build_body(&parser->builder, projection, NULL);
    return projection;
  }
  if (token == BIDE_TOKEN_LEFT_BRACKET)
    body = parse_after_projection(parser, power);
  else if (token == BIDE_TOKEN_FILTER)
    body = parse_expression(parser, power);
  else if (token == BIDE_TOKEN_DOT)
    body = advance(parser) ? parse_after_dot(parser, power) : NULL;
  else
    fail_unexpected(parser, "'.', '[', an operator or the end");
  if (body == NULL)
    return NULL;
  bide_build_body(&parser->builder, projection, body);
  projection->as.project.is_continued = body->kind == BIDE_NODE_HASH &&
                                        power_of(parser->lexer.token) >= PROJECTION_STOP;
  return projection;
}

static BideNode *parse_projection(Parser *parser, BideProjection variant, int power) {
  size_t offset = parser->lexer.offset;
  if (!advance(parser))
    return NULL;
  return parse_body(parser, new_projection(parser, variant, offset), power);
}

static BideNode *parse_filter(Parser *parser) {
  BideNode *projection = new_projection(parser, BIDE_PROJECT_FILTER, parser->lexer.offset);
  BideNode *condition;
  if (projection == NULL || !advance(parser))
    return NULL;
  condition = parse_expression(parser, 0);
  if (condition == NULL || !expect(parser, BIDE_TOKEN_RIGHT_BRACKET, "']' after the condition"))
    return NULL;
  projection->as.project.condition = condition;
  projection->can_raise = condition->can_raise;
  return parse_body(parser, projection, POWER_FILTER);
}

/* ---- index and slice, after the opening bracket ---- */

static bool parse_slice_part(Parser *parser, BideSliceParts *parts) {
  if (parser->lexer.token == BIDE_TOKEN_COLON && parts->colons < 2) {
    parts->colons++;
    return advance(parser);
  }
  if (parser->lexer.token == BIDE_TOKEN_INTEGER && !parts->present[parts->colons]) {
    parts->numbers[parts->colons] = parser->lexer.value.as.integer;
    parts->present[parts->colons] = true;
    return advance(parser);
  }
  fail_unexpected(parser, "a number, ':' or ']'");
  return false;
}

static BideNode *parse_index(Parser *parser, size_t offset) {
  BideSliceParts parts = {.colons = 0};
  BideNode *node;
  while (parser->lexer.token != BIDE_TOKEN_RIGHT_BRACKET)
    if (!parse_slice_part(parser, &parts))
      return NULL;
  if (!advance(parser))
    return NULL;
  if (parts.colons > 0)
    return parse_body(parser, bide_build_slice(&parser->builder, &parts, offset), POWER_STAR);
  node = new_node(parser, BIDE_NODE_INDEX, offset);
  if (node != NULL)
    node->as.index = parts.numbers[0];
  return node;
}

static bool at_index(const Parser *parser) {
  return parser->lexer.token == BIDE_TOKEN_INTEGER || parser->lexer.token == BIDE_TOKEN_COLON;
}

/* Parses [*] after its bracket. */
static BideNode *parse_list_projection(Parser *parser, size_t offset) {
  if (!advance(parser) || !expect(parser, BIDE_TOKEN_RIGHT_BRACKET, "']'"))
    return NULL;
  return parse_body(parser, new_projection(parser, BIDE_PROJECT_LIST, offset), POWER_STAR);
}

/* Parses a bracket after an expression. */
static BideNode *parse_bracket(Parser *parser) {
  size_t offset = parser->lexer.offset;
  if (!advance(parser))
    return NULL;
  if (at_index(parser))
    return parse_index(parser, offset);
  if (parser->lexer.token == BIDE_TOKEN_STAR)
    return parse_list_projection(parser, offset);
  return fail_unexpected(parser, "a number, ':' or '*'");
}

/* ---- multi-select ---- */

static BideNode *finish_items(Parser *parser, BideNode *list) {
  bide_build_repetition(&parser->builder, list);
  return advance(parser) ? list : NULL;
}

/* Parses [a, b] after its bracket. */
static BideNode *parse_list(Parser *parser, size_t offset) {
  BideNode *list = new_node(parser, BIDE_NODE_LIST, offset);
  if (list == NULL)
    return NULL;
  for (;;) {
    if (!append(parser, list, parse_expression(parser, 0)))
      return NULL;
    if (parser->lexer.token == BIDE_TOKEN_RIGHT_BRACKET)
      return finish_items(parser, list);
    if (!expect(parser, BIDE_TOKEN_COMMA, "',' or ']'"))
      return NULL;
  }
}

/* Parses x: a. */
static bool parse_pair(Parser *parser, BideNode *hash) {
  if (parser->lexer.token != BIDE_TOKEN_NAME && parser->lexer.token != BIDE_TOKEN_QUOTED_NAME) {
    fail_unexpected(parser, "a name");
    return false;
  }
  return bide_build_append_name(&parser->builder, hash, &parser->lexer.value) && advance(parser) &&
         expect(parser, BIDE_TOKEN_COLON, "':' after the name") &&
         append(parser, hash, parse_expression(parser, 0));
}

static BideNode *parse_hash(Parser *parser) {
  BideNode *hash = new_node(parser, BIDE_NODE_HASH, parser->lexer.offset);
  if (hash == NULL || !advance(parser))
    return NULL;
  for (;;) {
    if (!parse_pair(parser, hash))
      return NULL;
    if (parser->lexer.token == BIDE_TOKEN_RIGHT_BRACE)
      return finish_items(parser, hash);
    if (!expect(parser, BIDE_TOKEN_COMMA, "',' or '}'"))
      return NULL;
  }
}

/* ---- calls ---- */

static BideNode *parse_reference(Parser *parser) {
  BideNode *node = new_node(parser, BIDE_NODE_REFERENCE, parser->lexer.offset);
  BideNode *body;
  if (node == NULL || !advance(parser))
    return NULL;
  body = parse_expression(parser, 0);
  if (body == NULL)
    return NULL;
  node->as.pair.left = body;
  bide_build_weigh(&parser->builder, node);
  return node;
}

static bool parse_arguments(Parser *parser, BideNode *list) {
  if (parser->lexer.token == BIDE_TOKEN_RIGHT_PARENTHESIS)
    return advance(parser);
  for (;;) {
    bool is_reference = parser->lexer.token == BIDE_TOKEN_AMPERSAND;
    BideNode *argument = is_reference ? parse_reference(parser) : parse_expression(parser, 0);
    if (!append(parser, list, argument))
      return false;
    if (parser->lexer.token == BIDE_TOKEN_RIGHT_PARENTHESIS)
      return advance(parser);
    if (!expect(parser, BIDE_TOKEN_COMMA, "',' or ')'"))
      return false;
  }
}

/* Parses a call after its name, at the parenthesis. */
static BideNode *parse_call(Parser *parser, const BideValue *name, size_t offset) {
  BideNode *call = new_node(parser, BIDE_NODE_CALL, offset);
  BideNode *arguments = new_node(parser, BIDE_NODE_LIST, offset);
  if (call == NULL || arguments == NULL || !advance(parser) || !parse_arguments(parser, arguments))
    return NULL;
  bide_build_call(&parser->builder, call, name, arguments);
  return call;
}

/* ---- the beginning of an expression ---- */

static BideNode *parse_name(Parser *parser) {
  BideValue name = parser->lexer.value;
  size_t offset = parser->lexer.offset;
  bool quoted = parser->lexer.token == BIDE_TOKEN_QUOTED_NAME;
  BideNode *field = NULL;
  if (quoted || bide_lexer_peek(&parser->lexer) != '(') {
    field = bide_build_field(&parser->builder, &parser->lexer);
    if (field == NULL)
      return NULL;
  }
  if (!advance(parser))
    return NULL;
  if (field == NULL)
    return parse_call(parser, &name, offset);
  if (quoted && parser->lexer.token == BIDE_TOKEN_LEFT_PARENTHESIS)
    return fail_unexpected(parser, "an operator (the name of a function has no quotes)");
  return field;
}

static BideNode *parse_one_token(Parser *parser, BideNode *node) {
  return node != NULL && advance(parser) ? node : NULL;
}

static BideNode *parse_parentheses(Parser *parser) {
  BideNode *inner;
  if (!advance(parser))
    return NULL;
  inner = parse_expression(parser, 0);
  return inner != NULL && expect(parser, BIDE_TOKEN_RIGHT_PARENTHESIS, "')'") ? inner : NULL;
}

static BideNode *parse_not(Parser *parser) {
  BideNode *node = new_node(parser, BIDE_NODE_NOT, parser->lexer.offset);
  BideNode *operand;
  if (node == NULL || !advance(parser))
    return NULL;
  operand = parse_expression(parser, POWER_NOT);
  if (operand == NULL)
    return NULL;
  node->as.pair.left = operand;
  node->can_raise = operand->can_raise;
  return node;
}

/* Parses a bracket that begins an expression. */
static BideNode *parse_first_bracket(Parser *parser) {
  size_t offset = parser->lexer.offset;
  if (!advance(parser))
    return NULL;
  if (at_index(parser))
    return parse_index(parser, offset);
  if (parser->lexer.token == BIDE_TOKEN_STAR && bide_lexer_peek(&parser->lexer) == ']')
    return parse_list_projection(parser, offset);
  return parse_list(parser, offset);
}

static BideNode *parse_prefix(Parser *parser) {
  switch (parser->lexer.token) {
    case BIDE_TOKEN_NAME:
    case BIDE_TOKEN_QUOTED_NAME: return parse_name(parser);
    case BIDE_TOKEN_STRING:
    case BIDE_TOKEN_LITERAL:
      return parse_one_token(parser, bide_build_literal(&parser->builder, &parser->lexer));
    case BIDE_TOKEN_CURRENT:
      return parse_one_token(parser, new_node(parser, BIDE_NODE_CURRENT, parser->lexer.offset));
    case BIDE_TOKEN_STAR: return parse_projection(parser, BIDE_PROJECT_VALUES, POWER_STAR);
    case BIDE_TOKEN_FLATTEN: return parse_projection(parser, BIDE_PROJECT_FLATTEN, POWER_FLATTEN);
    case BIDE_TOKEN_FILTER: return parse_filter(parser);
    case BIDE_TOKEN_NOT: return parse_not(parser);
    case BIDE_TOKEN_LEFT_BRACE: return parse_hash(parser);
    case BIDE_TOKEN_LEFT_BRACKET: return parse_first_bracket(parser);
    case BIDE_TOKEN_LEFT_PARENTHESIS: return parse_parentheses(parser);
    case BIDE_TOKEN_AMPERSAND:
      return fail_unexpected(parser, "an expression ('&' is for arguments of functions)");
    case BIDE_TOKEN_INTEGER:
      return fail_unexpected(parser, "an expression (a number is written in backticks, as `5`)");
    case BIDE_TOKEN_END:
    case BIDE_TOKEN_PIPE:
    case BIDE_TOKEN_OR:
    case BIDE_TOKEN_AND:
    case BIDE_TOKEN_EQUAL:
    case BIDE_TOKEN_NOT_EQUAL:
    case BIDE_TOKEN_LESS:
    case BIDE_TOKEN_LESS_EQUAL:
    case BIDE_TOKEN_GREATER:
    case BIDE_TOKEN_GREATER_EQUAL:
    case BIDE_TOKEN_DOT:
    case BIDE_TOKEN_RIGHT_BRACE:
    case BIDE_TOKEN_RIGHT_BRACKET:
    case BIDE_TOKEN_RIGHT_PARENTHESIS:
    case BIDE_TOKEN_COMMA:
    case BIDE_TOKEN_COLON: break;
  }
  return fail_unexpected(parser, "an expression");
}

/* ---- operators after an expression ---- */

static BideNode *parse_dot(Parser *parser, BideNode *left) {
  if (!advance(parser))
    return NULL;
  if (parser->lexer.token == BIDE_TOKEN_STAR)
    return append_step(parser, left, parse_projection(parser, BIDE_PROJECT_VALUES, POWER_STAR));
  return append_step(parser, left, parse_after_dot(parser, POWER_DOT));
}

static BideNode *parse_pipe(Parser *parser, BideNode *left) {
  BideNode *right;
  if (!advance(parser))
    return NULL;
  right = parse_expression(parser, POWER_PIPE);
  if (right == NULL)
    return NULL;
  if (right->kind == BIDE_NODE_CHAIN)
    right->as.list.items[0]->is_piped = true;
  else
    right->is_piped = true;
  return append_step(parser, left, right);
}

/* Parses || or && into a list: a || b || c is one list. */
static BideNode *parse_logical(Parser *parser, BideNode *left, BideNodeKind kind, int power) {
  BideNode *list = bide_build_list(&parser->builder, left, kind);
  if (list == NULL || !advance(parser))
    return NULL;
  return append(parser, list, parse_expression(parser, power)) ? list : NULL;
}

static BideNode *parse_comparison(Parser *parser, BideNode *left) {
  BideOperator comparison = (BideOperator)(parser->lexer.token - BIDE_TOKEN_EQUAL);
  BideNode *node = new_node(parser, BIDE_NODE_COMPARE, left->offset);
  BideNode *right;
  if (node == NULL)
    return NULL;
  if (left->kind == BIDE_NODE_COMPARE && ++parser->builder.expression->leaning >= COMPARATORS)
    return fail_limit(parser, "more than " BIDE_IN_TEXT(COMPARATORS) " comparators in a row");
  if (!advance(parser))
    return NULL;
  right = parse_expression(parser, POWER_COMPARATOR);
  if (right == NULL)
    return NULL;
  bide_build_comparison(node, comparison, left, right);
  return node;
}

static BideNode *parse_infix(Parser *parser, BideNode *left) {
  switch (power_of(parser->lexer.token)) {
    case POWER_PIPE: return parse_pipe(parser, left);
    case POWER_OR: return parse_logical(parser, left, BIDE_NODE_OR, POWER_OR);
    case POWER_AND: return parse_logical(parser, left, BIDE_NODE_AND, POWER_AND);
    case POWER_COMPARATOR: return parse_comparison(parser, left);
    case POWER_FLATTEN:
      return append_step(parser, left,
                         parse_projection(parser, BIDE_PROJECT_FLATTEN, POWER_FLATTEN));
    case POWER_FILTER: return append_step(parser, left, parse_filter(parser));
    case POWER_DOT: return parse_dot(parser, left);
    case POWER_BRACKET: return append_step(parser, left, parse_bracket(parser));
    default: break;
  }
  return fail_unexpected(parser, "an operator or the end");
}

static BideNode *parse_infixes(Parser *parser, BideNode *left, int power) {
  while (left != NULL && power < power_of(parser->lexer.token))
    left = parse_infix(parser, left);
  return left;
}

static BideNode *parse_expression(Parser *parser, int power) {
  BideNode *node;
  if (!enter(parser))
    return NULL;
  node = parse_infixes(parser, parse_prefix(parser), power);
  parser->depth--;
  return node;
}

/* Parses the text of an expression and sets its other members. */
static bool parse(BideArena *arena, BideExpression *expression, BideError *error) {
  Parser parser = {.builder = {.arena = arena, .expression = expression, .error = error},
                   .error = error};
  bide_lexer_init(&parser.lexer, arena, expression->text, expression->length, error);
  if (!bide_lexer_advance(&parser.lexer))
    return false;
  expression->root = parse_expression(&parser, 0);
  if (expression->root == NULL)
    return false;
  if (parser.lexer.token != BIDE_TOKEN_END) {
    fail_unexpected(&parser, "an operator or the end");
    return false;
  }
  return bide_build_is_right(&parser.builder);
}

/* ---- expressions ---- */

static BideExpression *refuse(BideError *error, BideErrorCode code, const char *message) {
  bide_error_set(error, code, "%s", message);
  return NULL;
}

BideExpression *bide_jmespath_compile(BideArena *arena, const BideFunction *functions,
                                      const char *text, size_t length, BideError *error) {
  size_t valid = bide_utf8_check(text, length);
  BideExpression *expression;
  const char *copy;
  if (length > LONGEST)
    return refuse(error, BIDE_ERROR_LIMIT, "the expression is longer than 65536 bytes");
  if (valid < length) {
    refuse(error, BIDE_ERROR_SYNTAX, "the expression is not UTF-8");
    bide_error_locate(error, text, length, valid);
    return NULL;
  }
  expression = bide_arena_alloc(arena, sizeof *expression);
  copy = bide_text_copy(arena, text, length);
  if (expression == NULL || copy == NULL)
    return refuse(error, BIDE_ERROR_MEMORY, "not enough memory for the expression");
  *expression = (BideExpression){
    .text = copy, .length = length, .functions = functions, .copies = 1};
  return parse(arena, expression, error) ? expression : NULL;
}

uint32_t bide_jmespath_depth(const BideExpression *expression) {
  return expression->depth + expression->leaning;
}

bool bide_jmespath_has_own(const BideExpression *expression) {
  return expression->has_own;
}

bool bide_jmespath_asks_answer(const BideExpression *expression) {
  return expression->asks_answer;
}

const char *bide_jmespath_text(const BideExpression *expression, size_t *length) {
  if (length != NULL)
    *length = expression->length;
  return expression->text;
}
