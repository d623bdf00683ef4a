#include "net/http.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "net/http_client.h"
#include "process/descriptors.h"

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
  int64_t now = bide_loop_clock(transfer->client->loop);
  note_sent_bytes(transfer);
  if (now < transfer->touched_at + transfer->idle_timeout && start_idle_timer(transfer))
    return;
  transfer->limit = BIDE_TRANSFER_IDLE_LIMIT;
  bide_http_client_end(transfer, CURLE_OPERATION_TIMEDOUT);
}

/* Reports whether the policy denies the transfer a connection; it then ends with the refusal. */
static bool is_refused(BideTransfer *transfer, const struct sockaddr *address) {
  const BidePolicy *policy = *transfer->client->policy;
  return policy != NULL && bide_policy_refuses(policy, address, transfer->result.refusal);
}

/*
** Reports whether the policy denies a connection, which may have been kept from before. One whose
** address cannot be read may lead anywhere; that to a Unix socket leads to no network.
*/
static bool is_closed(BideTransfer *transfer, const char *remote, int port) {
  struct sockaddr_storage address;
  if (*transfer->client->policy == NULL || transfer->unix_socket != NULL)
    return false;
  if (bide_policy_read(&address, remote, port))
    return is_refused(transfer, (const struct sockaddr *)&address);
  snprintf(transfer->result.refusal, BIDE_REFUSAL_SIZE,
           "may not connect to an address that cannot be read: the network is restricted");
  return true;
}

/* Ends a transfer before its request leaves over a connection that it may not use or have tried. */
static int on_connected(void *context, char *remote, char *local, int remote_port, int local_port) {
  BideTransfer *transfer = context;
  (void)local, (void)local_port;
  return transfer->result.refusal[0] != '\0' || is_closed(transfer, remote, remote_port)
           ? CURL_PREREQFUNC_ABORT
           : CURL_PREREQFUNC_OK;
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

static bool begin(BideTransfer *transfer) {
  transfer->sent = 0;
  transfer->lack = NULL;
  transfer->result.refusal[0] = '\0';
  transfer->part = BIDE_ANSWER_NONE;
  transfer->alone = false;
  note_bytes(transfer);
  if (!start_idle_timer(transfer))
    return false;
  if (bide_http_client_run(transfer))
    return true;
  bide_loop_stop_timer(transfer->client->loop, &transfer->idle);
  return false;
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
  if (code != CURLE_OK) {
    bide_http_client_refuse(transfer);
  } else if (!begin(transfer)) {
    give_back(transfer);
    return NULL;
  }
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
  bide_http_client_drop(transfer);
  give_back(transfer);
}
