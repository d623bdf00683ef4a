#include "net/http_client.h"

#include <stdlib.h>

#include "base/crypto_memory.h"
#include "net/http_memory.h"
#include "process/descriptors.h"

/* The most connections that are kept, over all hosts. Above it the longest unused one is closed. */
#define KEPT_CONNECTIONS 256L
#define CLIENT_TIMERS 2

/* ---- running and finished transfers ----------------------------------------- */

static void link_at(BideTransfer **place, BideTransfer *transfer) {
  transfer->next = *place;
  transfer->link = place;
  if (*place != NULL)
    (*place)->link = &transfer->next;
  *place = transfer;
}

static void unlink_transfer(BideTransfer *transfer) {
  *transfer->link = transfer->next;
  if (transfer->next != NULL)
    transfer->next->link = transfer->link;
  else if (transfer->client->end == &transfer->next)
    transfer->client->end = transfer->link;
}

static void queue_finished(BideTransfer *transfer) {
  BideHttpClient *client = transfer->client;
  transfer->state = BIDE_TRANSFER_FINISHED;
  link_at(client->end, transfer);
  client->end = &transfer->next;
}

static void leave_running(BideTransfer *transfer) {
  bide_loop_stop_timer(transfer->client->loop, &transfer->idle);
  unlink_transfer(transfer);
}

/* Takes a running transfer out of libcurl. */
static void take_from_curl(BideTransfer *transfer) {
  leave_running(transfer);
  curl_multi_remove_handle(transfer->client->multi, transfer->easy);
}

static void conclude(BideTransfer *transfer, CURLcode code) {
  char *url = NULL;
  curl_easy_getinfo(transfer->easy, CURLINFO_EFFECTIVE_URL, &url);
  transfer->result.url = url != NULL ? url : "";
  bide_http_error_find_address(transfer);
  if (code == CURLE_OK && transfer->part == BIDE_ANSWER_HEADERS)
    code = bide_http_error_cut(transfer); /* libcurl takes this for a complete answer */
  if (code == CURLE_OK)
    code = bide_http_framing_check(transfer);
  if (code == CURLE_OK)
    bide_http_answer_read(transfer);
  else
    bide_http_error_explain(transfer, code);
  queue_finished(transfer);
}

/*
** Sends a request again over a connection of its own, if the server retired the shared one. A
** server that retires connections of HTTP/2 may retire the next ones too before each request was
** sent.
*/
static bool send_alone(BideTransfer *transfer, CURLcode code) {
  return code != CURLE_OK && !transfer->alone && bide_http_error_is_retirement(transfer) &&
         bide_http_request_isolate(transfer) &&
         curl_multi_add_handle(transfer->client->multi, transfer->easy) == CURLM_OK;
}

/* Removes the finished transfers from libcurl. */
static void collect_from_curl(BideHttpClient *client) {
  CURLMsg *message;
  int left;
  while ((message = curl_multi_info_read(client->multi, &left)) != NULL) {
    CURLcode code = message->data.result;
    CURL *easy = message->easy_handle;
    void *transfer = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    curl_multi_remove_handle(client->multi, easy);
    if (send_alone(transfer, code))
      continue;
    leave_running(transfer);
    conclude(transfer, code);
  }
}

static void leave_finished(BideTransfer *transfer) {
  unlink_transfer(transfer);
  transfer->state = BIDE_TRANSFER_REPORTED;
  bide_loop_release(transfer->client->loop);
}

/* Calls `done` for the finished transfers; it may free any transfer and start others. */
static void report_finished(BideHttpClient *client) {
  while (client->finished != NULL) {
    BideTransfer *transfer = client->finished;
    leave_finished(transfer);
    transfer->done(transfer, transfer->context);
  }
}

bool bide_http_take_end(BideTransfer *transfer) {
  BideHttpClient *client = transfer->client;
  if (transfer->state != BIDE_TRANSFER_FINISHED)
    return false;
  leave_finished(transfer);
  if (client->finished == NULL)
    bide_loop_stop_timer(client->loop, &client->report.timer);
  return true;
}

/* ---- driving libcurl ------------------------------------------------------ */

/* Finishes a transfer that was stopped because memory is exhausted. */
static void end_short_of_memory(BideTransfer *transfer) {
  transfer->result.error = "TransportFailure";
  transfer->result.shortage = true;
  transfer->result.url = "";
  queue_finished(transfer);
}

/*
** Ends a transfer whose socket found no memory. The callback must not report that to libcurl, which
** would then fail every transfer permanently, and crash on those that have not begun.
*/
static void end_starved(BideHttpClient *client) {
  BideTransfer *starved = client->starved;
  client->starved = NULL;
  if (starved == NULL || starved->state != BIDE_TRANSFER_RUNNING)
    return;
  take_from_curl(starved);
  end_short_of_memory(starved);
}

/*
** Ends all transfers after libcurl ran out of memory. It may have lost a socket, and would never
** end its transfer, or hold a half-built list on which it would crash. So the multi handle is
** leaked and not used again, and the next transfer creates a new one.
*/
static void abandon_curl(BideHttpClient *client) {
  while (client->running != NULL) {
    BideTransfer *transfer = client->running;
    leave_running(transfer);
    transfer->abandoned = true;
    end_short_of_memory(transfer);
  }
  bide_loop_stop_timer(client->loop, &client->timeout.timer);
  bide_http_sockets_abandon(&client->sockets);
  client->multi = NULL;
}

/* Of libcurl, and of libssl below it. */
static size_t count_shortages(void) {
  return bide_http_memory_shortages() + bide_crypto_memory_shortages();
}

static bool was_short(BideHttpClient *client) {
  size_t before = client->shortages;
  client->shortages = count_shortages();
  return client->shortages != before;
}

static void drive_curl(BideHttpClient *client, curl_socket_t socket, int events) {
  int running;
  curl_multi_socket_action(client->multi, socket, events, &running);
  if (was_short(client)) {
    abandon_curl(client);
    return;
  }
  end_starved(client);
  collect_from_curl(client);
}

static void on_ready(void *context, int descriptor, int events) {
  const BideHttpClient *client = context;
  int selected = 0;
  bide_loop_look(client->loop); /* a poll may have thousands of sockets */
  if (events == 0)
    selected = CURL_CSELECT_ERR | CURL_CSELECT_IN; /* reading then finds the error */
  if (events & UV_READABLE)
    selected |= CURL_CSELECT_IN;
  if (events & UV_WRITABLE)
    selected |= CURL_CSELECT_OUT;
  drive_curl(context, descriptor, selected);
  report_finished(context);
}

static void on_timeout(BideTimer *timer) {
  BideHttpClient *client = ((ClientTimer *)timer)->client;
  drive_curl(client, CURL_SOCKET_TIMEOUT, 0);
  report_finished(client);
}

static void on_report(BideTimer *timer) {
  report_finished(((ClientTimer *)timer)->client);
}

/*
** Sets the timeout from the clock and not from `now`, since the turn may have begun long ago. What
** is due at once needs no clock.
*/
static int on_timer_wanted(CURLM *multi, long delay, void *context) {
  BideHttpClient *client = context;
  BideLoop *loop = client->loop;
  (void)multi;
  if (delay < 0)
    bide_loop_stop_timer(loop, &client->timeout.timer);
  else
    bide_loop_start_reserved(loop, &client->timeout.timer,
                             delay > 0 ? bide_loop_clock(loop) + delay : bide_loop_now(loop),
                             on_timeout);
  return 0;
}

/* Reports whether the last answer came by HTTP/1; a peer may send frames of HTTP/2 at any time. */
static bool is_serial(CURL *easy) {
  long version = 0;
  curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
  return version == CURL_HTTP_VERSION_1_0 || version == CURL_HTTP_VERSION_1_1;
}

static int on_socket_wanted(CURL *easy, curl_socket_t socket, int what, void *context,
                            void *unused) {
  BideHttpClient *client = context;
  BideTransfer *transfer = NULL;
  int events = 0;
  (void)unused;
  if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
    events |= UV_READABLE;
  if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
    events |= UV_WRITABLE;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
  if (events == 0)
    bide_http_sockets_rest(&client->sockets, socket,
                           is_serial(easy) && (transfer == NULL || !transfer->is_paused));
  else if (!bide_http_sockets_watch(&client->sockets, socket, events))
    client->starved = transfer;
  return 0;
}

/* ---- clients ---------------------------------------------------------------- */

/* Returns how many connections are kept: at least one, and about a quarter of the descriptors. */
static long kept_connections(void) {
  unsigned long long limit = bide_descriptors_limit() / 4;
  return limit < KEPT_CONNECTIONS ? (long)limit + 1 : KEPT_CONNECTIONS;
}

static bool open_multi(BideHttpClient *client) {
  CURLM *multi = curl_multi_init();
  if (multi == NULL)
    return false;
  bide_descriptors_seal_new(); /* libcurl opened a pair of sockets that programs would inherit */
  client->multi = multi;
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket_wanted);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, client);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, client);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, kept_connections());
  return true;
}

BideHttpClient *bide_http_client_create(BideLoop *loop, BidePolicy *const *policy) {
  BideHttpClient *client;
  size_t shortages = count_shortages(); /* libssl fails later for what it lacked at its start */
  bide_crypto_memory_init();
  if (!bide_http_memory_init())
    return NULL;
  client = calloc(1, sizeof *client);
  if (client == NULL || !bide_loop_reserve(loop, CLIENT_TIMERS)) {
    free(client);
    curl_global_cleanup();
    return NULL;
  }
  client->loop = loop;
  client->policy = policy;
  client->end = &client->finished;
  client->shortages = shortages;
  client->timeout.client = client;
  client->report.client = client;
  bide_http_sockets_init(&client->sockets, bide_loop_uv(loop), on_ready, client);
  return client;
}

void bide_http_client_destroy(BideHttpClient *client) {
  bide_http_pool_free(&client->pool);
  if (client->multi != NULL)
    curl_multi_cleanup(client->multi);
  bide_http_sockets_free(&client->sockets);
  bide_loop_stop_timer(client->loop, &client->timeout.timer);
  bide_loop_stop_timer(client->loop, &client->report.timer);
  bide_loop_unreserve(client->loop, CLIENT_TIMERS);
  free(client);
  curl_global_cleanup();
}

void bide_http_close_idle(BideHttpClient *client) {
  if (client->running != NULL) {
    bide_http_sockets_shut_idle(&client->sockets);
  } else if (client->multi != NULL) {
    curl_multi_cleanup(client->multi);
    bide_loop_stop_timer(client->loop, &client->timeout.timer);
    client->multi = NULL;
  }
}

/* ---- transfers -------------------------------------------------------------- */

static void schedule_report(BideHttpClient *client) {
  if (client->finished != NULL)
    bide_loop_start_reserved(client->loop, &client->report.timer, bide_loop_now(client->loop),
                             on_report);
}

bool bide_http_client_run(BideTransfer *transfer) {
  BideHttpClient *client = transfer->client;
  if ((client->multi == NULL && !open_multi(client)) ||
      curl_multi_add_handle(client->multi, transfer->easy) != CURLM_OK)
    return false;
  link_at(&client->running, transfer);
  bide_loop_hold(client->loop);
  bide_loop_stop_timer(client->loop, &client->timeout.timer); /* libcurl takes it for over now */
  drive_curl(client, CURL_SOCKET_TIMEOUT, 0);
  schedule_report(client);
  return true;
}

void bide_http_client_refuse(BideTransfer *transfer) {
  transfer->result.url = "";
  bide_loop_hold(transfer->client->loop);
  queue_finished(transfer);
  schedule_report(transfer->client);
}

void bide_http_client_end(BideTransfer *transfer, CURLcode code) {
  BideHttpClient *client = transfer->client;
  take_from_curl(transfer);
  conclude(transfer, code);
  report_finished(client);
}

void bide_http_client_drop(BideTransfer *transfer) {
  switch (transfer->state) {
    case BIDE_TRANSFER_RUNNING:
      take_from_curl(transfer);
      bide_loop_release(transfer->client->loop);
      break;
    case BIDE_TRANSFER_FINISHED:
      unlink_transfer(transfer);
      bide_loop_release(transfer->client->loop);
      break;
    case BIDE_TRANSFER_REPORTED: break;
  }
}
