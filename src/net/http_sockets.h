/*
** The sockets of an HTTP client, each with one poll handle on the loop that
** lives as long as the socket does. A kept connection rests between two
** transfers with its poll still set, so that a poll of a service costs no call
** to the system but those that send and receive.
*/
#ifndef BIDE_NET_HTTP_SOCKETS_H
#define BIDE_NET_HTTP_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

typedef struct BideHttpSocket BideHttpSocket;

/*
** What to call when a socket that is watched is ready. `events` are UV_READABLE,
** UV_WRITABLE, both, or 0 where polling it failed. It may watch and close sockets.
*/
typedef void BideHttpSocketReady(void *context, int descriptor, int events);

typedef struct BideHttpSockets {
  uv_loop_t *uv;
  BideHttpSocketReady *ready;
  void *context;
  BideHttpSocket **by_descriptor;
  size_t capacity;
} BideHttpSockets;

void bide_http_sockets_init(BideHttpSockets *sockets, uv_loop_t *uv, BideHttpSocketReady *ready,
                            void *context);

/* Stops polling whatever is left, closes no descriptor, and gives the memory back. */
void bide_http_sockets_free(BideHttpSockets *sockets);

/* Closes all descriptors that were opened here, and forgets every socket. */
void bide_http_sockets_abandon(BideHttpSockets *sockets);

/* Opens a socket, as socket(2), that is ours until bide_http_sockets_close. -1 and errno on failure. */
int bide_http_sockets_open(BideHttpSockets *sockets, int family, int type, int protocol);
void bide_http_sockets_close(BideHttpSockets *sockets, int descriptor);

/*
** Watches a socket for `events`; 0 lets it rest. A socket that was not opened
** here is forgotten when it rests, since nobody will say that it was closed.
** False when memory is out or the descriptor cannot be polled.
*/
bool bide_http_sockets_watch(BideHttpSockets *sockets, int descriptor, int events);

#endif
