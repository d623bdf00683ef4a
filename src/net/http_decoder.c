#include "net/http_decoder.h"

#include <stdlib.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/text.h"
#include "net/http_memory.h"

#define PIECE 8192

/* What inflateInit2 takes: the largest window, and the forms that it recognises by themselves. */
#define WINDOW 15
#define GZIP_OR_ZLIB (WINDOW + 32)
#define WITHOUT_HEADER (-WINDOW)

typedef enum CodingState {
  CODING_UNREAD, /* no byte has come, and zlib holds nothing */
  CODING_WITHIN, /* more bytes must come */
  CODING_ENDED   /* at the end of a stream; another one may follow */
} CodingState;

typedef struct Coding {
  bool is_gzip; /* else deflate */
  CodingState state;
  int64_t given; /* decoded bytes */
  z_stream stream;
} Coding;

struct BideHttpDecoder {
  BideHttpTake *take;
  void *context;
  int64_t limit;
  const char *fault;
  size_t count;
  Coding codings[BIDE_HTTP_CODINGS];
};

BideHttpDecoder *bide_http_decoder_create(BideHttpTake *take, void *context, int64_t limit) {
  BideHttpDecoder *decoder = bide_http_memory_calloc(1, sizeof *decoder);
  if (decoder == NULL)
    return NULL;
  decoder->take = take;
  decoder->context = context;
  decoder->limit = limit;
  decoder->fault = "";
  return decoder;
}

void bide_http_decoder_free(BideHttpDecoder *decoder) {
  if (decoder == NULL)
    return;
  for (size_t i = 0; i < decoder->count; i++)
    if (decoder->codings[i].state != CODING_UNREAD)
      inflateEnd(&decoder->codings[i].stream);
  free(decoder);
}

bool bide_http_decoder_add(BideHttpDecoder *decoder, const char *name, size_t length) {
  bool is_gzip = bide_is_word_in_any_case(name, length, "gzip") ||
                 bide_is_word_in_any_case(name, length, "x-gzip");
  if (bide_is_word_in_any_case(name, length, "identity"))
    return true;
  if (decoder->count == BIDE_HTTP_CODINGS ||
      (!is_gzip && !bide_is_word_in_any_case(name, length, "deflate")))
    return false;
  decoder->codings[decoder->count].is_gzip = is_gzip;
  decoder->count++;
  return true;
}

/* Its failures count as libcurl's, so that the client notices them. */
static voidpf allocate(voidpf unused, uInt count, uInt size) {
  (void)unused;
  return bide_http_memory_calloc(count, size);
}

static void release(voidpf unused, voidpf block) {
  (void)unused;
  free(block);
}

/*
** Returns the form by the first byte. "deflate" is the form of zlib, but some services send it
** without zlib's header, whose first byte ends with the method, 8.
*/
static int form_of(const Coding *coding, const char *bytes) {
  return coding->is_gzip || (bytes[0] & 0x0F) == Z_DEFLATED ? GZIP_OR_ZLIB : WITHOUT_HEADER;
}

/* Prepares zlib for the bytes, of which there is at least one. */
static BideHttpDecoded prepare(BideHttpDecoder *decoder, Coding *coding, const char *bytes) {
  switch (coding->state) {
    case CODING_WITHIN: return BIDE_DECODED;
    case CODING_UNREAD:
      coding->stream.zalloc = allocate;
      coding->stream.zfree = release;
      if (inflateInit2(&coding->stream, form_of(coding, bytes)) != Z_OK)
        return BIDE_DECODED_MEMORY;
      break;
    case CODING_ENDED: /* gzip may be followed by gzip */
      if (!coding->is_gzip || bytes[0] != 0x1F) {
        decoder->fault = "bytes follow its end";
        return BIDE_DECODED_BROKEN;
      }
      inflateReset(&coding->stream);
      break;
  }
  coding->state = CODING_WITHIN;
  return BIDE_DECODED;
}

static BideHttpDecoded decode(BideHttpDecoder *decoder, size_t depth, const char *bytes,
                              size_t length);

/* Inflates until a piece is full, the stream ends, or the bytes do. */
static BideHttpDecoded inflate_piece(BideHttpDecoder *decoder, size_t depth, Coding *coding) {
  char piece[PIECE];
  z_stream *stream = &coding->stream;
  size_t length;
  int code;
  stream->next_out = (Bytef *)piece;
  stream->avail_out = PIECE;
  code = inflate(stream, Z_NO_FLUSH);
  length = PIECE - stream->avail_out;
  coding->given += (int64_t)length;
  if (code == Z_STREAM_END)
    coding->state = CODING_ENDED;
  else if (code == Z_MEM_ERROR)
    return BIDE_DECODED_MEMORY;
  else if (code != Z_OK && code != Z_BUF_ERROR) {
    decoder->fault = stream->msg != NULL ? stream->msg : "it needs a dictionary";
    return BIDE_DECODED_BROKEN;
  }
  if (depth > 0 && coding->given > decoder->limit)
    return BIDE_DECODED_LIMIT;
  return decode(decoder, depth, piece, length);
}

/* Undoes the first `depth` codings, the last of them first. It calls itself once for each. */
static BideHttpDecoded decode(BideHttpDecoder *decoder, size_t depth, const char *bytes,
                              size_t length) {
  BideHttpDecoded decoded = BIDE_DECODED;
  Coding *coding;
  z_stream *stream;
  if (length == 0)
    return BIDE_DECODED;
  if (depth == 0)
    return decoder->take(decoder->context, bytes, length) ? BIDE_DECODED : BIDE_DECODED_REFUSED;
  coding = &decoder->codings[depth - 1];
  stream = &coding->stream;
  stream->next_in = (const Bytef *)bytes;
  stream->avail_in = (uInt)length;
  do {
    if (stream->avail_in > 0)
      decoded = prepare(decoder, coding, (const char *)stream->next_in);
    if (decoded == BIDE_DECODED)
      decoded = inflate_piece(decoder, depth - 1, coding);
  } while (decoded == BIDE_DECODED && (stream->avail_in > 0 || stream->avail_out == 0));
  return decoded;
}

BideHttpDecoded bide_http_decoder_feed(BideHttpDecoder *decoder, const char *bytes, size_t length) {
  return decode(decoder, decoder->count, bytes, length);
}

bool bide_http_decoder_is_complete(const BideHttpDecoder *decoder) {
  for (size_t i = 0; i < decoder->count; i++)
    if (decoder->codings[i].state != CODING_ENDED)
      return false;
  return true;
}

const char *bide_http_decoder_fault(const BideHttpDecoder *decoder) {
  return decoder->fault;
}
