/* Refuses a certificate that names no host. libcurl takes its common name for one. */
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "net/http_transfer.h"

static bool names_host(X509 *certificate) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  bool is_found = false;
  for (int i = 0; i < sk_GENERAL_NAME_num(names) && !is_found; i++) {
    int type = sk_GENERAL_NAME_value(names, i)->type;
    is_found = type == GEN_DNS || type == GEN_IPADD;
  }
  GENERAL_NAMES_free(names);
  return is_found;
}

/* libcrypto calls it for each certificate of the chain; that of the server has depth 0. */
static int check_certificate(int is_good, X509_STORE_CTX *context) {
  if (is_good && X509_STORE_CTX_get_error_depth(context) == 0 &&
      !names_host(X509_STORE_CTX_get_current_cert(context))) {
    X509_STORE_CTX_set_error(context, X509_V_ERR_HOSTNAME_MISMATCH);
    return 0;
  }
  return is_good;
}

static CURLcode on_context(CURL *easy, void *context, void *unused) {
  (void)easy, (void)unused;
  SSL_CTX_set_verify(context, SSL_CTX_get_verify_mode(context), check_certificate);
  return CURLE_OK;
}

CURLcode bide_http_certificate_check(BideTransfer *transfer) {
  const char *library = curl_version_info(CURLVERSION_NOW)->ssl_version;
  if (library == NULL || strncmp(library, "OpenSSL/", 8) != 0)
    return CURLE_OK; /* its contexts are others */
  return curl_easy_setopt(transfer->easy, CURLOPT_SSL_CTX_FUNCTION, on_context);
}

bool bide_http_certificate_is_refused(const BideTransfer *transfer) {
  const char *words = X509_verify_cert_error_string(X509_V_ERR_HOSTNAME_MISMATCH);
  return strstr(transfer->detail, words) != NULL;
}
