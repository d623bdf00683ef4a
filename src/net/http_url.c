#include "net/http_url.h"

#include <curl/curl.h>
#include <string.h>

static bool append_text(BideBuffer *buffer, const char *text) {
  return bide_buffer_append(buffer, text, strlen(text));
}

static bool append_part(BideBuffer *buffer, CURLU *url, CURLUPart part) {
  char *text = NULL;
  unsigned flags = part == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0;
  bool appended = curl_url_get(url, part, &text, flags) == CURLUE_OK && append_text(buffer, text);
  curl_free(text);
  return appended;
}

/* Appends the origin in lower case, since scheme and host are case-insensitive. */
static bool append_origin(BideBuffer *buffer, CURLU *url) {
  size_t begin = buffer->length;
  bool appended = append_part(buffer, url, CURLUPART_SCHEME) && append_text(buffer, "://") &&
                  append_part(buffer, url, CURLUPART_HOST) && append_text(buffer, ":") &&
                  append_part(buffer, url, CURLUPART_PORT);
  for (size_t i = begin; i < buffer->length; i++)
    if (buffer->bytes[i] >= 'A' && buffer->bytes[i] <= 'Z')
      buffer->bytes[i] = (char)(buffer->bytes[i] - 'A' + 'a');
  return appended;
}

static bool has_same_origin(CURLU *a, CURLU *b) {
  BideBuffer origins[2];
  bool same;
  bide_buffer_init(&origins[0], 0);
  bide_buffer_init(&origins[1], 0);
  same = append_origin(&origins[0], a) && append_origin(&origins[1], b) &&
         origins[0].length == origins[1].length &&
         memcmp(origins[0].bytes, origins[1].bytes, origins[0].length) == 0;
  bide_buffer_free(&origins[0]);
  bide_buffer_free(&origins[1]);
  return same;
}

/* Copies a part of `base` to `url`, unless `url` has one. */
static bool inherit(CURLU *url, CURLU *base, CURLUPart part) {
  char *own = NULL, *text = NULL;
  bool done = true;
  if (curl_url_get(url, part, &own, 0) != CURLUE_OK &&
      curl_url_get(base, part, &text, 0) == CURLUE_OK)
    done = curl_url_set(url, part, text, 0) == CURLUE_OK;
  curl_free(own);
  curl_free(text);
  return done;
}

static bool has_part(CURLU *url, CURLUPart part) {
  char *text = NULL;
  bool has = curl_url_get(url, part, &text, 0) == CURLUE_OK;
  curl_free(text);
  return has;
}

static bool inherit_user(CURLU *url, CURLU *base) {
  if (has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD) ||
      !has_same_origin(url, base))
    return true;
  return inherit(url, base, CURLUPART_USER) && inherit(url, base, CURLUPART_PASSWORD);
}

static bool resolve(BideBuffer *buffer, CURLU *base, CURLU *url, const char *location) {
  return curl_url_set(url, CURLUPART_URL, location, CURLU_URLENCODE) == CURLUE_OK &&
         inherit(url, base, CURLUPART_FRAGMENT) && inherit_user(url, base) &&
         append_part(buffer, url, CURLUPART_URL) && bide_buffer_append_byte(buffer, '\n') &&
         append_origin(buffer, url);
}

static CURLU *parse(const char *text) {
  CURLU *url = curl_url();
  if (url == NULL || curl_url_set(url, CURLUPART_URL, text, CURLU_PATH_AS_IS) == CURLUE_OK)
    return url;
  curl_url_cleanup(url);
  return NULL;
}

bool bide_http_url_resolve(BideBuffer *buffer, const char *base, const char *location) {
  CURLU *from = parse(base);
  CURLU *url = from != NULL ? curl_url_dup(from) : NULL;
  bool resolved = url != NULL && resolve(buffer, from, url, location);
  curl_url_cleanup(url);
  curl_url_cleanup(from);
  return resolved;
}

bool bide_http_url_origin(BideBuffer *buffer, const char *text) {
  CURLU *url = parse(text);
  bool appended = url != NULL && append_origin(buffer, url);
  curl_url_cleanup(url);
  return appended;
}
