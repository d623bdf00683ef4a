/* What a session reads of PEM texts: authorities, and the client's certificate and key. */
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls_session.h"

void bide_tls_explain(BideError *error, const char *otherwise) {
  unsigned long code = ERR_peek_last_error();
  const char *reason = code != 0 ? ERR_reason_error_string(code) : NULL;
  bool is_memory = code != 0 && ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE;
  bide_error_set(error, is_memory ? BIDE_ERROR_MEMORY : BIDE_ERROR_SYSTEM, "%s",
                 reason != NULL ? reason : otherwise);
  ERR_clear_error();
}

static BIO *text_of(const char *text, size_t length) {
  return length <= INT_MAX ? BIO_new_mem_buf(text, (int)length) : NULL;
}

/* Reports whether the last call found nothing more in a PEM text, which is a good end. */
static bool is_at_end(void) {
  unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

/* Gives the password of a key; libcrypto would ask for it on the terminal. */
static int give_password(char *buffer, int size, int is_writing, void *password) {
  size_t length = password != NULL ? strlen(password) : 0;
  (void)is_writing;
  if (length > (size_t)size)
    return -1;
  if (length > 0)
    memcpy(buffer, password, length);
  return (int)length;
}

/* ---- authorities ------------------------------------------------------------------------ */

/* The type has no members of its own: it is libcrypto's set. */
BideTlsAuthorities *bide_tls_authorities_new(void) {
  X509_STORE *store = X509_STORE_new();
  if (store != NULL)
    X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return (BideTlsAuthorities *)store;
}

X509_STORE *bide_tls_store(const BideTlsAuthorities *authorities) {
  return (X509_STORE *)(uintptr_t)authorities;
}

void bide_tls_authorities_free(BideTlsAuthorities *authorities) {
  X509_STORE_free(bide_tls_store(authorities));
}

bool bide_tls_authorities_add(BideTlsAuthorities *authorities, const char *text, size_t length,
                              BideError *error) {
  BIO *source = text_of(text, length);
  X509 *certificate = NULL;
  size_t count = 0;
  bool is_added = source != NULL;
  ERR_clear_error();
  while (is_added && (certificate = PEM_read_bio_X509_AUX(source, NULL, give_password, NULL))) {
    is_added = X509_STORE_add_cert(bide_tls_store(authorities), certificate) == 1;
    X509_free(certificate);
    count++;
  }
  is_added = is_added && count > 0 && is_at_end();
  if (!is_added)
    bide_tls_explain(error, "it cannot be read");
  ERR_clear_error();
  BIO_free(source);
  return is_added;
}

bool bide_tls_authorities_add_folders(BideTlsAuthorities *authorities, const char *folders,
                                      BideError *error) {
  X509_STORE *store = bide_tls_store(authorities);
  bool is_added;
  ERR_clear_error();
  if (folders != NULL)
    is_added = X509_STORE_load_path(store, folders) == 1;
  else
    is_added = X509_STORE_set_default_paths(store) == 1;
  if (!is_added)
    bide_tls_explain(error, "it cannot be read");
  ERR_clear_error();
  return is_added;
}

/* ---- the client's certificate ----------------------------------------------------------- */

static bool use_chain(SSL_CTX *context, BIO *source) {
  X509 *certificate = PEM_read_bio_X509_AUX(source, NULL, give_password, NULL);
  bool is_used = certificate != NULL && SSL_CTX_use_certificate(context, certificate) == 1;
  X509_free(certificate);
  while (is_used && (certificate = PEM_read_bio_X509(source, NULL, give_password, NULL)) != NULL)
    if (SSL_CTX_add0_chain_cert(context, certificate) != 1) {
      X509_free(certificate);
      is_used = false;
    }
  return is_used && is_at_end();
}

static bool use_key(SSL_CTX *context, BIO *source, const char *password) {
  EVP_PKEY *key = PEM_read_bio_PrivateKey(source, NULL, give_password, (void *)(uintptr_t)password);
  bool is_used = key != NULL && SSL_CTX_use_PrivateKey(context, key) == 1;
  EVP_PKEY_free(key);
  return is_used;
}

/* Writes an error that begins with what it is about. */
static void explain(BideError *error, const char *what) {
  BideError reason;
  bide_tls_explain(&reason, "it cannot be read");
  bide_error_set(error, reason.code, "%s: %.200s", what, reason.message);
}

bool bide_tls_use_certificate(SSL_CTX *context, const BideTlsOptions *options, BideError *error) {
  BIO *certificate = text_of(options->certificate, options->certificate_length);
  BIO *key = text_of(options->key, options->key_length);
  bool is_used = false;
  ERR_clear_error();
  if (certificate == NULL || !use_chain(context, certificate)) {
    explain(error, "the client's certificate");
    goto out;
  }
  ERR_clear_error();
  is_used = key != NULL && use_key(context, key, options->key_password);
  if (!is_used)
    explain(error, "the key of the client's certificate");
out:
  BIO_free(certificate);
  BIO_free(key);
  return is_used;
}
