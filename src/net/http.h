/*
** HTTP on the loop: libcurl's multi interface, driven by libuv. A client keeps
** connections and reuses them over every transfer that is started on it.
**
** Only http*.[ch] of this directory include curl/curl.h: http.c drives the
** transfers, http_sockets their sockets, http_request turns a request into
** libcurl's options, http_failure libcurl's codes into our words.
*/
#ifndef BIDE_NET_HTTP_H
#define BIDE_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "net/loop.h"

typedef struct BideHttpClient BideHttpClient;
typedef struct BideTransfer BideTransfer;

typedef struct BideHttpHeader {
  const char *name;
  const char *value;
} BideHttpHeader;

/*
** What to send. NULL, 0 and false mean "not given"; everything is copied by
** bide_http_start. A redirect is an answer like any other: it is not followed.
*/
typedef struct BideHttpRequest {
  const char *method; /* required: "GET" … */
  const char *url;    /* required: absolute, http or https */
  const BideHttpHeader *headers;
  size_t header_count;
  const char *body;
  size_t body_length;
  bool has_body;           /* an empty body is sent where this is set */
  const char *agent;       /* the User-Agent, unless the headers have one */
  const char *user;        /* basic authentication */
  const char *password;
  const char *bearer;      /* a bearer token */
  const char *certificate; /* client certificate and key: PEM files */
  const char *key;
  const char *authority;   /* a CA bundle: a PEM file; NULL is the system's */
  const char *unix_socket; /* connect here and not to the URL's host */
  const char *proxy;       /* NULL takes the environment's, "" is none */
  bool insecure;           /* do not verify TLS */
  int64_t timeout;         /* milliseconds for the whole transfer; 0 is none */
  int64_t connect_timeout; /* milliseconds to connect; 0 is the default, 10,000 */
  int64_t idle_timeout;    /* milliseconds without a byte in either direction; 0 is none */
  int64_t body_limit;      /* bytes, after decompression; 0 is the default, 32 MiB */
  BideBudget *budget;      /* what request and answer count on; it outlives transfer and answer */
} BideHttpRequest;

/* What came of it. `error` is NULL after an answer; the other members then hold it. */
typedef struct BideHttpResult {
  /*
  ** A documented type of transport failure, a static string: NameNotResolved,
  ** ConnectionRefused, ConnectionReset, ConnectionFailed, TlsFailure,
  ** RequestTimeout, BodyTooLarge, InvalidUrl, InvalidRequest
  ** (a method, header or option that cannot be sent), InvalidResponse,
  ** TransportFailure (anything else; the message says what). Two reasons are none of
  ** the peer's: the budget did not suffice (`out_of_memory`), or the system had no
  ** more memory (`shortage`).
  */
  const char *error;
  bool out_of_memory;
  bool shortage;
  char message[320]; /* one sentence that names host, port and the address that was tried */
  char address[64];  /* "127.0.0.1:8080", "[::1]:80", a socket's path; "" if none was tried */
  int status;
  const char *http_version; /* "1.0", "1.1", "2"; static */
  const char *url;          /* as libcurl reads it; lives as long as the transfer */
  BideBuffer headers;       /* the last answer's lines, as received, "Name: value\r\n" each,
                               without the status line and the blank one */
  BideBuffer body;
} BideHttpResult;

/*
** Makes a client on `loop`. Returns NULL when libcurl or memory fails. Destroy it
** before the loop; transfers must have been freed before.
*/
BideHttpClient *bide_http_client_create(BideLoop *loop);
void bide_http_client_destroy(BideHttpClient *client);

/*
** How many bytes a transfer takes from the budget for its copies of the request: the
** body once, all else twice, since libcurl writes it again into what it sends.
*/
size_t bide_http_copies(const BideHttpRequest *request);

/*
** Starts a transfer. `done` runs on the loop, never before this function has
** returned, at most once, and not at all after bide_http_free. Returns NULL only
** when memory is out, or the budget does not suffice for the copies; everything
** else that is wrong (a URL that is none, a line break in a header) comes as the
** result's error, and nothing was sent then.
*/
BideTransfer *bide_http_start(BideHttpClient *client, const BideHttpRequest *request,
                              void (*done)(BideTransfer *transfer, void *context), void *context);

/* The result, after `done` has run. The caller may take `headers` and `body` out of it. */
BideHttpResult *bide_http_result(BideTransfer *transfer);

/* Cancels it where it still runs, at once, and frees it. */
void bide_http_free(BideTransfer *transfer);

/* "libcurl/7.88.1 OpenSSL/3.0.15 …"; static. */
const char *bide_http_version(void);

#endif
