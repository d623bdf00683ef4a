/*
** Transfers that rest, each with a handle that is set up for its last request.
** Who polls a service sends the same request again and again: it then gets the
** same transfer back, and nothing needs to be set up.
*/
#ifndef BIDE_NET_HTTP_POOL_H
#define BIDE_NET_HTTP_POOL_H

#include <stdbool.h>

#include "net/http_transfer.h"

#define BIDE_HTTP_POOL_SIZE 16

typedef struct BideHttpPool {
  BideTransfer *idle[BIDE_HTTP_POOL_SIZE]; /* the one that rests longest first */
  int count;
  BideBuffer key; /* of the request that is looked for */
} BideHttpPool;

/* A zeroed pool is empty. */
void bide_http_pool_free(BideHttpPool *pool);

/*
** Returns a transfer for this request, without a result. Where `*prepared` is
** false its handle is blank and has to be set up. NULL when memory is out.
*/
BideTransfer *bide_http_pool_take(BideHttpPool *pool, const BideHttpRequest *request,
                                  bool *prepared);

/* Lets a transfer rest. Where `altered`, its handle no longer is what its request asks for. */
void bide_http_pool_give(BideHttpPool *pool, BideTransfer *transfer, bool altered);

/* Frees a transfer but for what libcurl holds of it, which is left behind. */
void bide_http_pool_discard(BideTransfer *transfer);

#endif
