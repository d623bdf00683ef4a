#include "net/http_sockets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_CAPACITY ((size_t)32)

struct BideHttpSocket {
  uv_poll_t poll; /* first, so that a handle is its socket */
  BideHttpSockets *sockets;
  int descriptor;
  int wanted; /* events that somebody waits for; 0 while the socket rests */
  int polled; /* events that the poll handle is set to; may outlast `wanted` */
  bool ours;  /* it was opened here, so its end will be told */
};

void bide_http_sockets_init(BideHttpSockets *sockets, uv_loop_t *uv, BideHttpSocketReady *ready,
                            void *context) {
  memset(sockets, 0, sizeof *sockets);
  sockets->uv = uv;
  sockets->ready = ready;
  sockets->context = context;
}

static BideHttpSocket *find_socket(const BideHttpSockets *sockets, int descriptor) {
  size_t place = (size_t)descriptor;
  return place < sockets->capacity ? sockets->by_descriptor[place] : NULL;
}

static bool make_room(BideHttpSockets *sockets, size_t place) {
  size_t capacity = sockets->capacity == 0 ? FIRST_CAPACITY : sockets->capacity;
  BideHttpSocket **table;
  if (place < sockets->capacity)
    return true;
  while (capacity <= place)
    capacity *= 2;
  table = realloc(sockets->by_descriptor, capacity * sizeof(BideHttpSocket *));
  if (table == NULL)
    return false;
  memset(table + sockets->capacity, 0, (capacity - sockets->capacity) * sizeof(BideHttpSocket *));
  sockets->by_descriptor = table;
  sockets->capacity = capacity;
  return true;
}

static BideHttpSocket *add_socket(BideHttpSockets *sockets, int descriptor, bool ours) {
  BideHttpSocket *added;
  if (!make_room(sockets, (size_t)descriptor))
    return NULL;
  added = calloc(1, sizeof *added);
  if (added == NULL)
    return NULL;
  if (uv_poll_init(sockets->uv, &added->poll, descriptor) != 0) {
    free(added);
    return NULL;
  }
  uv_unref((uv_handle_t *)&added->poll);
  added->sockets = sockets;
  added->descriptor = descriptor;
  added->ours = ours;
  sockets->by_descriptor[descriptor] = added;
  return added;
}

static void free_socket(uv_handle_t *handle) {
  free(handle);
}

/* The memory lives on until libuv has let go of the handle. */
static void remove_socket(BideHttpSocket *removed) {
  removed->sockets->by_descriptor[removed->descriptor] = NULL;
  uv_close((uv_handle_t *)&removed->poll, free_socket);
}

void bide_http_sockets_free(BideHttpSockets *sockets) {
  for (size_t i = 0; i < sockets->capacity; i++)
    if (sockets->by_descriptor[i] != NULL)
      remove_socket(sockets->by_descriptor[i]);
  free(sockets->by_descriptor);
  sockets->by_descriptor = NULL;
  sockets->capacity = 0;
}

int bide_http_sockets_open(BideHttpSockets *sockets, int family, int type, int protocol) {
  int descriptor = socket(family, type | SOCK_CLOEXEC, protocol);
  if (descriptor < 0)
    return -1;
  if (add_socket(sockets, descriptor, true) == NULL) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

void bide_http_sockets_close(BideHttpSockets *sockets, int descriptor) {
  BideHttpSocket *closed = find_socket(sockets, descriptor);
  if (closed != NULL)
    remove_socket(closed);
  close(descriptor);
}

static void stop_polling(BideHttpSocket *stopped) {
  uv_poll_stop(&stopped->poll);
  stopped->polled = 0;
}

/*
** A resting socket becomes readable when the other side hangs up, or speaks out
** of turn; the next transfer will see that for itself.
*/
static void on_poll(uv_poll_t *poll, int status, int events) {
  BideHttpSocket *polled = (BideHttpSocket *)poll;
  int wanted = status < 0 ? 0 : events & polled->wanted;
  if (wanted == 0)
    stop_polling(polled);
  if (polled->wanted != 0)
    polled->sockets->ready(polled->sockets->context, polled->descriptor, wanted);
}

static bool start_polling(BideHttpSocket *started, int events) {
  if (started->polled == events)
    return true;
  started->polled = events;
  return uv_poll_start(&started->poll, events, on_poll) == 0;
}

static bool rest(BideHttpSocket *resting) {
  resting->wanted = 0;
  uv_unref((uv_handle_t *)&resting->poll);
  if (!resting->ours)
    remove_socket(resting);
  else if (resting->polled != UV_READABLE)
    stop_polling(resting); /* it is writable all the time, and would wake us all the time */
  return true;
}

bool bide_http_sockets_watch(BideHttpSockets *sockets, int descriptor, int events) {
  BideHttpSocket *watched = find_socket(sockets, descriptor);
  if (events == 0)
    return watched == NULL || rest(watched);
  if (watched == NULL)
    watched = add_socket(sockets, descriptor, false);
  if (watched == NULL)
    return false;
  watched->wanted = events;
  uv_ref((uv_handle_t *)&watched->poll);
  return start_polling(watched, events);
}
