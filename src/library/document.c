#include <stdlib.h>

#include "base/arena.h"
#include "library/inside.h"
#include "json/reader.h"
#include "json/writer.h"

struct bide_document {
  BideArena arena;
  BideValue root;
};

bide_document *bide_document_read(const char *text, size_t length, bide_error **error) {
  bide_document *document = bide_library_new(sizeof *document, error);
  BideError reason;
  if (document == NULL)
    return NULL;
  bide_arena_init(&document->arena, 0);
  if (bide_json_read(&document->arena, text, length, NULL, &document->root, &reason))
    return document;
  bide_library_fail(error, &reason);
  bide_document_free(document);
  return NULL;
}

void bide_document_free(bide_document *document) {
  if (document == NULL)
    return;
  bide_arena_free(&document->arena);
  free(document);
}

const bide_node *bide_document_root(const bide_document *document) {
  return bide_library_node(&document->root);
}

bide_document_type bide_document_type_of(const bide_node *node) {
  switch ((BideType)bide_library_value(node)->type) {
    case BIDE_NULL: return BIDE_DOCUMENT_NULL;
    case BIDE_FALSE:
    case BIDE_TRUE: return BIDE_DOCUMENT_BOOLEAN;
    case BIDE_INTEGER: return BIDE_DOCUMENT_INTEGER;
    case BIDE_UNSIGNED: return BIDE_DOCUMENT_UNSIGNED;
    case BIDE_DOUBLE: return BIDE_DOCUMENT_DOUBLE;
    case BIDE_STRING: return BIDE_DOCUMENT_STRING;
    case BIDE_ARRAY: return BIDE_DOCUMENT_ARRAY;
    case BIDE_OBJECT: return BIDE_DOCUMENT_OBJECT;
  }
  return BIDE_DOCUMENT_NULL;
}

bool bide_document_boolean(const bide_node *node) {
  return bide_library_value(node)->type == BIDE_TRUE;
}

int64_t bide_document_integer(const bide_node *node) {
  const BideValue *value = bide_library_value(node);
  return value->type == BIDE_INTEGER ? value->as.integer : 0;
}

uint64_t bide_document_unsigned(const bide_node *node) {
  const BideValue *value = bide_library_value(node);
  return value->type == BIDE_UNSIGNED ? value->as.unsigned_integer : 0;
}

double bide_document_double(const bide_node *node) {
  const BideValue *value = bide_library_value(node);
  if (value->type == BIDE_INTEGER)
    return (double)value->as.integer;
  if (value->type == BIDE_UNSIGNED)
    return (double)value->as.unsigned_integer;
  return value->type == BIDE_DOUBLE ? value->as.number : 0;
}

const char *bide_document_string(const bide_node *node, size_t *length) {
  const BideValue *value = bide_library_value(node);
  bool is_string = value->type == BIDE_STRING;
  if (length != NULL)
    *length = is_string ? value->length : 0;
  return is_string ? value->as.string : "";
}

size_t bide_document_count(const bide_node *node) {
  const BideValue *value = bide_library_value(node);
  return value->type >= BIDE_ARRAY ? value->length : 0;
}

const bide_node *bide_document_element(const bide_node *node, size_t place) {
  const BideValue *value = bide_library_value(node);
  if (place >= bide_document_count(node))
    return NULL;
  return bide_library_node(value->type == BIDE_ARRAY ? &value->as.elements[place]
                                                     : &value->as.members[place].value);
}

const char *bide_document_name(const bide_node *node, size_t place, size_t *length) {
  const BideValue *value = bide_library_value(node);
  if (value->type != BIDE_OBJECT || place >= value->length)
    return NULL;
  if (length != NULL)
    *length = value->as.members[place].name_length;
  return value->as.members[place].name;
}

const bide_node *bide_document_member(const bide_node *node, const char *name, size_t length) {
  return bide_library_node(bide_value_member(bide_library_value(node), name, length));
}

bool bide_document_equal(const bide_node *a, const bide_node *b) {
  return bide_value_equal(bide_library_value(a), bide_library_value(b));
}

char *bide_document_write(const bide_node *node, size_t *length, bide_error **error) {
  BideBuffer buffer;
  BideError reason;
  bide_buffer_init(&buffer, 0);
  if (bide_json_write(&buffer, bide_library_value(node), 0, &reason) &&
      bide_buffer_append_byte(&buffer, '\0')) {
    if (length != NULL)
      *length = buffer.length - 1;
    return buffer.bytes; /* without a budget it is malloc's */
  }
  bide_buffer_free(&buffer);
  bide_library_fail_memory(error);
  return NULL;
}
