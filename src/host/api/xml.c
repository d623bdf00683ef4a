/*
** bide.xml: documents of XML and HTML, and XPath 1.0, by libxml2. It is a module of its own, so
** that only runs with XPath load libxml2. No document may declare an entity, and nothing is loaded
** from elsewhere. Annotated in lua/bide/meta/xml.lua.
*/
#include <lauxlib.h>
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <limits.h>
#include <lua.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "base/utf8.h"
#include "host/argument.h"
#include "host/class.h"
#include "host/failure.h"

/* What documents may take. No more is read beyond it; texts of a search may take as much again. */
#define MOST_BYTES ((size_t)128 * 1024 * 1024)

#define MOST_OPERATIONS 5000000                  /* of a search: about a second */
#define MOST_COPIED ((size_t)1024 * 1024 * 1024) /* bytes that a search allocates, all together */
#define MOST_TEXTS 1000                          /* that a search gives */
#define LONGEST_TEXT 65536                       /* of these, in bytes */

typedef struct Document {
  xmlParserCtxt *parser; /* NULL once the document is closed */
  bool is_html;
  bool declares_entity;
  bool has_ended;
  /* of the last search; NULL if there is none */
  xmlXPathContext *context;
  xmlXPathObject *found;
  xmlChar *text; /* that is being copied */
  unsigned ended_searches;
} Document;

static const BideClass document_class = {"bide.xml.document"};

BIDE_API int luaopen_bide_xml(lua_State *L);

/* ---- memory ---- */

static size_t used;
static size_t copied; /* since the last search began */
static bool is_searching;

/* Why an allocation has failed, until that is reported. */
static enum { ENOUGH, BEYOND_LIMITS, SHORT } lack;

static void *count(void *block) {
  size_t size = block != NULL ? malloc_usable_size(block) : 0;
  if (block == NULL)
    lack = SHORT;
  used += size;
  copied += size;
  return block;
}

static bool is_refused(size_t size) {
  bool is_beyond = (is_searching && copied > MOST_COPIED) || size > 2 * MOST_BYTES ||
                   used > 2 * MOST_BYTES - size;
  if (is_beyond)
    lack = BEYOND_LIMITS;
  return is_beyond;
}

static void *counting_malloc(size_t size) {
  return is_refused(size) ? NULL : count(malloc(size));
}

static void counting_free(void *block) {
  used -= malloc_usable_size(block);
  free(block);
}

static void *counting_realloc(void *block, size_t size) {
  size_t before = block != NULL ? malloc_usable_size(block) : 0;
  void *moved;
  if (is_refused(size))
    return NULL;
  moved = realloc(block, size);
  if (moved != NULL)
    used -= before;
  return count(moved);
}

static char *counting_strdup(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = counting_malloc(size);
  return copy != NULL ? memcpy(copy, text, size) : NULL;
}

/* ---- failures ---- */

/* Pushes nil and the failure for an error of libxml2, without the line break at its end. */
static int push_error(lua_State *L, const char *kind, const xmlError *error) {
  const char *message = error != NULL && error->message != NULL ? error->message : "broken";
  size_t length = strcspn(message, "\n");
  int line = error != NULL ? error->line : 0;
  lua_pushlstring(L, message, length < 200 ? length : 200); /* may free the error */
  if (line > 0)
    lua_pushfstring(L, "line %d: %s", line, lua_tostring(L, -1));
  return bide_failure_push_text(L, kind, lua_tostring(L, -1));
}

/* Pushes nil and the failure for lack of memory beyond a limit; raises a shortage of the system. */
static int push_lack(lua_State *L, const char *message) {
  bool is_shortage = lack == SHORT;
  lack = ENOUGH;
  return is_shortage ? bide_failure_no_memory(L) : bide_failure_push_text(L, "limit", message);
}

static void ignore_error(void *data, xmlErrorPtr error) {
  (void)data;
  (void)error;
}

/* ---- documents ---- */

static void on_entity(void *data, const xmlChar *name, int type, const xmlChar *public_id,
                      const xmlChar *system_id, xmlChar *content) {
  xmlParserCtxt *parser = data;
  Document *document = parser->_private;
  (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
  document->declares_entity = true;
  xmlStopParser(parser);
}

static void end_search(Document *document) {
  xmlFree(document->text);
  xmlXPathFreeObject(document->found);
  xmlXPathFreeContext(document->context);
  document->text = NULL;
  document->found = NULL;
  document->context = NULL;
  document->ended_searches++;
}

static int free_document(lua_State *L) {
  Document *document = bide_class_check(L, 1, &document_class);
  if (document->parser == NULL)
    return 0;
  end_search(document);
  xmlFreeDoc(document->parser->myDoc);
  xmlFreeParserCtxt(document->parser);
  document->parser = NULL;
  return 0;
}

static Document *check(lua_State *L) {
  Document *document = bide_class_check(L, 1, &document_class);
  luaL_argcheck(L, document->parser != NULL, 1, "the document is closed");
  return document;
}

static xmlParserCtxt *new_parser(bool is_html, xmlCharEncoding encoding) {
  xmlParserCtxt *parser = is_html ? htmlCreatePushParserCtxt(NULL, NULL, NULL, 0, NULL, encoding)
                                  : xmlCreatePushParserCtxt(NULL, NULL, NULL, 0, NULL);
  if (parser == NULL)
    return NULL;
  if (is_html)
    htmlCtxtUseOptions(parser, HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                                 HTML_PARSE_NOBLANKS);
  else
    xmlCtxtUseOptions(parser, XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NONET);
  if (!is_html && encoding > XML_CHAR_ENCODING_NONE)
    xmlSwitchEncoding(parser, encoding);
  return parser;
}

/* xml.document(is_html, encoding | nil) -> document, to which the text is then fed */
static int new_document(lua_State *L) {
  bool is_html = lua_toboolean(L, 1);
  const char *name = luaL_optstring(L, 2, NULL);
  xmlCharEncoding encoding = name != NULL ? xmlParseCharEncoding(name) : XML_CHAR_ENCODING_NONE;
  Document *document = lua_newuserdatauv(L, sizeof *document, 0);
  *document = (Document){.is_html = is_html};
  bide_class_set(L, &document_class);
  document->parser = new_parser(
    is_html, encoding == XML_CHAR_ENCODING_ERROR ? XML_CHAR_ENCODING_NONE : encoding);
  if (document->parser == NULL)
    return bide_failure_no_memory(L);
  document->parser->_private = document;
  document->parser->sax->entityDecl = on_entity;
  return 1;
}

static int push_parsed(lua_State *L, const Document *document, int code) {
  xmlParserCtxt *parser = document->parser;
  if (document->declares_entity)
    return bide_failure_push_text(L, "entity", "the document declares an entity");
  if (lack != ENOUGH || used > MOST_BYTES)
    return push_lack(L, "the document takes more than 128 MiB of memory");
  if (parser->disableSAX && parser->errNo == XML_ERR_NO_MEMORY) /* none that was asked for here */
    return bide_failure_push_text(L, "limit", "a text of the document is longer than 10 MB");
  if (document->is_html ? parser->disableSAX != 0 : code != 0)
    return push_error(L, "syntax", xmlCtxtGetLastError(parser));
  lua_pushboolean(L, 1);
  return 1;
}

static int parse(Document *document, const char *bytes, int length, bool is_last) {
  return document->is_html ? htmlParseChunk(document->parser, bytes, length, is_last)
                           : xmlParseChunk(document->parser, bytes, length, is_last);
}

/* document:feed(bytes) -> true | nil, failure */
static int feed(lua_State *L) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 2, &length);
  Document *document = check(L);
  luaL_argcheck(L, length <= INT_MAX, 2, "too long");
  luaL_argcheck(L, !document->has_ended, 1, "the document has ended");
  return push_parsed(L, document, parse(document, bytes, (int)length, false));
}

/* document:finish() -> true | nil, failure */
static int finish(lua_State *L) {
  Document *document = check(L);
  luaL_argcheck(L, !document->has_ended, 1, "the document has ended");
  document->has_ended = true;
  return push_parsed(L, document, parse(document, "", 0, true));
}

/* ---- searches ---- */

/* Lets an expression use the prefixes that the root element declares. */
static void register_prefixes(xmlXPathContext *context, const xmlDoc *document) {
  const xmlNode *root = xmlDocGetRootElement(document);
  if (root == NULL)
    return;
  for (const xmlNs *space = root->nsDef; space != NULL; space = space->next)
    if (space->prefix != NULL)
      xmlXPathRegisterNs(context, space->prefix, space->href);
}

static void push_text(lua_State *L, const xmlChar *text) {
  const char *bytes = text != NULL ? (const char *)text : "";
  lua_pushlstring(L, bytes, bide_utf8_cut(bytes, strlen(bytes), LONGEST_TEXT));
}

/* Each allocation may run the finalizer of a script, which may end the search. */
static void push_texts(lua_State *L, Document *document, const xmlNodeSet *nodes) {
  int count_of_nodes = nodes != NULL ? nodes->nodeNr : 0;
  unsigned before = document->ended_searches;
  lua_newtable(L);
  for (int i = 0; i < count_of_nodes && i < MOST_TEXTS; i++) {
    if (document->ended_searches != before)
      luaL_error(L, "the document was closed or searched within its search");
    document->text = xmlXPathCastNodeToString(nodes->nodeTab[i]);
    push_text(L, document->text);
    xmlFree(document->text);
    document->text = NULL;
    lua_rawseti(L, -2, i + 1);
  }
}

/* Pushes what a search found. Returns false if it is of a type that XPath 1.0 does not have. */
static bool push_found(lua_State *L, Document *document) {
  const xmlXPathObject *found = document->found;
  if (found->type == XPATH_NODESET)
    push_texts(L, document, found->nodesetval);
  else if (found->type == XPATH_BOOLEAN)
    lua_pushboolean(L, found->boolval);
  else if (found->type == XPATH_NUMBER)
    lua_pushnumber(L, found->floatval);
  else if (found->type == XPATH_STRING)
    push_text(L, found->stringval);
  else
    return false;
  return true;
}

static const char *words_of(int code) {
  switch (code) {
    case XPATH_UNKNOWN_FUNC_ERROR: return "there is no such function";
    case XPATH_UNDEF_VARIABLE_ERROR: return "there are no variables";
    case XPATH_UNDEF_PREFIX_ERROR: return "the root element does not declare the prefix";
    case XPATH_INVALID_ARITY: return "a function has a wrong number of arguments";
    case XPATH_INVALID_TYPE: return "a function has an argument of a wrong type";
    default: return "this is not XPath 1.0";
  }
}

/* Pushes nil and the failure for what was wrong with an expression, and where. */
static int push_mistake(lua_State *L, const xmlError *error) {
  lua_pushfstring(L, "%s, at byte %d", words_of(error->code - XML_XPATH_EXPRESSION_OK),
                  error->int1 + 1);
  return bide_failure_push_text(L, "xpath", lua_tostring(L, -1));
}

static int push_failed_search(lua_State *L, const Document *document) {
  const xmlError *error;
  int code;
  if (lack != ENOUGH)
    return push_lack(L, copied > MOST_COPIED ? "the search takes too long"
                                             : "the search takes too much memory");
  error = &document->context->lastError;
  code = error->code - XML_XPATH_EXPRESSION_OK;
  if (code == XPATH_OP_LIMIT_EXCEEDED || code == XPATH_RECURSION_LIMIT_EXCEEDED)
    return bide_failure_push_text(L, "limit", "the search takes too long");
  return push_mistake(L, error);
}

/*
** document:find(expression) -> true | false | a number | a text | a list of the texts of nodes,
** or nil, failure
*/
static int search(lua_State *L) {
  const char *expression = bide_argument_text(L, 2);
  Document *document = check(L);
  const xmlDoc *tree = document->parser->myDoc;
  luaL_argcheck(L, document->has_ended, 1, "the document has not ended");
  end_search(document);
  if (tree == NULL || xmlDocGetRootElement(tree) == NULL)
    return bide_failure_push_text(L, "syntax", "the document is empty");
  lack = ENOUGH;
  document->context = xmlXPathNewContext(document->parser->myDoc);
  if (document->context == NULL)
    return push_lack(L, "the search takes too much memory");
  document->context->opLimit = MOST_OPERATIONS;
  document->context->error = ignore_error;
  register_prefixes(document->context, tree);
  copied = 0;
  is_searching = true;
  document->found = xmlXPathEval((const xmlChar *)expression, document->context);
  is_searching = false;
  if (document->found == NULL || lack != ENOUGH)
    return push_failed_search(L, document);
  if (!push_found(L, document))
    return bide_failure_push_text(L, "xpath", "the expression gives no value of XPath 1.0");
  if (lack != ENOUGH)
    return push_failed_search(L, document);
  end_search(document);
  return 1;
}

/* xml.check(expression) -> true | nil, failure */
static int check_expression(lua_State *L) {
  const char *expression = bide_argument_text(L, 1);
  xmlXPathContext *context = xmlXPathNewContext(NULL);
  xmlXPathCompExpr *compiled;
  xmlError error; /* whose texts are freed with the context */
  if (context == NULL)
    return bide_failure_no_memory(L);
  context->error = ignore_error;
  compiled = xmlXPathCtxtCompile(context, (const xmlChar *)expression);
  error = context->lastError;
  xmlXPathFreeCompExpr(compiled);
  xmlXPathFreeContext(context);
  if (compiled == NULL && lack != ENOUGH)
    return push_lack(L, "the expression takes too much memory");
  if (compiled == NULL)
    return push_mistake(L, &error);
  lua_pushboolean(L, 1);
  return 1;
}

/* ---- the module ---- */

static xmlParserInput *load_nothing(const char *url, const char *id, xmlParserCtxt *parser) {
  (void)url, (void)id, (void)parser;
  return NULL;
}

static const luaL_Reg methods[] = {
  {"feed", feed},          {"finish", finish},         {"find", search}, {"close", free_document},
  {"__gc", free_document}, {"__close", free_document}, {NULL, NULL},
};

static const luaL_Reg functions[] = {
  {"document", new_document},
  {"check", check_expression},
  {NULL, NULL},
};

int luaopen_bide_xml(lua_State *L) {
  xmlMemSetup(counting_free, counting_malloc, counting_realloc, counting_strdup);
  xmlInitParser();
  xmlSetExternalEntityLoader(load_nothing);
  xmlSetStructuredErrorFunc(NULL, ignore_error);
  bide_class_define(L, &document_class, methods);
  luaL_newlib(L, functions);
  return 1;
}
