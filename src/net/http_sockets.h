/*
** Polls the sockets of an HTTP client, each with one poll handle that lives as long as the socket.
** A kept connection rests between two transfers with its poll still set, so that a request over it
** needs no system calls besides those that send and receive.
*/
#ifndef BIDE_NET_HTTP_SOCKETS_H
#define BIDE_NET_HTTP_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

typedef struct BideHttpSocket BideHttpSocket;

/*
** Called if a watched socket is ready. `events` is UV_READABLE, UV_WRITABLE, both, or 0 if polling
** failed. The function may watch and close sockets.
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

/* Stops polling all sockets and frees the memory. Closes no descriptor. */
void bide_http_sockets_free(BideHttpSockets *sockets);

/* Closes all descriptors that were opened here, and removes all sockets. */
void bide_http_sockets_abandon(BideHttpSockets *sockets);

/* Open a socket, as socket(2), and close it. Opening returns -1 and sets errno on failure. */
int bide_http_sockets_open(BideHttpSockets *sockets, int family, int type, int protocol);
void bide_http_sockets_close(BideHttpSockets *sockets, int descriptor);

/* Shuts down the resting sockets that were opened here; libcurl then takes them for dead. */
void bide_http_sockets_shut_idle(BideHttpSockets *sockets);

/*
** Watches a socket for `events`, of which there is at least one. Returns false if memory is
** exhausted or the descriptor cannot be polled.
*/
bool bide_http_sockets_watch(BideHttpSockets *sockets, int descriptor, int events);

/*
** Lets a socket rest. A socket that was not opened here is removed, since its closing is not
** reported. If its protocol is serial, as HTTP/1 is, what comes while it rests answers no request:
** the connection is then ended.
*/
void bide_http_sockets_rest(BideHttpSockets *sockets, int descriptor, bool is_serial);

#endif
