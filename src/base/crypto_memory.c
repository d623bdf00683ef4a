#include "base/crypto_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_size_t shortages;
static void (*end_process)(void);

static void *noted(void *block, size_t size) {
  if (block != NULL || size == 0)
    return block;
  atomic_fetch_add(&shortages, 1);
  if (end_process != NULL)
    end_process();
  return NULL;
}

void bide_crypto_memory_end_by(void (*end)(void)) {
  end_process = end;
}

void *bide_crypto_memory_malloc(size_t size, const char *file, int line) {
  (void)file;
  (void)line;
  return noted(malloc(size), size);
}

void *bide_crypto_memory_realloc(void *block, size_t size, const char *file, int line) {
  (void)file;
  (void)line;
  return noted(realloc(block, size), size);
}

void bide_crypto_memory_free(void *block, const char *file, int line) {
  (void)file;
  (void)line;
  free(block);
}

size_t bide_crypto_memory_shortages(void) {
  return atomic_load(&shortages);
}
