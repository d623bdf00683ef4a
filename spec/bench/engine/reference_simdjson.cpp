#include "references.h"

#include <simdjson.h>

/* The text is copied to where the padding is that simdjson wants, as ours is. */
int bench_simdjson_read(const char *text, size_t length) {
  static simdjson::dom::parser parser;
  simdjson::dom::element document;
  return parser.parse(text, length, true).get(document) == simdjson::SUCCESS ? 0 : 1;
}
