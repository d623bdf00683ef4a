/*
** Keeps idle transfers, each with a handle that is set up for its last request. A poll of a service
** sends the same request repeatedly: it gets the same transfer back, without any setup.
*/
#ifndef BIDE_NET_HTTP_POOL_H
#define BIDE_NET_HTTP_POOL_H

#include <stdbool.h>

#include "net/http_transfer.h"

#define BIDE_HTTP_POOL_SIZE 16

typedef struct BideHttpPool {
  BideTransfer *idle[BIDE_HTTP_POOL_SIZE]; /* ordered by idle time, the longest first */
  int count;
  BideBuffer key; /* the key of the request that is searched for */
} BideHttpPool;

/* Frees the idle transfers. A zeroed pool is empty. */
void bide_http_pool_free(BideHttpPool *pool);

/*
** Takes a transfer for this request of `size` bytes, without a result, out of the pool. If
** `*prepared` is false, its handle is blank and has to be set up. Returns NULL if memory is
** exhausted.
*/
BideTransfer *bide_http_pool_take(BideHttpPool *pool, const BideHttpRequest *request, size_t size,
                                  bool *prepared);

/*
** Takes a transfer that is set up for the request with this number out of the pool, if there is one
** and the number is not 0; else returns NULL.
*/
BideTransfer *bide_http_pool_take_again(BideHttpPool *pool, int64_t number);

/* Gives a transfer back to the pool. `altered`: its handle no longer fits its request. */
void bide_http_pool_give(BideHttpPool *pool, BideTransfer *transfer, bool altered);

/* Frees a transfer, but leaks the memory that libcurl still refers to. */
void bide_http_pool_discard(BideTransfer *transfer);

#endif
