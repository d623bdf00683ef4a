#include "net/http.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/crypto_memory.h"
#include "net/http_memory.h"
#include "net/http_pool.h"
#include "net/http_sockets.h"
#include "net/http_transfer.h"
#include "process/descriptors.h"

/* The most connections that are kept, over all hosts. Above it the longest unused one is closed. */
#define KEPT_CONNECTIONS 256L

typedef struct ClientTimer {
  BideTimer timer; /* first, so that a timer is its ClientTimer */
  BideHttpClient *client;
} ClientTimer;

#define CLIENT_TIMERS 2

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

/* ---- running and finished transfers ------------------------------------- */

/*
** The life of a transfer:
**
**   bide_http_start: take_prepared
**      |                  |
**      |                  | conclude_refused: the request itself is wrong
**      v                  |
**   begin_transfer        |
**   = RUNNING             |   libcurl runs it; drive_curl lets it act
**      |                  |
**      | collect_from_curl, on_idle, end_starved, abandon_curl
**      v                  v
**   queue_finished = FINISHED
**      |
**      | report_finished: `done` is called
**      v
**   REPORTED
**
** bide_http_free ends it in any of these states, and gives it back to the pool.
*/

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

/* Calls `done` for the finished transfers; it may free any transfer and start others. */
static void report_finished(BideHttpClient *client) {
  while (client->finished != NULL) {
    BideTransfer *transfer = client->finished;
    unlink_transfer(transfer);
    transfer->state = BIDE_TRANSFER_REPORTED;
    bide_loop_release(client->loop);
    transfer->done(transfer, transfer->context);
  }
}

/* ---- the idle timeout --------------------------------------------------- */

/* Returns the transfer of a timer. libcurl's own limit, of speed, only averages whole seconds. */
static BideTransfer *of_idle(BideTimer *timer) {
  return (BideTransfer *)(void *)((char *)timer - offsetof(BideTransfer, idle));
}

static void note_bytes(BideTransfer *transfer) {
  if (transfer->idle_timeout > 0)
    transfer->touched_at = bide_loop_clock(transfer->client->loop);
}

/* Touches the transfer if bytes were sent, which libcurl reports only on request. */
static void note_sent_bytes(BideTransfer *transfer) {
  curl_off_t sent = 0;
  curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
  if (sent != transfer->sent)
    note_bytes(transfer);
  transfer->sent = sent;
}

static void on_idle(BideTimer *timer);

/* Starts the idle timer, if the transfer has one. Returns false if memory is exhausted. */
static bool start_idle_timer(BideTransfer *transfer) {
  return transfer->idle_timeout == 0 ||
         bide_loop_start_timer(transfer->client->loop, &transfer->idle,
                               transfer->touched_at + transfer->idle_timeout, on_idle);
}

static void on_idle(BideTimer *timer) {
  BideTransfer *transfer = of_idle(timer);
  BideHttpClient *client = transfer->client;
  int64_t now = bide_loop_clock(client->loop);
  note_sent_bytes(transfer);
  if (now < transfer->touched_at + transfer->idle_timeout && start_idle_timer(transfer))
    return;
  transfer->limit = BIDE_TRANSFER_IDLE_LIMIT;
  take_from_curl(transfer);
  conclude(transfer, CURLE_OPERATION_TIMEDOUT);
  report_finished(client);
}

/* ---- callbacks of libcurl and of the loop ------------------------------- */

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

/* Sets the timeout from the clock and not from `now`, since the turn may have begun long ago. */
static int on_timer_wanted(CURLM *multi, long delay, void *context) {
  BideHttpClient *client = context;
  int64_t now = bide_loop_clock(client->loop);
  (void)multi;
  if (delay < 0)
    bide_loop_stop_timer(client->loop, &client->timeout.timer);
  else
    bide_loop_start_reserved(client->loop, &client->timeout.timer, now + delay, on_timeout);
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

/* Reports whether the policy denies the transfer a connection; it then ends with the refusal. */
static bool is_refused(BideTransfer *transfer, const struct sockaddr *address) {
  const BidePolicy *policy = *transfer->client->policy;
  return policy != NULL && bide_policy_refuses(policy, address, transfer->result.refusal);
}

/* Ends a transfer before its request leaves over a connection that it may not use or have tried. */
static int on_connected(void *context, char *remote, char *local, int remote_port, int local_port) {
  BideTransfer *transfer = context;
  struct sockaddr_storage address;
  (void)local, (void)local_port;
  if (transfer->result.refusal[0] != '\0')
    return CURL_PREREQFUNC_ABORT;
  if (*transfer->client->policy != NULL && bide_policy_read(&address, remote, remote_port) &&
      is_refused(transfer, (const struct sockaddr *)&address))
    return CURL_PREREQFUNC_ABORT;
  return CURL_PREREQFUNC_OK;
}

static curl_socket_t on_open_socket(void *context, curlsocktype purpose,
                                    struct curl_sockaddr *address) {
  BideTransfer *transfer = context;
  BideHttpClient *client = transfer->client;
  curl_socket_t opened;
  (void)purpose;
  bide_http_error_note_address(transfer, address);
  if (is_refused(transfer, &address->addr))
    return CURL_SOCKET_BAD;
  opened = bide_http_sockets_open(&client->sockets, address->family, address->socktype,
                                  address->protocol);
  if (opened < 0 && errno == ENOMEM)
    client->starved = transfer;
  else if (opened < 0)
    transfer->lack = bide_descriptors_name(errno);
  return opened;
}

/* Closes a socket. Its context is the client, since a connection may outlive its transfer. */
static int on_close_socket(void *context, curl_socket_t socket) {
  BideHttpClient *client = context;
  bide_http_sockets_close(&client->sockets, socket);
  return 0;
}

/* ---- receiving ---------------------------------------------------------- */

static void report_part(BideTransfer *transfer) {
  if (transfer->on_part != NULL && transfer->part == BIDE_ANSWER_BODY)
    transfer->on_part(transfer, transfer->context);
}

static size_t on_header(char *bytes, size_t size, size_t count, void *context) {
  BideTransfer *transfer = context;
  size_t taken;
  note_bytes(transfer);
  taken = bide_http_answer_take_header(transfer, bytes, size * count);
  report_part(transfer);
  return taken;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
  BideTransfer *transfer = context;
  size_t taken;
  note_bytes(transfer);
  if (transfer->on_part != NULL && transfer->result.body.length >= BIDE_HTTP_PART) {
    transfer->is_paused = true;
    return CURL_WRITEFUNC_PAUSE; /* libcurl keeps these bytes */
  }
  taken = bide_http_framing_take_body(transfer, bytes, size * count);
  report_part(transfer);
  return taken;
}

/* ---- clients ------------------------------------------------------------ */

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

/* ---- transfers ---------------------------------------------------------- */

static void set_callbacks(BideTransfer *transfer) {
  CURL *easy = transfer->easy;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->detail);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer->client);
}

/* Returns a transfer that is ready to begin, or refused; NULL if memory is exhausted. */
static BideTransfer *take_prepared(BideHttpClient *client, const BideHttpRequest *request,
                                   size_t size, CURLcode *code) {
  bool prepared;
  BideTransfer *transfer = bide_http_pool_take(&client->pool, request, size, &prepared);
  if (transfer == NULL || prepared)
    return transfer;
  transfer->client = client;
  set_callbacks(transfer);
  *code = bide_http_request_apply(transfer, request);
  transfer->altered = *code != CURLE_OK;
  if (*code != CURLE_OUT_OF_MEMORY)
    return transfer;
  bide_http_pool_give(&client->pool, transfer, true);
  return NULL;
}

static void give_back(BideTransfer *transfer) {
  bide_budget_give(transfer->budget, transfer->copies);
  if (transfer->abandoned)
    bide_http_pool_discard(transfer);
  else
    bide_http_pool_give(&transfer->client->pool, transfer, transfer->altered);
}

/*
** Starts the transfer and takes its first step here, not in the loop's next turn, so that a request
** over a kept connection is sent at once. A step may finish transfers; a timer then reports them.
*/
static bool begin_transfer(BideTransfer *transfer) {
  BideHttpClient *client = transfer->client;
  transfer->sent = 0;
  transfer->lack = NULL;
  transfer->result.refusal[0] = '\0';
  transfer->part = BIDE_ANSWER_NONE;
  transfer->alone = false;
  note_bytes(transfer);
  if ((client->multi == NULL && !open_multi(client)) || !start_idle_timer(transfer))
    return false;
  if (curl_multi_add_handle(client->multi, transfer->easy) != CURLM_OK) {
    bide_loop_stop_timer(client->loop, &transfer->idle);
    return false;
  }
  link_at(&client->running, transfer);
  bide_loop_hold(client->loop);
  drive_curl(client, CURL_SOCKET_TIMEOUT, 0);
  return true;
}

static bool conclude_refused(BideTransfer *transfer) {
  transfer->result.url = "";
  bide_loop_hold(transfer->client->loop);
  queue_finished(transfer);
  return true;
}

static void schedule_report(BideHttpClient *client) {
  if (client->finished != NULL)
    bide_loop_start_reserved(client->loop, &client->report.timer, bide_loop_clock(client->loop),
                             on_report);
}

static size_t copies_of(const BideHttpRequest *request, size_t size) {
  return size * 2 - request->body_length;
}

size_t bide_http_copies(const BideHttpRequest *request) {
  return copies_of(request, bide_http_request_size(request));
}

/* Starts a transfer that is set up, or was refused with `code`, and has taken its copies. */
static BideTransfer *start(BideTransfer *transfer, CURLcode code, BideBudget *budget,
                           void (*done)(BideTransfer *transfer, void *context), void *context) {
  transfer->budget = budget;
  transfer->on_part = NULL;
  transfer->is_paused = false;
  transfer->done = done;
  transfer->context = context;
  transfer->result.headers.budget = transfer->result.body.budget = budget;
  if (!(code == CURLE_OK ? begin_transfer(transfer) : conclude_refused(transfer))) {
    give_back(transfer);
    return NULL;
  }
  schedule_report(transfer->client);
  return transfer;
}

BideTransfer *bide_http_start(BideHttpClient *client, const BideHttpRequest *request,
                              void (*done)(BideTransfer *transfer, void *context), void *context) {
  CURLcode code = CURLE_OK;
  size_t size = bide_http_request_size(request), copies = copies_of(request, size);
  BideTransfer *transfer;
  if (!bide_budget_take(request->budget, copies))
    return NULL;
  transfer = take_prepared(client, request, size, &code);
  if (transfer == NULL) {
    bide_budget_give(request->budget, copies);
    return NULL;
  }
  transfer->copies = copies;
  return start(transfer, code, request->budget, done, context);
}

BideTransfer *bide_http_start_again(BideHttpClient *client, int64_t number, BideBudget *budget,
                                    void (*done)(BideTransfer *transfer, void *context),
                                    void *context) {
  BideTransfer *transfer = bide_http_pool_take_again(&client->pool, number);
  if (transfer == NULL)
    return NULL;
  if (bide_budget_take(budget, transfer->copies))
    return start(transfer, CURLE_OK, budget, done, context);
  bide_http_pool_give(&client->pool, transfer, false);
  return NULL;
}

void bide_http_stream(BideTransfer *transfer, void (*part)(BideTransfer *transfer, void *context)) {
  transfer->on_part = part;
}

int bide_http_status(BideTransfer *transfer) {
  long status = 0;
  if (transfer->part == BIDE_ANSWER_BODY)
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
  return status >= 200 ? (int)status : 0; /* after a 1xx another answer follows */
}

void bide_http_take_part(BideTransfer *transfer) {
  transfer->result.body.length = 0;
  if (!transfer->is_paused || transfer->state != BIDE_TRANSFER_RUNNING)
    return;
  transfer->is_paused = false;
  note_bytes(transfer);
  curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
}

BideHttpResult *bide_http_result(BideTransfer *transfer) {
  return &transfer->result;
}

void bide_http_free(BideTransfer *transfer) {
  BideHttpClient *client = transfer->client;
  switch (transfer->state) {
    case BIDE_TRANSFER_RUNNING:
      take_from_curl(transfer);
      bide_loop_release(client->loop);
      break;
    case BIDE_TRANSFER_FINISHED:
      unlink_transfer(transfer);
      bide_loop_release(client->loop);
      break;
    case BIDE_TRANSFER_REPORTED: break;
  }
  give_back(transfer);
}
