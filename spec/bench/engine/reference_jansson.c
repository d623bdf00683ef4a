#include "references.h"

#include <jansson.h>

int bench_jansson_read(const char *text, size_t length) {
  json_t *document = json_loadb(text, length, JSON_DECODE_ANY, NULL);
  if (document == NULL)
    return 1;
  json_decref(document);
  return 0;
}
