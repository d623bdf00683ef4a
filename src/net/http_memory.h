/*
** The allocator of libcurl: malloc and its relatives, with a count of failed allocations, which
** libcurl reports as other errors or not at all.
*/
#ifndef BIDE_NET_HTTP_MEMORY_H
#define BIDE_NET_HTTP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/export.h"

/*
** Initialises libcurl with this allocator. Returns false if curl_global_init_mem fails. If the
** process has initialised libcurl itself, its allocator stays, and no failures are counted.
*/
bool bide_http_memory_init(void);

/* Returns the number of failed allocations of libcurl, in all threads, since the process began. */
size_t bide_http_memory_shortages(void);

/*
** Called by libcurl only. They are exported so that the allocation sweep can find them in stacks.
*/
BIDE_API void *bide_http_memory_malloc(size_t size);
BIDE_API void *bide_http_memory_calloc(size_t count, size_t size);
BIDE_API void *bide_http_memory_realloc(void *block, size_t size);
BIDE_API char *bide_http_memory_strdup(const char *text);

#endif
