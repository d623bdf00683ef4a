#include "net/http_sockets.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/platform.h"

#define FIRST_CAPACITY ((size_t)32)

struct BideHttpSocket {
  uv_poll_t poll; /* first, so that a handle is its socket */
  BideHttpSockets *sockets;
  int descriptor;
  int wanted;     /* events that libcurl waits for; 0 while the socket rests */
  int polled;     /* events that the poll handle is set to; may outlive `wanted` */
  bool ours;      /* it was opened here, so its closing is reported */
  bool is_serial; /* while it rests, nothing may come but its end */
};

_Static_assert(offsetof(BideHttpSocket, poll) == 0, "a handle is its socket");

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

static void free_socket(uv_handle_t *handle) {
  free(handle);
}

/* Removes a socket. libuv frees its memory later, in the close callback. */
static void remove_socket(BideHttpSocket *removed) {
  removed->sockets->by_descriptor[removed->descriptor] = NULL;
  uv_close((uv_handle_t *)&removed->poll, free_socket);
}

static BideHttpSocket *add_socket(BideHttpSockets *sockets, int descriptor, bool ours) {
  BideHttpSocket *added;
  if (!make_room(sockets, (size_t)descriptor))
    return NULL;
  if (sockets->by_descriptor[descriptor] != NULL)
    remove_socket(sockets->by_descriptor[descriptor]);
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

void bide_http_sockets_free(BideHttpSockets *sockets) {
  for (size_t i = 0; i < sockets->capacity; i++)
    if (sockets->by_descriptor[i] != NULL)
      remove_socket(sockets->by_descriptor[i]);
  free(sockets->by_descriptor);
  sockets->by_descriptor = NULL;
  sockets->capacity = 0;
}

void bide_http_sockets_abandon(BideHttpSockets *sockets) {
  for (size_t place = 0; place < sockets->capacity; place++) {
    BideHttpSocket *abandoned = sockets->by_descriptor[place];
    if (abandoned == NULL)
      continue;
    if (abandoned->ours)
      bide_http_sockets_close(sockets, (int)place);
    else
      remove_socket(abandoned);
  }
}

void bide_http_sockets_shut_idle(BideHttpSockets *sockets) {
  for (size_t place = 0; place < sockets->capacity; place++) {
    const BideHttpSocket *kept = sockets->by_descriptor[place];
    if (kept != NULL && kept->ours && kept->wanted == 0)
      shutdown((int)place, SHUT_RDWR);
  }
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

#define MOST_PIECES 256

/*
** Throws away what the peer sent behind its answer, and shuts the socket down, so that libcurl
** takes the connection for dead. It would read the bytes as the answer to the next request. While
** bytes are left it takes the connection for alive, so they are read.
*/
static void drop_unasked(int descriptor) {
  char piece[4096];
  int pieces = 0;
  ssize_t received = recv(descriptor, piece, sizeof piece, MSG_DONTWAIT);
  if (received <= 0)
    return; /* the peer closed it */
  shutdown(descriptor, SHUT_RDWR);
  while (received > 0 && pieces++ < MOST_PIECES)
    received = recv(descriptor, piece, sizeof piece, MSG_DONTWAIT);
}

/*
** Reports the events of a watched socket. A resting socket becomes readable if the peer closes it
** or sends unexpected data; polling then stops, and the next transfer finds the end.
*/
static void on_poll(uv_poll_t *poll, int status, int events) {
  BideHttpSocket *polled = (BideHttpSocket *)poll;
  int wanted = status < 0 ? 0 : events & polled->wanted;
  if (wanted == 0)
    stop_polling(polled);
  if (polled->wanted == 0 && polled->is_serial && status >= 0)
    drop_unasked(polled->descriptor);
  if (polled->wanted != 0)
    polled->sockets->ready(polled->sockets->context, polled->descriptor, wanted);
}

static bool start_polling(BideHttpSocket *started, int events) {
  if (started->polled == events)
    return true;
  started->polled = events;
  return uv_poll_start(&started->poll, events, on_poll) == 0;
}

/*
** Lets a socket rest. If it was last polled for writing, it is not connected yet and libcurl may
** close it without a report, so it is removed. If it was last polled for reading, it is a
** connection, whose closing is reported.
*/
static void rest(BideHttpSocket *resting, bool is_serial) {
  resting->wanted = 0;
  resting->is_serial = is_serial;
  uv_unref((uv_handle_t *)&resting->poll);
  if (!resting->ours || resting->polled != UV_READABLE)
    remove_socket(resting);
}

static bool watch(BideHttpSocket *watched, int events) {
  watched->wanted = events;
  uv_ref((uv_handle_t *)&watched->poll);
  return start_polling(watched, events);
}

void bide_http_sockets_rest(BideHttpSockets *sockets, int descriptor, bool is_serial) {
  BideHttpSocket *resting = find_socket(sockets, descriptor);
  if (resting != NULL)
    rest(resting, is_serial);
}

bool bide_http_sockets_watch(BideHttpSockets *sockets, int descriptor, int events) {
  BideHttpSocket *watched = find_socket(sockets, descriptor);
  if (watched == NULL)
    watched = add_socket(sockets, descriptor, false);
  return watched != NULL && watch(watched, events);
}

/*
** Opens a socket. If libcurl closed a socket without a report and this one gets its number, libcurl
** believes that it is already watched; so its events are kept.
*/
int bide_http_sockets_open(BideHttpSockets *sockets, int family, int type, int protocol) {
  int descriptor = bide_platform_socket(family, type, protocol);
  BideHttpSocket *earlier, *opened;
  int wanted;
  if (descriptor < 0)
    return -1;
  earlier = find_socket(sockets, descriptor);
  wanted = earlier != NULL ? earlier->wanted : 0;
  opened = add_socket(sockets, descriptor, true);
  if (opened != NULL && (wanted == 0 || watch(opened, wanted)))
    return descriptor;
  bide_http_sockets_close(sockets, descriptor);
  errno = ENOMEM;
  return -1;
}
