/*
** Runs transfers by libcurl's multi interface, on the loop, and reports those that are finished.
** http.c makes the transfers, and takes what libcurl reports of each.
**
** The life of a transfer:
**
**   bide_http_start
**      |                  |
**      |                  | bide_http_client_refuse: the request itself is wrong
**      v                  |
**   bide_http_client_run  |
**   = RUNNING             |   libcurl runs it; drive_curl lets it act
**      |                  |
**      | collect_from_curl, bide_http_client_end, end_starved, abandon_curl
**      v                  v
**   queue_finished = FINISHED
**      |
**      | report_finished: `done` is called; or bide_http_take_end
**      v
**   REPORTED
**
** bide_http_client_drop ends it in any of these states.
*/
#ifndef BIDE_NET_HTTP_CLIENT_H
#define BIDE_NET_HTTP_CLIENT_H

#include "net/http_pool.h"
#include "net/http_sockets.h"
#include "net/http_transfer.h"

typedef struct ClientTimer {
  BideTimer timer; /* first, so that a timer is its ClientTimer */
  BideHttpClient *client;
} ClientTimer;

struct BideHttpClient {
  BideLoop *loop;
  BidePolicy *const *policy; /* its place */
  CURLM *multi;
  BideHttpSockets sockets;
  ClientTimer timeout;    /* when libcurl has to be called without a socket event */
  ClientTimer report;     /* reports transfers that finished while one was started */
  BideTransfer *running;  /* a list of the transfers that libcurl runs */
  BideTransfer *finished; /* a queue, the oldest first */
  BideTransfer **end;     /* the last pointer of that queue */
  BideTransfer *starved;  /* the transfer whose socket found no memory */
  size_t shortages;       /* libcurl's failed allocations so far */
  BideHttpPool pool;
};

/*
** Lets libcurl run a transfer that is set up. It takes its first step here, not in the loop's next
** turn, so that a request over a kept connection is sent at once. Returns false if memory is
** exhausted.
*/
bool bide_http_client_run(BideTransfer *transfer);

/* Finishes a transfer that was not run, since its request is wrong. Its result says why. */
void bide_http_client_refuse(BideTransfer *transfer);

/* Ends a running transfer with a code of libcurl, and reports it. */
void bide_http_client_end(BideTransfer *transfer, CURLcode code);

/* Takes a transfer from the client; it is not reported any more. */
void bide_http_client_drop(BideTransfer *transfer);

#endif
