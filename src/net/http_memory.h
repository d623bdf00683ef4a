/*
** What libcurl allocates with: malloc and its kin, and a count of how often they had
** nothing to give. libcurl tells of that as of something else, or not at all.
*/
#ifndef BIDE_NET_HTTP_MEMORY_H
#define BIDE_NET_HTTP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/export.h"

/* As curl_global_init; a process that has called that itself keeps its own allocator, and counts nothing. */
bool bide_http_memory_init(void);

/* How often libcurl was refused memory, in all threads, since the process began. */
size_t bide_http_memory_shortages(void);

/* libcurl calls these. They have names so that the allocation sweep knows them in a stack. */
BIDE_API void *bide_http_memory_malloc(size_t size);
BIDE_API void *bide_http_memory_calloc(size_t count, size_t size);
BIDE_API void *bide_http_memory_realloc(void *block, size_t size);
BIDE_API char *bide_http_memory_strdup(const char *text);

#endif
