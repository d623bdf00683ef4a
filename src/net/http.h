/*
** Sends HTTP requests on the loop: libcurl's multi interface, driven by libuv. A client keeps its
** connections and reuses them for later transfers.
**
** Only http*.[ch] of this directory include curl/curl.h: http.c makes the transfers, http_client
** drives them, http_sockets polls their sockets, http_request turns a request into libcurl's
** options, and http_error turns libcurl's codes into errors.
*/
#ifndef BIDE_NET_HTTP_H
#define BIDE_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "net/loop.h"
#include "net/policy.h"

typedef struct BideHttpClient BideHttpClient;
typedef struct BideTransfer BideTransfer;

typedef struct BideHttpHeader {
  const char *name;
  const char *value;
} BideHttpHeader;

/* The versions of HTTP that a request may use. */
typedef enum BideHttpVersion {
  BIDE_HTTP_NEGOTIATED, /* over TLS what the server chooses (ALPN), else 1.1 */
  BIDE_HTTP_1,          /* 1.1 */
  BIDE_HTTP_2           /* over TLS as above, else 2 from the first byte */
} BideHttpVersion;

/*
** A request. NULL, 0 and false mean "not given". bide_http_start copies everything. A redirect is
** not followed: it is the answer.
*/
typedef struct BideHttpRequest {
  const char *method; /* required: "GET" … */
  const char *url;    /* required: absolute, http or https */
  const BideHttpHeader *headers;
  size_t header_count;
  const char *body;
  size_t body_length;
  bool has_body;     /* an empty body is sent if this is set */
  const char *agent; /* the User-Agent, unless the headers have one */
  const char *user;  /* basic authentication */
  const char *password;
  const char *bearer;      /* a bearer token */
  const char *certificate; /* client certificate and key: PEM files, or their texts */
  const char *key;
  const char *key_password;
  const char *authority;        /* a CA bundle: a PEM file or its text; NULL for the system's */
  const char *authority_folder; /* CA certificates by their hashes; NULL for the system's */
  const char *unix_socket;      /* the path to connect to instead of the URL's host */
  const char *address;          /* the one to connect to, of those of the URL's host */
  const char *proxy;            /* NULL for the environment's, "" for no proxy */
  bool insecure;                /* do not verify TLS */
  BideHttpVersion version;
  int64_t timeout;         /* milliseconds for the whole transfer; 0 for no limit */
  int64_t connect_timeout; /* milliseconds to connect; 0 for the default, 10,000 */
  int64_t idle_timeout;    /* milliseconds without a byte sent or received; 0 for no limit */
  int64_t body_limit;      /* bytes, after decompression; 0 for the default, 32 MiB */
  int64_t number;          /* of a request that is sent again without a change; 0 for others */
  BideBudget *budget;      /* limits request and answer; it outlives the transfer and the answer */
} BideHttpRequest;

/*
** The result of a transfer. If `error` is NULL, the members from `status` on hold the answer; else
** `status` is that of an answer that has begun and is not whole, or 0.
*/
typedef struct BideHttpResult {
  /*
  ** A documented type of transport failure, a static string: NameNotResolved, ConnectionRefused,
  ** ConnectionReset, ConnectionFailed, TlsFailure, RequestTimeout, BodyTooLarge, InvalidUrl,
  ** InvalidRequest (a method, header or option that cannot be sent), InvalidResponse, or
  ** TransportFailure (anything else; the message names it). Two causes are local: the budget was
  ** exceeded (`out_of_memory`), or the system's memory is exhausted (`shortage`).
  */
  const char *error;
  bool out_of_memory;
  bool shortage;
  /*
  ** A third local cause: what was missing to ask at all, "EMFILE" or "ENFILE" a descriptor, or
  ** "threads". NULL if nothing was.
  */
  const char *lack;
  char refusal[BIDE_REFUSAL_SIZE]; /* how the policy denied a connection; "" if it did not */
  /*
  ** The system's word for a connection that failed, "ECONNREFUSED", if it is that of the one
  ** address of the URL's host, or of the socket; NULL if it is a proxy's. If the host has several
  ** addresses (`is_of_last`), error and code are those of the last one that failed.
  */
  const char *code;
  bool is_of_last;
  char message[320]; /* one sentence with host, port and the addresses that were tried */
  char address[64];  /* "127.0.0.1:8080", "[::1]:80", a socket's path; "" without one */
  int status;
  const char *http_version; /* "1.0", "1.1", "2"; static */
  const char *url;          /* as libcurl parses it; valid as long as the transfer */
  BideBuffer headers;       /* the header lines of the last answer, as received: "Name: value\r\n"
                               each, without the status line and the blank line */
  BideBuffer body;
} BideHttpResult;

/*
** Creates a client on `loop`. `policy` is the place of the policy that every connection must keep,
** also one that is reused, or NULL for none; it outlives the client. Returns NULL if memory is
** exhausted: libcurl's own start fails of nothing else. Free all transfers before you destroy the
** client, and destroy the client before the loop.
*/
BideHttpClient *bide_http_client_create(BideLoop *loop, BidePolicy *const *policy);
void bide_http_client_destroy(BideHttpClient *client);

/*
** Reports whether a variable of the environment may name a proxy. If none does, a request for the
** proxy "" does the same as one for NULL, and takes less time.
*/
bool bide_http_environment_has_proxy(void);

/*
** Returns the bytes that a transfer takes from the budget for its copies of the request: the body
** once and all else twice, since libcurl copies it again into the message that it sends.
*/
size_t bide_http_copies(const BideHttpRequest *request);

/*
** Starts a transfer, which the caller owns and frees. `done` runs on the loop, after this function
** has returned, at most once, and not after bide_http_free or bide_http_take_end. Returns NULL only
** if memory is exhausted or the budget does not cover the copies. Any other problem with the
** request (an invalid URL, a line break in a header) becomes the result's error, and nothing is
** sent.
*/
BideTransfer *bide_http_start(BideHttpClient *client, const BideHttpRequest *request,
                              void (*done)(BideTransfer *transfer, void *context), void *context);

/*
** Starts a transfer of the request with this number, as bide_http_start, if one that has ended is
** still set up for it. Returns NULL if none is, or the budget does not cover the copies:
** bide_http_start then sends the request.
*/
BideTransfer *bide_http_start_again(BideHttpClient *client, int64_t number, BideBudget *budget,
                                    void (*done)(BideTransfer *transfer, void *context),
                                    void *context);

/*
** Lets the caller take the body of a transfer that was just started, while it comes: `part` runs
** on the loop when the headers of the answer are complete, and when more of the body has come into
** the result's `body`. It must not call functions of this file. A body of BIDE_HTTP_PART bytes
** pauses the transfer until it was taken.
*/
#define BIDE_HTTP_PART ((size_t)64 * 1024)
void bide_http_stream(BideTransfer *transfer, void (*part)(BideTransfer *transfer, void *context));

/* Returns the status of an answer whose headers are complete, also before `done`; else 0. */
int bide_http_status(BideTransfer *transfer);

/* Forgets the body of a stream that has come so far, and lets the next part come. */
void bide_http_take_part(BideTransfer *transfer);

/*
** Takes the end of a transfer that has ended already, as those do whose answer came while they were
** started: `done` does not run. Returns false if it has not ended.
*/
bool bide_http_take_end(BideTransfer *transfer);

/*
** Returns the result, after `done` has run or the end was taken. The caller may move `headers` and
** `body` out of it.
*/
BideHttpResult *bide_http_result(BideTransfer *transfer);

/* Frees a transfer. Cancels it at once if it is still running. */
void bide_http_free(BideTransfer *transfer);

/*
** Closes kept connections that no transfer uses, since descriptors are needed elsewhere. Those that
** libcurl holds while other transfers run are shut down, and close when it next looks at them.
*/
void bide_http_close_idle(BideHttpClient *client);

/* Returns "libcurl/7.88.1 OpenSSL/3.0.15 …"; static. */
const char *bide_http_version(void);

#endif
