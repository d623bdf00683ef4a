/*
** What the files of the HTTP client share, and nobody else sees: a transfer
** with libcurl's handles in it.
*/
#ifndef BIDE_NET_HTTP_TRANSFER_H
#define BIDE_NET_HTTP_TRANSFER_H

#include <curl/curl.h>

#include "net/http.h"

typedef enum BideTransferState {
  BIDE_TRANSFER_RUNNING,  /* libcurl has it */
  BIDE_TRANSFER_FINISHED, /* the result is known; `done` waits for its turn */
  BIDE_TRANSFER_REPORTED  /* `done` has run */
} BideTransferState;

/* Which of our own limits ended a transfer, where one did. */
typedef enum BideTransferLimit {
  BIDE_TRANSFER_WITHIN_LIMITS,
  BIDE_TRANSFER_BODY_LIMIT,
  BIDE_TRANSFER_HEADER_LIMIT,
  BIDE_TRANSFER_IDLE_LIMIT,
  BIDE_TRANSFER_MEMORY_LIMIT
} BideTransferLimit;

/* How far the last answer has come. */
typedef enum BideAnswerPart {
  BIDE_ANSWER_NONE,
  BIDE_ANSWER_HEADERS, /* a status line has come, and not yet the blank line */
  BIDE_ANSWER_BODY
} BideAnswerPart;

struct BideTransfer {
  BideHttpClient *client;
  CURL *easy;
  struct curl_slist *headers;
  BideTransferState state;
  BideTransferLimit limit;
  BideAnswerPart part;
  bool altered;          /* the handle is no longer what the request asked for */
  bool alone;            /* it has a connection of its own */
  BideBuffer key;        /* the pool's, to know the request again */
  BideBudget *budget;    /* the request's, while the transfer is in use */
  size_t taken;          /* what the copies of the request have taken from it */
  BideTransfer *next;    /* in the client's list of running transfers, or its queue of finished ones */
  BideTransfer **link;   /* what points to it there */
  bool abandoned;        /* libcurl must not be called with its handle any more */
  void (*done)(BideTransfer *transfer, void *context);
  void *context;
  char *unix_socket;            /* for the messages; NULL over TCP */
  int64_t body_limit;
  int64_t timeout;      /* of the whole, in milliseconds; 0 is none */
  int64_t idle_timeout; /* 0 is none */
  int64_t touched_at;   /* when the last bytes came, where there is such a timeout */
  int64_t sent;         /* bytes of the body, when that was asked last */
  BideTimer idle;       /* runs while libcurl has it, where there is such a timeout */
  char tried[192];              /* addresses that this hop tried, separated by ", " */
  char detail[CURL_ERROR_SIZE]; /* what libcurl has to say */
  BideHttpResult result;
};

/*
** http_request: checks the request and sets up the transfer's easy handle for
** it; callbacks are http.c's matter. CURLE_OK, CURLE_OUT_OF_MEMORY, or another
** code after which the result holds the reason why the request was refused.
*/
CURLcode bide_http_request_apply(BideTransfer *transfer, const BideHttpRequest *request);

/*
** http_answer: takes a header line, or a part of the body; returns less than `length` where that is
** refused.
*/
size_t bide_http_answer_take_header(BideTransfer *transfer, const char *bytes, size_t length);
size_t bide_http_answer_take_body(BideTransfer *transfer, const char *bytes, size_t length);

/* http_answer: puts status and version of the answer into the result. */
void bide_http_answer_read(BideTransfer *transfer);

/* http_request: all texts of a request but its headers and body; NULL where one is not given. */
#define BIDE_HTTP_TEXTS 11
void bide_http_request_texts(const BideHttpRequest *request, const char *texts[BIDE_HTTP_TEXTS]);

/* http_request: how many bytes a request's texts, headers and body are. */
size_t bide_http_request_size(const BideHttpRequest *request);

/*
** http_request: readies the handle to send the request once more, over a connection of
** its own and in what is left of the time; false where none is left.
*/
bool bide_http_request_isolate(BideTransfer *transfer);

/* http_failure: notes that the answer ended within its headers; returns the code of that. */
CURLcode bide_http_failure_cut(BideTransfer *transfer);

/*
** http_failure: whether libcurl gave up sending the request anew over shared
** connections, each of which the server had retired before it looked at the request.
*/
bool bide_http_failure_is_retirement(const BideTransfer *transfer);

/*
** http_failure: fills in the result's error and message after libcurl ended
** the transfer with `code`, or after the request was refused.
*/
void bide_http_failure_explain(BideTransfer *transfer, CURLcode code);
void bide_http_failure_refuse(BideTransfer *transfer, const char *error, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

/* http_failure: remembers an address that is tried now; names the one it ended with. */
void bide_http_failure_note_address(BideTransfer *transfer, const struct curl_sockaddr *address);
void bide_http_failure_find_address(BideTransfer *transfer);

#endif
