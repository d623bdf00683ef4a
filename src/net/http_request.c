/* Checks a request and sets the options of an easy handle from it. */
#include <arpa/inet.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "net/http_transfer.h"

#define DEFAULT_BODY_LIMIT ((int64_t)32 << 20)
#define DEFAULT_CONNECT_TIMEOUT 10000
#define LONGEST_URL ((size_t)1 << 20)
#define CODINGS "deflate, gzip"      /* what http_decoder.h decodes */
#define HEADER_OVERHEAD ((size_t)64) /* a header's bytes in libcurl's list besides its text */

#define ADDRESS_SIZE (INET6_ADDRSTRLEN + IF_NAMESIZE)

/* ---- checks ------------------------------------------------------------- */

/* Reports whether the text is an address, with or without the zone of one of IPv6. */
static bool is_address(const char *text) {
  struct sockaddr_storage address;
  return strlen(text) < ADDRESS_SIZE && bide_policy_read(&address, text, 0);
}

/* Reports whether the text can be a method or the name of a header (RFC 9110, "token"). */
static bool is_token(const char *text) {
  static const char others[] = "!#$%&'*+-.^_`|~0123456789"
                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return text[0] != '\0' && text[strspn(text, others)] == '\0';
}

/* Reports whether the text can be a value. A line break in it would inject another header. */
static bool is_field_value(const char *text) {
  for (; *text != '\0'; text++)
    if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7F)
      return false;
  return true;
}

static bool has_scheme(const char *url) {
  return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

static bool check_headers(BideTransfer *transfer, const BideHttpRequest *request) {
  for (size_t i = 0; i < request->header_count; i++) {
    const BideHttpHeader *header = &request->headers[i];
    if (!is_token(header->name)) {
      bide_http_error_refuse(transfer, "InvalidRequest", "\"%s\" is no name of a header",
                             header->name);
      return false;
    }
    if (!is_field_value(header->value)) {
      bide_http_error_refuse(transfer, "InvalidRequest",
                             "the value of the header %s holds a control character", header->name);
      return false;
    }
  }
  return true;
}

/* Shows the beginning of a URL without a scheme, but not the name of a user and a password. */
static void refuse_scheme(BideTransfer *transfer, const char *url) {
  size_t size = strcspn(url, "/?#@");
  if (size == 0 || size > 100 || url[size] == '@')
    bide_http_error_refuse(transfer, "InvalidUrl",
                           "the URL does not begin with http:// or https://");
  else
    bide_http_error_refuse(transfer, "InvalidUrl",
                           "the URL does not begin with http:// or https://, but with \"%.*s\"",
                           (int)size, url);
}

static bool check(BideTransfer *transfer, const BideHttpRequest *request) {
  if (!has_scheme(request->url))
    refuse_scheme(transfer, request->url);
  else if (strlen(request->url) > LONGEST_URL)
    bide_http_error_refuse(transfer, "InvalidUrl", "the URL is longer than %zu bytes", LONGEST_URL);
  else if (!is_token(request->method))
    bide_http_error_refuse(transfer, "InvalidRequest", "\"%s\" is not a method", request->method);
  else if (request->address != NULL && !is_address(request->address))
    bide_http_error_refuse(transfer, "InvalidRequest", "\"%.100s\" is not an address",
                           request->address);
  else if (request->bearer != NULL && !is_field_value(request->bearer))
    bide_http_error_refuse(transfer, "InvalidRequest",
                           "the bearer token holds a control character");
  else
    return check_headers(transfer, request);
  return false;
}

/* ---- options ------------------------------------------------------------ */

/* Sets an option, unless one failed before, so that `code` can be checked once at the end. */
static void set_text(BideTransfer *transfer, CURLcode *code, CURLoption option, const char *text) {
  if (*code == CURLE_OK && text != NULL)
    *code = curl_easy_setopt(transfer->easy, option, text);
}

static void set_number(BideTransfer *transfer, CURLcode *code, CURLoption option, long number) {
  if (*code == CURLE_OK)
    *code = curl_easy_setopt(transfer->easy, option, number);
}

/* Converts milliseconds to long. A value that does not fit means no limit in practice. */
static long milliseconds(int64_t time) {
  return time > INT_MAX ? INT_MAX : (long)time;
}

static void set_body(BideTransfer *transfer, CURLcode *code, const BideHttpRequest *request) {
  if (*code == CURLE_OK)
    *code = curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                             (curl_off_t)request->body_length);
  set_text(transfer, code, CURLOPT_COPYPOSTFIELDS, request->body_length > 0 ? request->body : "");
}

/* Sets the method. GET, HEAD and POST have options of their own; others are only names. */
static void set_method(BideTransfer *transfer, CURLcode *code, const BideHttpRequest *request) {
  bool is_post = strcmp(request->method, "POST") == 0;
  bool is_head = strcmp(request->method, "HEAD") == 0;
  if (request->has_body || is_post)
    set_body(transfer, code, request);
  else
    set_number(transfer, code, is_head ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1);
  if (is_post || (!request->has_body && (is_head || strcmp(request->method, "GET") == 0)))
    return;
  set_text(transfer, code, CURLOPT_CUSTOMREQUEST, request->method);
}

static bool add_line(BideTransfer *transfer, const char *line) {
  struct curl_slist *list = curl_slist_append(transfer->headers, line);
  if (list != NULL)
    transfer->headers = list;
  return list != NULL;
}

/* Adds a header. libcurl does not send "Name:"; "Name;" is its form for an empty value. */
static bool add_header(BideTransfer *transfer, const BideHttpHeader *header) {
  const char *separator = header->value[0] == '\0' ? ";" : ": ";
  size_t size = strlen(header->name) + strlen(header->value) + 3;
  char *line = malloc(size);
  bool added;
  if (line == NULL)
    return false;
  snprintf(line, size, "%s%s%s", header->name, separator, header->value);
  added = add_line(transfer, line);
  free(line);
  return added;
}

static bool has_header(const BideHttpRequest *request, const char *name) {
  for (size_t i = 0; i < request->header_count; i++)
    if (strcasecmp(request->headers[i].name, name) == 0)
      return true;
  return false;
}

/* Reports whether the request uses no proxy. */
static bool is_direct(const BideHttpRequest *request) {
  return request->proxy != NULL && request->proxy[0] == '\0';
}

/* Appends a header to lines of which the last one has no end. */
static void append_header(BideBuffer *lines, const char *name, const char *value) {
  const char *const parts[] = {lines->length > 0 ? "\r\n" : "", name, ": ", value};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    bide_buffer_append(lines, parts[i], strlen(parts[i]));
}

static bool is_ascii(const char *text) {
  while (*text != '\0' && (*text & 0x80) == 0)
    text++;
  return *text == '\0';
}

/* Appends Host as libcurl writes it, unless it converts the host, an international name. */
static void append_host(BideBuffer *lines, CURLU *url) {
  char *host = NULL, *port = NULL;
  CURLUcode code = curl_url_get(url, CURLUPART_PORT, &port, CURLU_NO_DEFAULT_PORT);
  if ((code == CURLUE_OK || code == CURLUE_NO_PORT) &&
      curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK && is_ascii(host)) {
    append_header(lines, "Host", host);
    if (port != NULL) {
      bide_buffer_append_byte(lines, ':');
      bide_buffer_append(lines, port, strlen(port));
    }
  }
  curl_free(host);
  curl_free(port);
}

/*
** Adds Host, User-Agent and Accept-Encoding. They are one text for libcurl, which looks for ten
** names at the beginning of each, for each transfer. It would print the first two for each
** transfer, a byte at a time, and the request with them; "Host:" keeps its own Host away.
*/
static bool add_own_headers(BideTransfer *transfer, const BideHttpRequest *request) {
  BideBuffer lines;
  bool has_host, added;
  bide_buffer_init(&lines, 0);
  if (is_direct(request) && transfer->url != NULL && !has_header(request, "Host"))
    append_host(&lines, transfer->url);
  has_host = lines.length > 0;
  if (is_direct(request) && request->agent != NULL && !has_header(request, "User-Agent"))
    append_header(&lines, "User-Agent", request->agent);
  if (!has_header(request, "Accept-Encoding"))
    append_header(&lines, "Accept-Encoding", CODINGS);
  bide_buffer_append_byte(&lines, '\0');
  added = !lines.failed && (!has_host || add_line(transfer, "Host:")) &&
          (lines.length == 1 || add_line(transfer, lines.bytes));
  bide_buffer_free(&lines);
  return added;
}

/*
** Adds the headers. Also removes those that libcurl adds by itself: it would wait a second for a
** "100 Continue", and declare every body to be a form.
*/
static bool add_headers(BideTransfer *transfer, const BideHttpRequest *request) {
  bool sends_body = request->has_body || strcmp(request->method, "POST") == 0;
  if (!add_own_headers(transfer, request))
    return false;
  for (size_t i = 0; i < request->header_count; i++)
    if (!add_header(transfer, &request->headers[i]))
      return false;
  if (sends_body && !has_header(request, "Expect") && !add_line(transfer, "Expect:"))
    return false;
  return !sends_body || has_header(request, "Content-Type") || add_line(transfer, "Content-Type:");
}

static void set_headers(BideTransfer *transfer, CURLcode *code, const BideHttpRequest *request) {
  if (*code == CURLE_OK && !add_headers(transfer, request))
    *code = CURLE_OUT_OF_MEMORY;
  if (*code == CURLE_OK && transfer->headers != NULL)
    *code = curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
}

static void set_credentials(BideTransfer *transfer, CURLcode *code,
                            const BideHttpRequest *request) {
  set_text(transfer, code, CURLOPT_USERNAME, request->user);
  set_text(transfer, code, CURLOPT_PASSWORD, request->password);
  set_text(transfer, code, CURLOPT_XOAUTH2_BEARER, request->bearer);
  if (request->bearer != NULL)
    set_number(transfer, code, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
}

/* Sets a PEM file, or its text: kubeconfig files and programs hold certificates as texts. */
static void set_pem(BideTransfer *transfer, CURLcode *code, CURLoption file, CURLoption text,
                    const char *pem) {
  struct curl_blob blob = {.flags = CURL_BLOB_COPY};
  if (pem == NULL || strstr(pem, "-----BEGIN") == NULL) {
    set_text(transfer, code, file, pem);
  } else if (*code == CURLE_OK) {
    memcpy(&blob.data, &pem, sizeof pem); /* it is const there, and libcurl only copies it */
    blob.len = strlen(pem);
    *code = curl_easy_setopt(transfer->easy, text, &blob);
  }
}

/* Sets a key's password, "" if there is none: OpenSSL would ask for it on the terminal. */
static void set_key(BideTransfer *transfer, CURLcode *code, const BideHttpRequest *request) {
  const char *password = request->key_password != NULL ? request->key_password : "";
  set_pem(transfer, code, CURLOPT_SSLCERT, CURLOPT_SSLCERT_BLOB, request->certificate);
  set_pem(transfer, code, CURLOPT_SSLKEY, CURLOPT_SSLKEY_BLOB, request->key);
  set_text(transfer, code, CURLOPT_KEYPASSWD, password);
}

/* Sets the authorities that are trusted. libcurl adds its own file or folder to one that is set. */
static void set_authorities(BideTransfer *transfer, CURLcode *code,
                            const BideHttpRequest *request) {
  if (request->authority == NULL && request->authority_folder == NULL)
    return;
  if (*code == CURLE_OK)
    *code = curl_easy_setopt(transfer->easy, CURLOPT_CAPATH, request->authority_folder);
  if (*code == CURLE_OK && request->authority == NULL)
    *code = curl_easy_setopt(transfer->easy, CURLOPT_CAINFO, NULL);
  set_pem(transfer, code, CURLOPT_CAINFO, CURLOPT_CAINFO_BLOB, request->authority);
}

/* A session that is resumed would show the certificate that was verified when it began. */
static void set_tls(BideTransfer *transfer, CURLcode *code, const BideHttpRequest *request) {
  set_number(transfer, code, CURLOPT_SSL_SESSIONID_CACHE, 0);
  if (request->certificate != NULL || request->key != NULL)
    set_key(transfer, code, request);
  set_authorities(transfer, code, request);
  if (request->insecure) {
    set_number(transfer, code, CURLOPT_SSL_VERIFYPEER, 0);
    set_number(transfer, code, CURLOPT_SSL_VERIFYHOST, 0);
  } else if (*code == CURLE_OK) {
    *code = bide_http_certificate_check(transfer);
  }
}

/* Lets no other request use the connection. */
static void set_own_connection(BideTransfer *transfer, CURLcode *code) {
  set_number(transfer, code, CURLOPT_FRESH_CONNECT, 1L);
  set_number(transfer, code, CURLOPT_FORBID_REUSE, 1L);
}

/* Before 8.0, libcurl begins HTTP/2 anew on a kept connection without TLS, which breaks it. */
static bool begins_twice(const BideHttpRequest *request) {
  return curl_version_info(CURLVERSION_NOW)->version_num < 0x080000 &&
         strncasecmp(request->url, "http://", 7) == 0;
}

static void set_version(BideTransfer *transfer, CURLcode *code, const BideHttpRequest *request) {
  switch (request->version) {
    case BIDE_HTTP_NEGOTIATED: return;
    case BIDE_HTTP_1:
      set_number(transfer, code, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
      return;
    case BIDE_HTTP_2:
      set_number(transfer, code, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
      if (begins_twice(request))
        set_own_connection(transfer, code);
  }
}

/* Looks at the first letter before anything else: most variables begin with another one. */
static bool names_proxy(const char *variable) {
  int first = variable[0] | 0x20;
  return (first == 'h' && (strncasecmp(variable, "http_proxy=", 11) == 0 ||
                           strncasecmp(variable, "https_proxy=", 12) == 0)) ||
         (first == 'a' && strncasecmp(variable, "all_proxy=", 10) == 0);
}

bool bide_http_environment_has_proxy(void) {
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
    if (names_proxy(*variable))
      return true;
  return false;
}

/* Lets the transfer connect to one address of its host. */
static void set_address(BideTransfer *transfer, CURLcode *code, const char *address) {
  char text[ADDRESS_SIZE + sizeof "::[]:"];
  if (*code != CURLE_OK || address == NULL)
    return;
  snprintf(text, sizeof text, strchr(address, ':') != NULL ? "::[%s]:" : "::%s:", address);
  transfer->address = curl_slist_append(NULL, text);
  *code = transfer->address != NULL
            ? curl_easy_setopt(transfer->easy, CURLOPT_CONNECT_TO, transfer->address)
            : CURLE_OUT_OF_MEMORY;
}

/* Sets proxy and socket. A proxy of the environment is not used for a Unix socket. */
static void set_route(BideTransfer *transfer, CURLcode *code, const BideHttpRequest *request) {
  const char *socket = request->unix_socket;
  if (socket != NULL && (transfer->unix_socket = strdup(socket)) == NULL)
    *code = CURLE_OUT_OF_MEMORY;
  set_text(transfer, code, CURLOPT_UNIX_SOCKET_PATH, socket);
  if (is_direct(request) || (socket != NULL && request->proxy == NULL))
    set_text(transfer, code, CURLOPT_NOPROXY, "*");
  else
    set_text(transfer, code, CURLOPT_PROXY, request->proxy);
  transfer->may_use_proxy = !is_direct(request) &&
                            (request->proxy != NULL || bide_http_environment_has_proxy());
}

/* Sets the limits. A body whose Content-Length is too large is refused before it is received. */
static void set_limits(BideTransfer *transfer, CURLcode *code, const BideHttpRequest *request) {
  int64_t connect = request->connect_timeout;
  transfer->body_limit = request->body_limit > 0 ? request->body_limit : DEFAULT_BODY_LIMIT;
  transfer->timeout = request->timeout;
  transfer->idle_timeout = request->idle_timeout;
  set_number(transfer, code, CURLOPT_TIMEOUT_MS, milliseconds(request->timeout));
  set_number(transfer, code, CURLOPT_CONNECTTIMEOUT_MS,
             milliseconds(connect > 0 ? connect : DEFAULT_CONNECT_TIMEOUT));
  if (*code == CURLE_OK && strcmp(request->method, "HEAD") != 0)
    *code = curl_easy_setopt(transfer->easy, CURLOPT_MAXFILESIZE_LARGE,
                             (curl_off_t)transfer->body_limit);
}

/*
** Sets libcurl's behaviour: it uses no signals, does not wait for the resolver when a transfer is
** cancelled, and sends the path as given, since a service may distinguish "/a/../b" from "/b".
*/
static void set_behaviour(BideTransfer *transfer, CURLcode *code, const BideHttpRequest *request) {
  set_number(transfer, code, CURLOPT_NOSIGNAL, 1);
  set_number(transfer, code, CURLOPT_QUICK_EXIT, 1);
  set_number(transfer, code, CURLOPT_PATH_AS_IS, 1);
  if (!is_direct(request)) /* of the request to the proxy, too */
    set_text(transfer, code, CURLOPT_USERAGENT, request->agent);
}

static size_t size_of(const char *text) {
  return text != NULL ? strlen(text) : 0;
}

void bide_http_request_texts(const BideHttpRequest *request, const char *texts[BIDE_HTTP_TEXTS]) {
  const char *const all[BIDE_HTTP_TEXTS] = {
    request->method,    request->url,
    request->agent,     request->user,
    request->bearer,    request->certificate,
    request->key,       request->password,
    request->proxy,     request->unix_socket,
    request->address,   request->key_password,
    request->authority, request->authority_folder,
  };
  memcpy(texts, all, sizeof all);
}

size_t bide_http_request_size(const BideHttpRequest *request) {
  const char *texts[BIDE_HTTP_TEXTS];
  size_t size = request->body_length;
  bide_http_request_texts(request, texts);
  for (size_t i = 0; i < BIDE_HTTP_TEXTS; i++)
    size += size_of(texts[i]);
  for (size_t i = 0; i < request->header_count; i++)
    size += size_of(request->headers[i].name) + size_of(request->headers[i].value) +
            HEADER_OVERHEAD;
  return size;
}

/*
** Parses the URL here, so that libcurl does not parse it for each transfer. libcurl parses, and
** refuses, a URL that is invalid or has brackets: copies of a parsed one lack the zone of an IPv6
** address before libcurl 8.0.
*/
static void set_url(BideTransfer *transfer, CURLcode *code, const char *text) {
  CURLUcode parsed = CURLUE_OUT_OF_MEMORY;
  if (*code == CURLE_OK && strchr(text, '[') == NULL) {
    transfer->url = curl_url();
    if (transfer->url != NULL)
      parsed = curl_url_set(transfer->url, CURLUPART_URL, text, CURLU_PATH_AS_IS);
    if (parsed == CURLUE_OUT_OF_MEMORY)
      *code = CURLE_OUT_OF_MEMORY;
  }
  if (parsed != CURLUE_OK)
    set_text(transfer, code, CURLOPT_URL, text);
  else
    *code = curl_easy_setopt(transfer->easy, CURLOPT_CURLU, transfer->url);
}

/*
** Lets libcurl keep a host that is an IPv4 address without a look at its age, for which it visits
** the whole cache of names after each transfer.
*/
static void set_literal(BideTransfer *transfer, CURLcode *code) {
  struct in_addr address;
  char *host = NULL;
  if (transfer->url == NULL || curl_url_get(transfer->url, CURLUPART_HOST, &host, 0) != CURLUE_OK)
    return;
  if (inet_pton(AF_INET, host, &address) == 1)
    set_number(transfer, code, CURLOPT_DNS_CACHE_TIMEOUT, -1);
  curl_free(host);
}

CURLcode bide_http_request_apply(BideTransfer *transfer, const BideHttpRequest *request) {
  CURLcode code = CURLE_OK;
  if (!check(transfer, request))
    return CURLE_BAD_FUNCTION_ARGUMENT;
  set_url(transfer, &code, request->url);
  set_literal(transfer, &code);
  set_text(transfer, &code, CURLOPT_PROTOCOLS_STR, "http,https");
  set_behaviour(transfer, &code, request);
  set_method(transfer, &code, request);
  set_headers(transfer, &code, request);
  set_credentials(transfer, &code, request);
  set_tls(transfer, &code, request);
  set_version(transfer, &code, request);
  set_route(transfer, &code, request);
  set_address(transfer, &code, request->address);
  set_limits(transfer, &code, request);
  if (code != CURLE_OK && code != CURLE_OUT_OF_MEMORY)
    bide_http_error_refuse(transfer, "InvalidRequest", "an option cannot be used: %s",
                           curl_easy_strerror(code));
  return code;
}

bool bide_http_request_isolate(BideTransfer *transfer) {
  curl_off_t elapsed = 0; /* microseconds */
  int64_t left;
  transfer->alone = transfer->altered = true;
  transfer->detail[0] = '\0';
  curl_easy_getinfo(transfer->easy, CURLINFO_TOTAL_TIME_T, &elapsed);
  left = transfer->timeout - elapsed / 1000;
  if (transfer->timeout > 0 && left <= 0)
    return false;
  if (transfer->timeout > 0)
    curl_easy_setopt(transfer->easy, CURLOPT_TIMEOUT_MS, milliseconds(left));
  return curl_easy_setopt(transfer->easy, CURLOPT_FRESH_CONNECT, 1L) == CURLE_OK;
}
