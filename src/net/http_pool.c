#include "net/http_pool.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The size of the largest request that is kept. Copying a larger one is not worth it. */
#define LARGEST_REQUEST ((size_t)64 * 1024)

/* The most bytes for headers, and for a body, that a transfer keeps while it is idle. */
#define SMALL_BUFFER ((size_t)1024)

/* ---- keys: a whole request as bytes that can be compared ---------------- */

typedef struct Numbers {
  int64_t timeout, connect_timeout, idle_timeout, body_limit;
  int64_t has_body, insecure, version;
  size_t header_count, body_length;
} Numbers;

static void add_numbers(BideBuffer *key, const BideHttpRequest *request) {
  Numbers numbers = {request->timeout,    request->connect_timeout, request->idle_timeout,
                     request->body_limit, request->has_body,        request->insecure,
                     request->version,    request->header_count,    request->body_length};
  bide_buffer_append(key, (const char *)&numbers, sizeof numbers);
}

#define ABSENT SIZE_MAX /* the length of an absent text, which differs from an empty one */

static void add_texts(BideBuffer *key, const BideHttpRequest *request) {
  const char *texts[BIDE_HTTP_TEXTS];
  size_t lengths[BIDE_HTTP_TEXTS];
  bide_http_request_texts(request, texts);
  for (size_t i = 0; i < BIDE_HTTP_TEXTS; i++)
    lengths[i] = texts[i] != NULL ? strlen(texts[i]) : ABSENT;
  bide_buffer_append(key, (const char *)lengths, sizeof lengths);
  for (size_t i = 0; i < BIDE_HTTP_TEXTS; i++)
    if (texts[i] != NULL)
      bide_buffer_append(key, texts[i], lengths[i]);
}

/* Appends a text with the NUL at its end. */
static void add_text(BideBuffer *key, const char *text) {
  bide_buffer_append(key, text, strlen(text) + 1);
}

/* Writes the key of a request with a number, which no other request has. */
static void write_number(BideBuffer *key, int64_t number) {
  key->length = 0;
  key->failed = false;
  bide_buffer_append(key, (const char *)&number, sizeof number);
}

/* Writes the key. It is empty, and then equal to no key, for a request that is not kept. */
static void write_key(BideBuffer *key, const BideHttpRequest *request, size_t size) {
  key->length = 0;
  key->failed = false;
  if (size > LARGEST_REQUEST)
    return;
  if (request->number != 0) {
    write_number(key, request->number);
    return;
  }
  add_numbers(key, request);
  add_texts(key, request);
  for (size_t i = 0; i < request->header_count; i++) {
    add_text(key, request->headers[i].name);
    add_text(key, request->headers[i].value);
  }
  bide_buffer_append(key, request->body, request->body_length);
  if (key->failed)
    key->length = 0;
}

static bool equals(const BideBuffer *a, const BideBuffer *b) {
  return a->length > 0 && a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

/* ---- transfers ---------------------------------------------------------- */

/* Empties a buffer. A small one keeps its memory for the next answer. */
static void empty(BideBuffer *buffer) {
  if (buffer->capacity > SMALL_BUFFER)
    bide_buffer_free(buffer);
  buffer->length = 0;
  buffer->failed = false;
}

/* Clears the result, so that the request can be sent again. */
static void forget_result(BideTransfer *transfer) {
  empty(&transfer->result.headers);
  empty(&transfer->result.body);
  memset(&transfer->result, 0, offsetof(BideHttpResult, headers));
  transfer->state = BIDE_TRANSFER_RUNNING;
  transfer->limit = BIDE_TRANSFER_WITHIN_LIMITS;
  bide_http_framing_reset(transfer);
  transfer->tried[0] = '\0';
  transfer->detail[0] = '\0';
}

/* Clears the request as well. */
static void forget_request(BideTransfer *transfer) {
  curl_easy_reset(transfer->easy);
  curl_url_cleanup(transfer->url);
  curl_slist_free_all(transfer->headers);
  curl_slist_free_all(transfer->address);
  free(transfer->unix_socket);
  transfer->url = NULL;
  transfer->headers = NULL;
  transfer->address = NULL;
  transfer->unix_socket = NULL;
  transfer->is_small = false;
  transfer->may_use_proxy = false;
  transfer->key.length = 0;
}

/* Frees all but what belongs to libcurl. */
static void free_transfer(BideTransfer *transfer) {
  bide_buffer_free(&transfer->result.headers);
  bide_buffer_free(&transfer->result.body);
  bide_buffer_free(&transfer->key);
  free(transfer->unix_socket);
  free(transfer);
}

static void destroy(BideTransfer *transfer) {
  forget_result(transfer);
  forget_request(transfer);
  curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L); /* it would set the handler of SIGPIPE */
  curl_easy_cleanup(transfer->easy);
  free_transfer(transfer);
}

static BideTransfer *create(void) {
  BideTransfer *transfer = calloc(1, sizeof *transfer);
  if (transfer == NULL)
    return NULL;
  transfer->easy = curl_easy_init();
  if (transfer->easy != NULL)
    return transfer;
  free(transfer);
  return NULL;
}

/* ---- the pool ----------------------------------------------------------- */

static BideTransfer *remove_at(BideHttpPool *pool, int place) {
  BideTransfer *transfer = pool->idle[place];
  pool->count--;
  memmove(&pool->idle[place], &pool->idle[place + 1],
          (size_t)(pool->count - place) * sizeof(BideTransfer *));
  return transfer;
}

static BideTransfer *find(BideHttpPool *pool) {
  for (int i = pool->count - 1; i >= 0; i--)
    if (equals(&pool->idle[i]->key, &pool->key))
      return remove_at(pool, i);
  return NULL;
}

static BideTransfer *take_blank(BideHttpPool *pool) {
  BideTransfer *transfer;
  for (int i = 0; i < pool->count; i++)
    if (pool->idle[i]->key.length == 0)
      return remove_at(pool, i);
  if (pool->count < BIDE_HTTP_POOL_SIZE)
    return create();
  transfer = remove_at(pool, 0);
  forget_request(transfer);
  return transfer;
}

BideTransfer *bide_http_pool_take(BideHttpPool *pool, const BideHttpRequest *request, size_t size,
                                  bool *prepared) {
  BideTransfer *transfer;
  write_key(&pool->key, request, size);
  transfer = find(pool);
  *prepared = transfer != NULL;
  if (transfer != NULL)
    return transfer;
  transfer = take_blank(pool);
  if (transfer == NULL)
    return NULL;
  transfer->key.failed = false;
  bide_buffer_append(&transfer->key, pool->key.bytes, pool->key.length);
  return transfer;
}

BideTransfer *bide_http_pool_take_again(BideHttpPool *pool, int64_t number) {
  if (number == 0 || pool->count == 0)
    return NULL;
  write_number(&pool->key, number);
  return find(pool);
}

/* Frees the memory of a transfer without a key at once, since it may hold a large body. */
void bide_http_pool_give(BideHttpPool *pool, BideTransfer *transfer, bool altered) {
  if (pool->count == BIDE_HTTP_POOL_SIZE)
    destroy(remove_at(pool, 0));
  forget_result(transfer);
  if (altered || transfer->key.length == 0)
    forget_request(transfer);
  pool->idle[pool->count++] = transfer;
}

void bide_http_pool_discard(BideTransfer *transfer) {
  forget_result(transfer);
  free_transfer(transfer);
}

void bide_http_pool_free(BideHttpPool *pool) {
  while (pool->count > 0)
    destroy(remove_at(pool, 0));
  bide_buffer_free(&pool->key);
}
