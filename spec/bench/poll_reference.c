/*
** What polling costs at the least: a bare curl_multi loop that fetches a URL
** COUNT times over one kept connection, with a delay between, and does nothing
** with what it gets. It sends the very bytes that bide sends, with one handle
** that is set up once. `make bench-poll` compares bide with it.
**
**   poll_reference URL COUNT DELAY_IN_MILLISECONDS
*/
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct Body {
  char bytes[4096];
  size_t length;
} Body;

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
  Body *body = context;
  for (size_t i = 0; i < size * count && body->length < sizeof body->bytes; i++)
    body->bytes[body->length++] = bytes[i];
  return size * count;
}

static void sleep_for(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* Returns whether the transfer succeeded. */
static int fetch(CURLM *multi, CURL *easy) {
  int running = 1;
  int left;
  CURLMsg *message;
  curl_multi_add_handle(multi, easy);
  while (curl_multi_perform(multi, &running) == CURLM_OK && running > 0)
    curl_multi_poll(multi, NULL, 0, 1000, NULL);
  message = curl_multi_info_read(multi, &left);
  curl_multi_remove_handle(multi, easy);
  return message != NULL && message->data.result == CURLE_OK;
}

static CURL *open_easy(const char *url, Body *body) {
  CURL *easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, body);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "bide/0.2.0");
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "deflate, gzip");
  return easy;
}

int main(int count, char **arguments) {
  static Body body;
  CURLM *multi;
  CURL *easy;
  if (count != 4)
    return 2;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  multi = curl_multi_init();
  easy = open_easy(arguments[1], &body);
  for (long i = atol(arguments[2]); i > 0; i--) {
    body.length = 0;
    if (!fetch(multi, easy) || body.length == 0)
      return 1;
    if (i > 1)
      sleep_for(atol(arguments[3]));
  }
  curl_easy_cleanup(easy);
  curl_multi_cleanup(multi);
  return 0;
}
