/* Receives the headers of an answer, and reads its status and version from libcurl at the end. */
#include <string.h>

#include "net/http_transfer.h"

#define HEADER_LIMIT ((size_t)256 * 1024)

/* An answer of at most these bytes counts as small, and the buffer for one. */
#define SMALL_ANSWER ((size_t)768)
#define SMALL_BUFFER 1024L

/* Begins a new answer at a status line, which may follow a 1xx or the answer of a proxy. */
static void begin_answer(BideTransfer *transfer) {
  transfer->part = BIDE_ANSWER_HEADERS;
  transfer->result.headers.length = 0;
  transfer->result.body.length = 0;
  transfer->tried[0] = '\0';
  bide_http_framing_reset(transfer);
}

static bool is_blank_line(const char *bytes, size_t length) {
  return (length == 1 && *bytes == '\n') || (length == 2 && memcmp(bytes, "\r\n", 2) == 0);
}

size_t bide_http_answer_take_header(BideTransfer *transfer, const char *bytes, size_t length) {
  BideBuffer *headers = &transfer->result.headers;
  if (length >= 5 && memcmp(bytes, "HTTP/", 5) == 0)
    begin_answer(transfer);
  else if (is_blank_line(bytes, length))
    transfer->part = BIDE_ANSWER_BODY;
  else if (length > 2 && headers->length + length > HEADER_LIMIT)
    return bide_http_exceed(transfer, BIDE_TRANSFER_HEADER_LIMIT);
  else if (length > 2 && !bide_buffer_append(headers, bytes, length))
    return bide_http_exceed(transfer, BIDE_TRANSFER_MEMORY_LIMIT);
  else if (transfer->part == BIDE_ANSWER_HEADERS && /* and not a line behind the body */
           !bide_http_framing_take_line(transfer, bytes, length))
    return bide_http_exceed(transfer, BIDE_TRANSFER_MEMORY_LIMIT);
  return length;
}

static const char *version_name(CURL *easy) {
  long version = 0;
  curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
  switch (version) {
    case CURL_HTTP_VERSION_1_0: return "1.0";
    case CURL_HTTP_VERSION_2_0: return "2";
    case CURL_HTTP_VERSION_3: return "3";
    default: return "1.1";
  }
}

/*
** Fits the buffer into which libcurl receives to the next answer, which is probably like this one.
** libcurl allocates it for each transfer, and malloc is slow for its usual 16 KB.
*/
static void fit_buffer(BideTransfer *transfer) {
  const BideHttpResult *result = &transfer->result;
  bool is_small = result->headers.length + result->body.length <= SMALL_ANSWER;
  long size = is_small ? SMALL_BUFFER : CURL_MAX_WRITE_SIZE;
  if (is_small != transfer->is_small &&
      curl_easy_setopt(transfer->easy, CURLOPT_BUFFERSIZE, size) == CURLE_OK)
    transfer->is_small = is_small;
}

void bide_http_answer_read(BideTransfer *transfer) {
  BideHttpResult *result = &transfer->result;
  long status = 0;
  curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
  result->status = (int)status;
  result->http_version = version_name(transfer->easy);
  fit_buffer(transfer);
}

const char *bide_http_version(void) {
  return curl_version();
}
