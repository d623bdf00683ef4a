#include "net/http_memory.h"

#include <curl/curl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_size_t shortages;

static void *noted(void *block) {
  if (block == NULL)
    atomic_fetch_add(&shortages, 1);
  return block;
}

/*
** libcurl allocates a connection for each transfer, and frees it once it has found one to use
** again. It is larger than what malloc has in the cache of the thread, so it stays here between two
** transfers: the block of this size that was handed out last, if it was freed.
*/
#define LEAST_KEPT ((size_t)1033)
#define MOST_KEPT ((size_t)4096)

static _Atomic(void *) handed_out, kept;

__attribute__((noinline)) static void *take_large(size_t size) {
  void *block;
  if (size > MOST_KEPT)
    return noted(malloc(size));
  block = atomic_exchange(&kept, NULL);
  if (block == NULL || malloc_usable_size(block) < size) {
    free(block);
    block = malloc(size);
  }
  atomic_store_explicit(&handed_out, block, memory_order_relaxed);
  return noted(block);
}

/* It is not inlined: of a malloc and a memset the compiler makes a calloc. */
__attribute__((noinline)) void *bide_http_memory_malloc(size_t size) {
  return size >= LEAST_KEPT ? take_large(size) : noted(malloc(size));
}

/*
** Mostly there is nothing to free. Another block may have the address of the one that was handed
** out: its size is looked at when it is taken.
*/
static void release(void *block) {
  if (block == NULL)
    return;
  if (block == atomic_load_explicit(&handed_out, memory_order_relaxed))
    block = atomic_exchange(&kept, block);
  free(block);
}

/*
** A growing buffer of libcurl begins with 32 bytes, and its size doubles. Its first block is larger
** here, so that most requests and headers move to no other.
*/
#define FIRST_BLOCK ((size_t)128)

void *bide_http_memory_realloc(void *block, size_t size) {
  if (block == NULL)
    return bide_http_memory_malloc(size < FIRST_BLOCK ? FIRST_BLOCK : size);
  return malloc_usable_size(block) >= size ? block : noted(realloc(block, size));
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
  return curl_global_init_mem(CURL_GLOBAL_DEFAULT, bide_http_memory_malloc, release,
                              bide_http_memory_realloc, bide_http_memory_strdup,
                              bide_http_memory_calloc) == CURLE_OK;
}

size_t bide_http_memory_shortages(void) {
  return atomic_load(&shortages);
}
