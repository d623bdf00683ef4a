/*
** Receives the body of an answer, and checks that it is what its headers say. libcurl takes the
** last of two lengths that differ, and its decoders take a body that is cut for a complete one.
*/
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "net/http_memory.h"
#include "net/http_transfer.h"

void bide_http_framing_reset(BideTransfer *transfer) {
  BideHttpFraming *framing = &transfer->framing;
  bide_http_decoder_free(framing->decoder);
  memset(framing, 0, sizeof *framing);
  framing->length = -1;
}

/* Keeps the first fault only. The text is cut if it is too long. */
__attribute__((format(printf, 2, 3))) static void fail(BideHttpFraming *framing, const char *format,
                                                       ...) {
  va_list arguments;
  if (framing->fault[0] != '\0')
    return;
  va_start(arguments, format);
  vsnprintf(framing->fault, sizeof framing->fault, format, arguments);
  va_end(arguments);
}

/* ---- headers ------------------------------------------------------------ */

/* Takes the next element off a list with commas. Returns false at its end. */
static bool next_of(BideText *list, BideText *element) {
  const char *comma;
  if (list->bytes == NULL)
    return false;
  comma = memchr(list->bytes, ',', list->length);
  *element = *list;
  if (comma != NULL) {
    element->length = (size_t)(comma - list->bytes);
    list->length -= element->length + 1;
    list->bytes = comma + 1;
  } else {
    list->bytes = NULL;
  }
  *element = bide_trimmed(element->bytes, element->bytes + element->length);
  return true;
}

/* Returns -1 if the text is not a number that an int64_t holds. */
static int64_t number_of(BideText text) {
  int64_t number = 0;
  for (size_t i = 0; i < text.length; i++)
    if (text.bytes[i] < '0' || text.bytes[i] > '9' ||
        __builtin_mul_overflow(number, (int64_t)10, &number) ||
        __builtin_add_overflow(number, (int64_t)(text.bytes[i] - '0'), &number))
      return -1;
  return text.length > 0 ? number : -1;
}

/* What fits into a message. */
#define SHOWN(text) (int)((text).length < 40 ? (text).length : 40), (text).bytes

/* A length that is given again is allowed (RFC 9110, section 8.6). */
static bool take_length(BideTransfer *transfer, BideText list) {
  BideHttpFraming *framing = &transfer->framing;
  BideText element;
  while (next_of(&list, &element)) {
    int64_t length = number_of(element);
    if (length < 0)
      fail(framing, "Content-Length is \"%.*s\", which is not a number of bytes", SHOWN(element));
    else if (framing->length >= 0 && framing->length != length)
      fail(framing, "two values of Content-Length, %" PRId64 " and %" PRId64, framing->length,
           length);
    framing->length = length;
  }
  return true;
}

/* libcurl decodes any coding here, whether it is complete or not. Only chunks end by themselves. */
static bool take_transfer_coding(BideTransfer *transfer, BideText list) {
  BideHttpFraming *framing = &transfer->framing;
  BideText element;
  while (next_of(&list, &element)) {
    if (element.length == 0 || bide_is_word_in_any_case(element.bytes, element.length, "identity"))
      continue;
    if (framing->is_chunked || !bide_is_word_in_any_case(element.bytes, element.length, "chunked"))
      fail(framing, "Transfer-Encoding has \"%.*s\", which bide did not ask for", SHOWN(element));
    framing->is_chunked = true;
  }
  return true;
}

/* Keeps a part of the body, decoded. Returns less than `length` to end the transfer. */
static size_t keep(BideTransfer *transfer, const char *bytes, size_t length) {
  BideBuffer *body = &transfer->result.body;
  if (length > (size_t)transfer->body_limit - body->length)
    return bide_http_exceed(transfer, BIDE_TRANSFER_BODY_LIMIT);
  if (!bide_budget_fits(body->budget, body->length + length) || /* the buffer may double */
      !bide_buffer_append(body, bytes, length))
    return bide_http_exceed(transfer, BIDE_TRANSFER_MEMORY_LIMIT);
  return length;
}

static bool keep_decoded(void *context, const char *bytes, size_t length) {
  return keep(context, bytes, length) == length;
}

/* Returns false if memory is exhausted. An answer without a body may name any coding. */
static bool take_coding(BideTransfer *transfer, BideText list) {
  BideHttpFraming *framing = &transfer->framing;
  BideText element;
  if (framing->decoder == NULL)
    framing->decoder = bide_http_decoder_create(keep_decoded, transfer, transfer->body_limit);
  if (framing->decoder == NULL)
    return false;
  while (next_of(&list, &element))
    if (element.length > 0 &&
        !bide_http_decoder_add(framing->decoder, element.bytes, element.length))
      snprintf(framing->unknown, sizeof framing->unknown, "%.*s", SHOWN(element));
  return true;
}

#define NAME(text) \
  { text, sizeof(text) - 1 }

static const struct {
  BideText name;
  bool (*take)(BideTransfer *transfer, BideText list);
} headers[] = {
  {NAME("Content-Length"), take_length},
  {NAME("Content-Encoding"), take_coding},
  {NAME("Transfer-Encoding"), take_transfer_coding},
};

bool bide_http_framing_take_line(BideTransfer *transfer, const char *line, size_t length) {
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    size_t begin = headers[i].name.length + 1;
    if (bide_is_header_line(line, line + length, headers[i].name))
      return headers[i].take(transfer, (BideText){line + begin, length - begin});
  }
  return true;
}

/* ---- the body ----------------------------------------------------------- */

/* Returns what libcurl expects: less than `length` to end the transfer. */
static size_t conclude(BideTransfer *transfer, BideHttpDecoded decoded, size_t length) {
  BideHttpFraming *framing = &transfer->framing;
  switch (decoded) {
    case BIDE_DECODED: return length;
    case BIDE_DECODED_REFUSED: return 0; /* the limit is set */
    case BIDE_DECODED_LIMIT: return bide_http_exceed(transfer, BIDE_TRANSFER_BODY_LIMIT);
    case BIDE_DECODED_MEMORY: return bide_http_exceed(transfer, BIDE_TRANSFER_MEMORY_LIMIT);
    case BIDE_DECODED_BROKEN: break;
  }
  fail(framing, "the body is not in its coding: %s", bide_http_decoder_fault(framing->decoder));
  return bide_http_exceed(transfer, BIDE_TRANSFER_BROKEN);
}

size_t bide_http_framing_take_body(BideTransfer *transfer, const char *bytes, size_t length) {
  BideHttpFraming *framing = &transfer->framing;
  framing->received += (int64_t)length;
  if (framing->decoder == NULL)
    return keep(transfer, bytes, length);
  if (framing->unknown[0] != '\0') {
    fail(framing, "bide cannot decode the body's coding \"%s\"", framing->unknown);
    return bide_http_exceed(transfer, BIDE_TRANSFER_BROKEN);
  }
  return conclude(transfer, bide_http_decoder_feed(framing->decoder, bytes, length), length);
}

/* ---- the end ------------------------------------------------------------ */

/* Reports whether the answer is of a kind that has a body (RFC 9110, section 6.4.1). */
static bool has_body(BideTransfer *transfer) {
  char *method = NULL;
  long status = 0;
  curl_easy_getinfo(transfer->easy, CURLINFO_EFFECTIVE_METHOD, &method);
  curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
  return status >= 200 && status != 204 && status != 304 &&
         (method == NULL || strcmp(method, "HEAD") != 0);
}

/* Reports whether the answer says where its body ends; else that is the connection's end. */
static bool has_end(BideTransfer *transfer) {
  long version = 0;
  curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_VERSION, &version);
  return transfer->framing.length >= 0 || transfer->framing.is_chunked ||
         version > CURL_HTTP_VERSION_1_1;
}

static bool is_cut(BideTransfer *transfer) {
  const BideHttpFraming *framing = &transfer->framing;
  if (framing->decoder == NULL || bide_http_decoder_is_complete(framing->decoder))
    return false;
  return framing->received > 0 || !has_end(transfer); /* no byte at all is an empty body */
}

CURLcode bide_http_framing_check(BideTransfer *transfer) {
  BideHttpFraming *framing = &transfer->framing;
  if (has_body(transfer)) {
    if (framing->length >= 0 && framing->received != framing->length)
      fail(framing, "Content-Length is %" PRId64 ", and the body has %" PRId64 " bytes",
           framing->length, framing->received);
    if (is_cut(transfer))
      fail(framing, "the body is cut: its compressed data do not end");
  }
  if (framing->fault[0] == '\0')
    return CURLE_OK;
  transfer->limit = BIDE_TRANSFER_BROKEN;
  return CURLE_WEIRD_SERVER_REPLY;
}
