#include "net/http_memory.h"

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_size_t shortages;

static void *noted(void *block) {
  if (block == NULL)
    atomic_fetch_add(&shortages, 1);
  return block;
}

void *bide_http_memory_malloc(size_t size) {
  return noted(malloc(size));
}

void *bide_http_memory_calloc(size_t count, size_t size) {
  return noted(calloc(count, size));
}

void *bide_http_memory_realloc(void *block, size_t size) {
  return noted(realloc(block, size));
}

char *bide_http_memory_strdup(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = bide_http_memory_malloc(size);
  if (copy != NULL)
    memcpy(copy, text, size);
  return copy;
}

bool bide_http_memory_init(void) {
  return curl_global_init_mem(CURL_GLOBAL_DEFAULT, bide_http_memory_malloc, free,
                              bide_http_memory_realloc, bide_http_memory_strdup,
                              bide_http_memory_calloc) == CURLE_OK;
}

size_t bide_http_memory_shortages(void) {
  return atomic_load(&shortages);
}
