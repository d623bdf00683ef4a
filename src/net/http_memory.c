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

/* It is not inlined: of a malloc and a memset the compiler makes a calloc. */
__attribute__((noinline)) void *bide_http_memory_malloc(size_t size) {
  return noted(malloc(size));
}

void *bide_http_memory_realloc(void *block, size_t size) {
  return noted(realloc(block, size));
}

/*
** Clears a block of malloc, since the calloc of glibc searches the heap for what malloc has in the
** cache of the thread.
*/
void *bide_http_memory_calloc(size_t count, size_t size) {
  size_t total;
  void *block;
  if (__builtin_mul_overflow(count, size, &total))
    return noted(NULL);
  block = bide_http_memory_malloc(total);
  if (block != NULL)
    memset(block, 0, total);
  return block;
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
