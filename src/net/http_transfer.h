/*
** The transfer with libcurl's handles, private to the files of the HTTP client. The comment of each
** function begins with the file that defines it.
*/
#ifndef BIDE_NET_HTTP_TRANSFER_H
#define BIDE_NET_HTTP_TRANSFER_H

#include <curl/curl.h>

#include "net/http.h"
#include "net/http_decoder.h"

typedef enum BideTransferState {
  BIDE_TRANSFER_RUNNING,  /* libcurl runs it */
  BIDE_TRANSFER_FINISHED, /* the result is known; `done` has not run yet */
  BIDE_TRANSFER_REPORTED  /* `done` has run */
} BideTransferState;

/* The limit of bide, not of libcurl, that ended a transfer. */
typedef enum BideTransferLimit {
  BIDE_TRANSFER_WITHIN_LIMITS,
  BIDE_TRANSFER_BODY_LIMIT,
  BIDE_TRANSFER_HEADER_LIMIT,
  BIDE_TRANSFER_IDLE_LIMIT,
  BIDE_TRANSFER_MEMORY_LIMIT,
  BIDE_TRANSFER_BROKEN /* no limit: the body is not as the answer's headers describe it */
} BideTransferLimit;

/* What the headers of the last answer say about its body, and what has come of it. */
typedef struct BideHttpFraming {
  int64_t length;   /* Content-Length; -1 without one */
  int64_t received; /* bytes of the body, still encoded */
  bool is_chunked;
  BideHttpDecoder *decoder; /* NULL if no coding was named */
  char unknown[41];         /* the name of a coding that bide cannot decode; "" if there is none */
  char fault[128];          /* what is wrong; "" for nothing */
} BideHttpFraming;

/* The part of the last answer that is being received. */
typedef enum BideAnswerPart {
  BIDE_ANSWER_NONE,
  BIDE_ANSWER_HEADERS, /* after the status line, before the blank line */
  BIDE_ANSWER_BODY
} BideAnswerPart;

struct BideTransfer {
  BideHttpClient *client;
  CURL *easy;
  CURLU *url; /* the URL, parsed once for all transfers of the handle; NULL if libcurl parses it */
  struct curl_slist *headers;
  struct curl_slist *address; /* the one to connect to, as libcurl takes it; NULL for any */
  BideTransferState state;
  BideTransferLimit limit;
  BideAnswerPart part;
  bool altered;        /* the handle no longer fits the request */
  bool alone;          /* it has a connection of its own */
  bool is_small;       /* libcurl receives into a small buffer */
  bool may_use_proxy;  /* the request or the environment names one */
  BideBuffer key;      /* identifies the request in the pool */
  BideBudget *budget;  /* the request's, while the transfer is in use */
  size_t copies;       /* the bytes that the copies of the request take from it */
  BideTransfer *next;  /* in the client's list of running or its queue of finished transfers */
  BideTransfer **link; /* the pointer to it there */
  const char *lack;    /* "EMFILE" or "ENFILE", if the system refused it a socket */
  bool abandoned;      /* libcurl must not be called with its handle any more */
  void (*done)(BideTransfer *transfer, void *context);
  void *context;
  void (*on_part)(BideTransfer *transfer, void *context); /* of a stream; else NULL */
  bool is_paused;                                         /* until a part of the stream is taken */
  char *unix_socket;                                      /* for the messages; NULL over TCP */
  int64_t body_limit;
  int64_t timeout;      /* of the whole transfer, in milliseconds; 0 for no limit */
  int64_t idle_timeout; /* milliseconds; 0 for no limit */
  int64_t touched_at;   /* when the last bytes were sent or received, if there is an idle_timeout */
  int64_t sent;         /* bytes of the body at the last check */
  BideTimer idle;       /* runs while the transfer does, if there is an idle_timeout */
  char tried[192];      /* addresses that this hop tried, separated by ", " */
  char detail[CURL_ERROR_SIZE]; /* libcurl's message */
  BideHttpFraming framing;
  BideHttpResult result;
};

/*
** http_request: checks the request and sets the options of the transfer's easy handle, except the
** callbacks. Returns CURLE_OK, CURLE_OUT_OF_MEMORY, or another code if the request was refused; the
** result then holds the reason.
*/
CURLcode bide_http_request_apply(BideTransfer *transfer, const BideHttpRequest *request);

/* Ends the transfer by a limit: libcurl fails once its callback has returned this 0. */
static inline size_t bide_http_exceed(BideTransfer *transfer, BideTransferLimit limit) {
  transfer->limit = limit;
  return 0;
}

/* http_answer: adds a header line. Returns less than `length` to refuse it. */
size_t bide_http_answer_take_header(BideTransfer *transfer, const char *bytes, size_t length);

/*
** http_framing: libcurl takes bodies that are cut, and lengths that contradict each other, for
** complete answers. These functions forget the framing of the last answer, read a line of headers,
** decode a part of the body and add it to the result, and judge a body that libcurl takes for
** complete. On failure they return false, less than `length`, or a code, and set `fault`.
*/
void bide_http_framing_reset(BideTransfer *transfer);
bool bide_http_framing_take_line(BideTransfer *transfer, const char *line, size_t length);
size_t bide_http_framing_take_body(BideTransfer *transfer, const char *bytes, size_t length);
CURLcode bide_http_framing_check(BideTransfer *transfer);

/* http_answer: writes status and version of the answer to the result. */
void bide_http_answer_read(BideTransfer *transfer);

/* http_request: sets `texts` to all texts of a request but headers and body; NULL if not given. */
#define BIDE_HTTP_TEXTS 14
void bide_http_request_texts(const BideHttpRequest *request, const char *texts[BIDE_HTTP_TEXTS]);

/* http_request: returns the size of a request's texts, headers and body in bytes. */
size_t bide_http_request_size(const BideHttpRequest *request);

/*
** http_request: prepares the handle to send the request again, over a connection of its own and
** within the remaining time. Returns false if no time remains.
*/
bool bide_http_request_isolate(BideTransfer *transfer);

/*
** http_certificate: lets a verified connection refuse a certificate that names no host; reports
** whether that is why the transfer failed. Without OpenSSL, libcurl's own check is the only one.
*/
CURLcode bide_http_certificate_check(BideTransfer *transfer);
bool bide_http_certificate_is_refused(const BideTransfer *transfer);

/* http_error: notes that the answer ended within its headers. Returns the code for it. */
CURLcode bide_http_error_cut(BideTransfer *transfer);

/*
** http_error: reports whether libcurl stopped sending the request again over shared connections,
** since the server had retired each of them before it processed the request.
*/
bool bide_http_error_is_retirement(const BideTransfer *transfer);

/*
** http_error: set the result's error and message, after libcurl ended the transfer with `code`,
** or after the request was refused.
*/
void bide_http_error_explain(BideTransfer *transfer, CURLcode code);
void bide_http_error_refuse(BideTransfer *transfer, const char *error, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

/* http_error: record an address that is being tried, and find the one of the connection. */
void bide_http_error_note_address(BideTransfer *transfer, const struct curl_sockaddr *address);
void bide_http_error_find_address(BideTransfer *transfer);

#endif
