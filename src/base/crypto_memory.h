/*
** The allocator of libssl and libcrypto: malloc and its relatives, with a count of failed
** allocations, which the two report as other errors, as a wrong certificate, or not at all.
*/
#ifndef BIDE_BASE_CRYPTO_MEMORY_H
#define BIDE_BASE_CRYPTO_MEMORY_H

#include <stddef.h>

#include "base/export.h"

/* Returns the number of their failed allocations, in all threads, since the process began. */
BIDE_API size_t bide_crypto_memory_shortages(void);

/*
** Sets what is called at the first failed allocation, and ends the process. libcrypto continues
** without what it lacks, and crashes in places (OpenSSL 3.0: at its first use of an algorithm). A
** process that is not bide's own has none; there the modules look at the shortages. Called before
** there is a second thread.
*/
void bide_crypto_memory_end_by(void (*end)(void));

/* Called by libcrypto only; `file` and `line` are those of its own code. */
BIDE_API void *bide_crypto_memory_malloc(size_t size, const char *file, int line);
BIDE_API void *bide_crypto_memory_realloc(void *block, size_t size, const char *file, int line);
BIDE_API void bide_crypto_memory_free(void *block, const char *file, int line);

/*
** Of libcrypto. It is weak, since each module that calls it has libcrypto in its own way: by
** itself, or by libcurl, which may have another library in its place.
*/
extern int CRYPTO_set_mem_functions(void *(*)(size_t, const char *, int),
                                    void *(*)(void *, size_t, const char *, int),
                                    void (*)(void *, const char *, int)) __attribute__((weak));

/*
** Gives libcrypto this allocator. Called by each module that uses it, when it is loaded: a process
** that has used libcrypto before keeps its own, and nothing is counted.
*/
static inline void bide_crypto_memory_init(void) {
  if (CRYPTO_set_mem_functions != NULL)
    CRYPTO_set_mem_functions(bide_crypto_memory_malloc, bide_crypto_memory_realloc,
                             bide_crypto_memory_free);
}

#endif
