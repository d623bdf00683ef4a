/* Translates libcurl's codes to the error types and messages of http.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "net/http_transfer.h"
#include "process/descriptors.h"

/* ---- addresses ---------------------------------------------------------- */

#define PORT_DIGITS 5

/* Writes ":port" and a NUL. It is done for each answer, for which snprintf is slow. */
static void write_port(char *text, long port) {
  char digits[PORT_DIGITS];
  int count = 0;
  do
    digits[count++] = (char)('0' + port % 10);
  while ((port /= 10) > 0 && count < PORT_DIGITS);
  *text++ = ':';
  while (count > 0)
    *text++ = digits[--count];
  *text = '\0';
}

static void write_address(char *text, size_t size, const char *host, long port) {
  bool is_ip6 = strchr(host, ':') != NULL;
  size_t length = strlen(host);
  if (length + sizeof "[]:" + PORT_DIGITS > size)
    return;
  if (is_ip6)
    *text++ = '[';
  memcpy(text, host, length);
  text += length;
  if (is_ip6)
    *text++ = ']';
  write_port(text, port);
}

/* Writes "address:port". Copies the address first, since it need not be aligned. */
static void write_socket_address(BideTransfer *transfer, const struct curl_sockaddr *address) {
  char host[INET6_ADDRSTRLEN] = "", *text = transfer->result.address;
  size_t size = sizeof transfer->result.address;
  struct sockaddr_in ip4;
  struct sockaddr_in6 ip6;
  if (address->family == AF_INET) {
    memcpy(&ip4, &address->addr, sizeof ip4);
    inet_ntop(AF_INET, &ip4.sin_addr, host, sizeof host);
    write_address(text, size, host, ntohs(ip4.sin_port));
  } else if (address->family == AF_INET6) {
    memcpy(&ip6, &address->addr, sizeof ip6);
    inet_ntop(AF_INET6, &ip6.sin6_addr, host, sizeof host);
    write_address(text, size, host, ntohs(ip6.sin6_port));
  } else {
    snprintf(text, size, "%s", transfer->unix_socket != NULL ? transfer->unix_socket : "");
  }
}

void bide_http_error_note_address(BideTransfer *transfer, const struct curl_sockaddr *address) {
  size_t length = strlen(transfer->tried);
  write_socket_address(transfer, address);
  snprintf(transfer->tried + length, sizeof transfer->tried - length, "%s%s",
           length > 0 ? ", " : "", transfer->result.address);
}

/* Asks libcurl for the address, since another transfer may have opened the connection. */
void bide_http_error_find_address(BideTransfer *transfer) {
  BideHttpResult *result = &transfer->result;
  char *ip = NULL;
  long port = 0;
  curl_easy_getinfo(transfer->easy, CURLINFO_PRIMARY_IP, &ip);
  curl_easy_getinfo(transfer->easy, CURLINFO_PRIMARY_PORT, &port);
  if (transfer->unix_socket != NULL)
    snprintf(result->address, sizeof result->address, "%s", transfer->unix_socket);
  else if (ip != NULL && ip[0] != '\0')
    write_address(result->address, sizeof result->address, ip, port);
}

/* ---- types -------------------------------------------------------------- */

static const char *type_of_limit(BideTransferLimit limit) {
  switch (limit) {
    case BIDE_TRANSFER_BODY_LIMIT: return "BodyTooLarge";
    case BIDE_TRANSFER_HEADER_LIMIT:
    case BIDE_TRANSFER_BROKEN: return "InvalidResponse";
    case BIDE_TRANSFER_IDLE_LIMIT: return "RequestTimeout";
    case BIDE_TRANSFER_WITHIN_LIMITS:
    case BIDE_TRANSFER_MEMORY_LIMIT: break;
  }
  return "TransportFailure";
}

static long number_of(BideTransfer *transfer, CURLINFO info) {
  long number = 0;
  curl_easy_getinfo(transfer->easy, info, &number);
  return number;
}

static const char *text_of(BideTransfer *transfer, CURLINFO info) {
  const char *text = NULL;
  curl_easy_getinfo(transfer->easy, info, &text);
  return text == NULL ? "" : text;
}

/* The origin of a URL. A host that is too long is cut. */
typedef struct Origin {
  char host[256];
  char port[8];
} Origin;

/* Returns false if the URL has no host, or memory is exhausted. */
static bool find_origin(Origin *origin, const char *url) {
  CURLU *parsed = curl_url();
  char *host = NULL;
  char *port = NULL;
  bool is_found = parsed != NULL && curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK &&
                  curl_url_get(parsed, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
                  curl_url_get(parsed, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;
  if (is_found) {
    snprintf(origin->host, sizeof origin->host, "%s", host);
    snprintf(origin->port, sizeof origin->port, "%s", port);
  }
  curl_free(host);
  curl_free(port);
  curl_url_cleanup(parsed);
  return is_found;
}

/*
** Reports whether the address that libcurl could not connect to may be a proxy's. Only how its
** message begins says whose it was: a variable of the environment may exempt the host from the
** proxy.
*/
static bool may_be_of_proxy(const BideTransfer *transfer) {
  char direct[CURL_ERROR_SIZE];
  Origin origin;
  bool is_ip6;
  if (!transfer->may_use_proxy)
    return false;
  if (!find_origin(&origin, transfer->result.url))
    return true;
  is_ip6 = origin.host[0] == '[';
  snprintf(direct, sizeof direct, "Failed to connect to %.*s port %s ",
           (int)strlen(origin.host) - (is_ip6 ? 2 : 0), origin.host + is_ip6, origin.port);
  return strncmp(transfer->detail, direct, strlen(direct)) != 0;
}

/*
** Reports whether the connection leads back to its own socket. The system makes such a one to a
** port of this machine without a listener, where it happens to give the socket the same port.
*/
static bool leads_back(BideTransfer *transfer) {
  const char *own = text_of(transfer, CURLINFO_LOCAL_IP);
  return own[0] != '\0' && strcmp(own, text_of(transfer, CURLINFO_PRIMARY_IP)) == 0 &&
         number_of(transfer, CURLINFO_LOCAL_PORT) == number_of(transfer, CURLINFO_PRIMARY_PORT);
}

/* Reports whether the transfer failed since it got no connection to another socket. */
static bool is_unconnected(BideTransfer *transfer, CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || leads_back(transfer);
}

/* Returns the number of the system's error of a transfer that is not connected, 0 for none. */
static int error_of_connect(BideTransfer *transfer) {
  return leads_back(transfer) ? ECONNREFUSED : (int)number_of(transfer, CURLINFO_OS_ERRNO);
}

/* A proxy that refuses the connection says nothing of the service behind it. */
static const char *type_of_connect(BideTransfer *transfer) {
  bool is_refused = error_of_connect(transfer) == ECONNREFUSED;
  return is_refused && !may_be_of_proxy(transfer) ? "ConnectionRefused" : "ConnectionFailed";
}

/* Reports whether a proxy answered that it opens no tunnel to the origin. */
static bool is_refused_tunnel(BideTransfer *transfer) {
  return number_of(transfer, CURLINFO_HTTP_CONNECTCODE) >= 300;
}

/*
** Returns the type of a read error, which libcurl also reports for a proxy that refuses the tunnel,
** for invalid chunks, and for a TLS alert after the handshake.
*/
static const char *type_of_receive(BideTransfer *transfer) {
  if (is_refused_tunnel(transfer))
    return "ConnectionFailed";
  if (strstr(transfer->detail, "chunked-encoding") != NULL)
    return "InvalidResponse";
  return strstr(transfer->detail, " alert ") != NULL ? "TlsFailure" : "ConnectionReset";
}

/*
** Reports whether the peer ended the connection within the TLS handshake. libcurl's code is the one
** for everything that TLS itself refuses, and CURLINFO_OS_ERRNO may be of an earlier address or
** transfer, so this reads the message: OpenSSL explains a refusal ("error:…"), libcurl names the
** call that ended without one (" SSL_connect: "), and a failed read or write of the socket.
*/
static bool is_cut_handshake(const BideTransfer *transfer, CURLcode code) {
  static const char *const signs[] = {" SSL_connect: ", "unexpected eof",
                                      "Recv failure: ", "Send failure: "};
  for (size_t i = 0; code == CURLE_SSL_CONNECT_ERROR && i < sizeof signs / sizeof *signs; i++)
    if (strstr(transfer->detail, signs[i]) != NULL)
      return true;
  return false;
}

/* Reports whether the peer answered the TLS handshake with something else, HTTP for instance. */
static bool is_not_tls(const BideTransfer *transfer, CURLcode code) {
  return code == CURLE_SSL_CONNECT_ERROR &&
         strstr(transfer->detail, "wrong version number") != NULL;
}

typedef struct TypeOfCode {
  CURLcode code;
  const char *type;
} TypeOfCode;

static const TypeOfCode types[] = {
  {CURLE_COULDNT_RESOLVE_HOST, "NameNotResolved"},
  {CURLE_COULDNT_RESOLVE_PROXY, "NameNotResolved"},
  {CURLE_OPERATION_TIMEDOUT, "RequestTimeout"},
  {CURLE_URL_MALFORMAT, "InvalidUrl"},
  {CURLE_FILESIZE_EXCEEDED, "BodyTooLarge"},
  {CURLE_GOT_NOTHING, "ConnectionReset"},
  {CURLE_PARTIAL_FILE, "ConnectionReset"},
  {CURLE_SEND_ERROR, "ConnectionReset"},
  {CURLE_HTTP2_STREAM, "ConnectionReset"},
  {CURLE_PROXY, "ConnectionFailed"},
  {CURLE_HTTP2, "InvalidResponse"},
  {CURLE_WEIRD_SERVER_REPLY, "InvalidResponse"},
  {CURLE_BAD_CONTENT_ENCODING, "InvalidResponse"},
  {CURLE_SSL_CONNECT_ERROR, "TlsFailure"},
  {CURLE_PEER_FAILED_VERIFICATION, "TlsFailure"},
  {CURLE_SSL_CERTPROBLEM, "TlsFailure"},
  {CURLE_SSL_CIPHER, "TlsFailure"},
  {CURLE_SSL_CACERT_BADFILE, "TlsFailure"},
  {CURLE_SSL_ISSUER_ERROR, "TlsFailure"},
  {CURLE_SSL_CRL_BADFILE, "TlsFailure"},
  {CURLE_SSL_SHUTDOWN_FAILED, "TlsFailure"},
  {CURLE_SSL_PINNEDPUBKEYNOTMATCH, "TlsFailure"},
  {CURLE_SSL_INVALIDCERTSTATUS, "TlsFailure"},
  {CURLE_SSL_CLIENTCERT, "TlsFailure"},
  {CURLE_USE_SSL_FAILED, "TlsFailure"},
};

static const char *type_of_code(CURLcode code) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].code == code)
      return types[i].type;
  return "TransportFailure";
}

/*
** Report whether a line of the answer, or the request, was too long, which libcurl calls a lack of
** memory. A lack that is one ends all transfers, and does not come here.
*/
static bool is_long_request(BideTransfer *transfer, CURLcode code) {
  return code == CURLE_OUT_OF_MEMORY && number_of(transfer, CURLINFO_REQUEST_SIZE) == 0;
}

static bool is_long_line(BideTransfer *transfer, CURLcode code) {
  return (code == CURLE_OUT_OF_MEMORY && !is_long_request(transfer, code)) ||
         strstr(transfer->detail, "Out of memory in chunked-encoding") != NULL;
}

/* Reports whether the proxy was not asked since its URL is wrong, for which libcurl has no code. */
static bool is_wrong_proxy(const BideTransfer *transfer) {
  return strstr(transfer->detail, "Unsupported proxy ") != NULL;
}

static const char *find_type(BideTransfer *transfer, CURLcode code) {
  if (transfer->limit != BIDE_TRANSFER_WITHIN_LIMITS)
    return type_of_limit(transfer->limit);
  if (is_wrong_proxy(transfer) || is_long_request(transfer, code))
    return "InvalidRequest";
  if (is_long_line(transfer, code))
    return "InvalidResponse";
  if (is_unconnected(transfer, code))
    return type_of_connect(transfer);
  if (code == CURLE_RECV_ERROR)
    return type_of_receive(transfer);
  if (is_cut_handshake(transfer, code))
    return "ConnectionReset";
  if (code == CURLE_UNSUPPORTED_PROTOCOL) /* the scheme was checked, so the answer is not HTTP */
    return "InvalidResponse";
  return type_of_code(code);
}

CURLcode bide_http_error_cut(BideTransfer *transfer) {
  snprintf(transfer->detail, sizeof transfer->detail, "the answer was cut within its headers");
  return CURLE_WEIRD_SERVER_REPLY;
}

/* Searches the message, since libcurl has no code for it. */
bool bide_http_error_is_retirement(const BideTransfer *transfer) {
  return strstr(transfer->detail, "Connection died, tried") != NULL;
}

/* ---- what bide lacked --------------------------------------------------- */

/* The descriptors that libcurl and getaddrinfo may need to find an address, or to read a file. */
#define DESCRIPTORS_TO_RESOLVE 4
#define DESCRIPTORS_TO_READ 2

/*
** Returns what bide lacked, if that is why the transfer failed: "EMFILE", "ENFILE" or "threads";
** else NULL. To libcurl a file that cannot be opened is one that is not there.
*/
static const char *find_lack(const BideTransfer *transfer, CURLcode code) {
  const char *lack = NULL;
  switch ((int)code) {
    case CURLE_COULDNT_CONNECT: return transfer->lack;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      lack = bide_descriptors_lack(DESCRIPTORS_TO_RESOLVE);
      if (lack == NULL && strstr(transfer->detail, "thread failed to start") != NULL)
        lack = "threads";
      return lack;
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CRL_BADFILE: return bide_descriptors_lack(DESCRIPTORS_TO_READ);
    default: return NULL;
  }
}

/* ---- messages ----------------------------------------------------------- */

static const char *const openings[][2] = {
  {"NameNotResolved", "cannot resolve the name of "},
  {"ConnectionRefused", "connection refused by "},
  {"ConnectionReset", "connection lost to "},
  {"ConnectionFailed", "cannot connect to "},
  {"TlsFailure", "no TLS connection with "},
  {"RequestTimeout", "no answer in time from "},
  {"BodyTooLarge", "body too large from "},
  {"InvalidUrl", "invalid URL at "},
  {"InvalidRequest", "cannot ask "},
  {"InvalidResponse", "no valid HTTP answer from "},
};

static const char *opening_of(const char *type) {
  for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
    if (strcmp(openings[i][0], type) == 0)
      return openings[i][1];
  return "transfer failed with ";
}

/*
** Writes the path of the unix socket, which no host and port say anything of; else "host:port" of
** the URL, and no more, since a URL may contain a password.
*/
static void write_origin(char *text, size_t size, const BideTransfer *transfer) {
  Origin origin;
  if (transfer->unix_socket != NULL)
    snprintf(text, size, "%s", transfer->unix_socket);
  else if (find_origin(&origin, transfer->result.url))
    snprintf(text, size, "%.150s:%s", origin.host, origin.port);
  else
    snprintf(text, size, "the URL's host");
}

static const char *name_body_limit(BideTransfer *transfer) {
  snprintf(transfer->detail, sizeof transfer->detail,
           "more than the body limit of %" PRId64 " bytes", transfer->body_limit);
  return transfer->detail;
}

/* Writes the system's word for a connection that failed, and whether it is one of several. */
static void note_code(BideTransfer *transfer, CURLcode code) {
  int number = error_of_connect(transfer);
  if (!is_unconnected(transfer, code) || number == 0 || may_be_of_proxy(transfer))
    return;
  transfer->result.code = uv_err_name(uv_translate_sys_error(number));
  transfer->result.is_of_last = strstr(transfer->tried, ", ") != NULL;
}

static const char *detail_of_connect(BideTransfer *transfer, int number) {
  if (may_be_of_proxy(transfer)) {
    snprintf(transfer->detail, sizeof transfer->detail, "the proxy cannot be reached: %s",
             strerror(number));
    return transfer->detail;
  }
  return number == ECONNREFUSED ? "" : strerror(number);
}

static const char *detail_of_long_line(const BideTransfer *transfer) {
  switch (transfer->part) {
    case BIDE_ANSWER_NONE: return "the status line is larger than 100 KiB";
    case BIDE_ANSWER_HEADERS: return "a header line is larger than 100 KiB";
    case BIDE_ANSWER_BODY: break;
  }
  return "a header line behind the body is larger than 4 KiB";
}

static const char *detail_of_tunnel(BideTransfer *transfer) {
  long status = number_of(transfer, CURLINFO_HTTP_CONNECTCODE);
  snprintf(transfer->detail, sizeof transfer->detail, "it refused, with the status %ld%s", status,
           status == 407 ? ", which asks for a user and a password" : "");
  return transfer->detail;
}

/* Returns the detail, "" if the opening suffices; the system's text if libcurl has no detail. */
static const char *detail_of(BideTransfer *transfer, CURLcode code) {
  int number = error_of_connect(transfer);
  switch (transfer->limit) {
    case BIDE_TRANSFER_BODY_LIMIT: return name_body_limit(transfer);
    case BIDE_TRANSFER_HEADER_LIMIT: return "the headers are larger than 256 KiB";
    case BIDE_TRANSFER_IDLE_LIMIT: return "no byte within the idle timeout";
    case BIDE_TRANSFER_MEMORY_LIMIT: return "out of memory";
    case BIDE_TRANSFER_BROKEN: return transfer->framing.fault;
    case BIDE_TRANSFER_WITHIN_LIMITS: break;
  }
  if (is_long_line(transfer, code))
    return detail_of_long_line(transfer);
  if (is_long_request(transfer, code))
    return "the request is larger than 1 MiB without its body";
  if (is_wrong_proxy(transfer))
    return "the proxy is not the URL of an HTTP or SOCKS proxy";
  if (is_unconnected(transfer, code) && number != 0)
    return detail_of_connect(transfer, number);
  if (is_cut_handshake(transfer, code))
    return "it ended within the TLS handshake";
  if (is_not_tls(transfer, code))
    return "the answer is not TLS (wrong version number)";
  if (bide_http_certificate_is_refused(transfer))
    return "the certificate is for no host: it has no subjectAltName";
  if (is_refused_tunnel(transfer))
    return detail_of_tunnel(transfer);
  if (code == CURLE_FILESIZE_EXCEEDED)
    return name_body_limit(transfer);
  if (code == CURLE_COULDNT_RESOLVE_HOST)
    return "";
  return transfer->detail[0] != '\0' ? transfer->detail : curl_easy_strerror(code);
}

/*
** Returns the addresses tried for this hop; during an answer, the address that sends it. "" if
** that is the origin itself.
*/
static const char *tried_by(const BideTransfer *transfer, const char *origin) {
  const char *tried = transfer->tried[0] != '\0' ? transfer->tried : transfer->result.address;
  return strcmp(tried, origin) == 0 ? "" : tried;
}

/* Appends to the message, and cuts it if it is too long. */
static void say(BideHttpResult *result, const char *text) {
  size_t length = strlen(result->message);
  snprintf(result->message + length, sizeof result->message - length, "%s", text);
}

static void say_if(BideHttpResult *result, const char *before, const char *text,
                   const char *after) {
  if (text[0] == '\0')
    return;
  say(result, before);
  say(result, text);
  say(result, after);
}

void bide_http_error_explain(BideTransfer *transfer, CURLcode code) {
  BideHttpResult *result = &transfer->result;
  char origin[160];
  result->error = find_type(transfer, code);
  result->lack = find_lack(transfer, code);
  if (transfer->part != BIDE_ANSWER_NONE)
    result->status = (int)number_of(transfer, CURLINFO_RESPONSE_CODE);
  note_code(transfer, code);
  result->out_of_memory = transfer->limit == BIDE_TRANSFER_MEMORY_LIMIT;
  write_origin(origin, sizeof origin, transfer);
  say(result, opening_of(result->error));
  say(result, origin);
  say_if(result, is_refused_tunnel(transfer) ? " (by the proxy " : " (", tried_by(transfer, origin),
         ")");
  say_if(result, ": ", detail_of(transfer, code), "");
}

void bide_http_error_refuse(BideTransfer *transfer, const char *error, const char *format, ...) {
  BideHttpResult *result = &transfer->result;
  va_list arguments;
  result->error = error;
  va_start(arguments, format);
  vsnprintf(result->message, sizeof result->message, format, arguments);
  va_end(arguments);
}
