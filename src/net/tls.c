#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls_session.h"

/* ---- the peer's certificate ------------------------------------------------------------- */

/* Keeps what the peer has sent, of which libssl keeps nothing if it is not trusted. */
static void keep_chain(BideTls *tls, X509_STORE_CTX *context) {
  STACK_OF(X509) *sent = X509_STORE_CTX_get0_untrusted(context);
  if (tls->chain == NULL && sent != NULL)
    tls->chain = X509_chain_up_ref(sent);
}

/* libcrypto calls it for each certificate, and for each reason not to trust one. */
static int check_certificate(int is_good, X509_STORE_CTX *context) {
  SSL *ssl = X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx());
  BideTls *tls = ssl != NULL ? SSL_get_app_data(ssl) : NULL;
  if (tls == NULL)
    return 0;
  keep_chain(tls, context);
  if (is_good || tls->trust == BIDE_TLS_TRUST_ANYTHING)
    return 1;
  if (tls->problem == X509_V_OK) {
    tls->problem = X509_STORE_CTX_get_error(context);
    tls->problem_depth = X509_STORE_CTX_get_error_depth(context);
  }
  return 0;
}

static const char *kind_of_problem(int code) {
  switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return "expired";
    case X509_V_ERR_CERT_NOT_YET_VALID: return "notYetValid";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return "host";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_UNTRUSTED: return "authority";
    case X509_V_ERR_INVALID_PURPOSE: return "purpose";
    default: return "invalid";
  }
}

bool bide_tls_problem(const BideTls *tls, BideTlsProblem *problem) {
  if (tls->problem == X509_V_OK)
    return false;
  problem->kind = kind_of_problem(tls->problem);
  problem->words = X509_verify_cert_error_string(tls->problem);
  problem->depth = tls->problem_depth;
  return true;
}

/* ---- a new session ---------------------------------------------------------------------- */

/* Names the peer, in the handshake and for the check of its certificate. */
static bool set_host(SSL *ssl, const char *host, BideTlsTrust trust) {
  X509_VERIFY_PARAM *parameters = SSL_get0_param(ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1) {
    if (trust != BIDE_TLS_TRUST_HOST)
      X509_VERIFY_PARAM_set1_ip(parameters, NULL, 0);
    return true;
  }
  ERR_clear_error();
  X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                                                X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (trust == BIDE_TLS_TRUST_HOST && X509_VERIFY_PARAM_set1_host(parameters, host, 0) != 1)
    return false;
  return SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  (void *)(uintptr_t)host) == 1;
}

static bool set_protocols(SSL *ssl, const BideTlsOptions *options) {
  return options->protocols == NULL ||
         SSL_set_alpn_protos(ssl, (const unsigned char *)options->protocols,
                             (unsigned)options->protocols_length) == 0;
}

static SSL_CTX *new_context(const BideTlsOptions *options, BideError *error) {
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  if (context == NULL || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
    bide_tls_explain(error, "libssl cannot be used");
    goto fail;
  }
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, check_certificate);
  if (options->authorities != NULL)
    SSL_CTX_set1_cert_store(context, bide_tls_store(options->authorities));
  if (options->certificate != NULL && !bide_tls_use_certificate(context, options, error))
    goto fail;
  return context;
fail:
  SSL_CTX_free(context);
  return NULL;
}

/* Makes the two buffers, which the session then owns. */
static bool set_buffers(BideTls *tls) {
  BIO *incoming = BIO_new(BIO_s_mem());
  BIO *outgoing = BIO_new(BIO_s_mem());
  if (incoming == NULL || outgoing == NULL) {
    BIO_free(incoming);
    BIO_free(outgoing);
    return false;
  }
  SSL_set_bio(tls->ssl, incoming, outgoing);
  tls->incoming = incoming;
  tls->outgoing = outgoing;
  return true;
}

BideTls *bide_tls_new(const BideTlsOptions *options, BideError *error) {
  SSL_CTX *context = new_context(options, error);
  BideTls *tls;
  if (context == NULL)
    return NULL;
  tls = calloc(1, sizeof *tls);
  if (tls != NULL) {
    tls->trust = options->trust;
    tls->ssl = SSL_new(context);
  }
  SSL_CTX_free(context);
  if (tls == NULL || tls->ssl == NULL || !set_buffers(tls)) {
    bide_error_set(error, BIDE_ERROR_MEMORY, "out of memory");
    goto fail;
  }
  SSL_set_app_data(tls->ssl, tls);
  SSL_set_connect_state(tls->ssl);
  ERR_clear_error();
  if (set_host(tls->ssl, options->host, options->trust) && set_protocols(tls->ssl, options))
    return tls;
  bide_tls_explain(error, "the host or the protocols cannot be asked for");
fail:
  bide_tls_free(tls);
  return NULL;
}

void bide_tls_free(BideTls *tls) {
  if (tls == NULL)
    return;
  SSL_free(tls->ssl);
  sk_X509_pop_free(tls->chain, X509_free);
  free(tls);
}

/* ---- bytes ------------------------------------------------------------------------------ */

size_t bide_tls_feed(BideTls *tls, const char *bytes, size_t length) {
  size_t waiting = BIO_ctrl_pending(tls->incoming);
  size_t room = waiting < BIDE_TLS_PENDING ? BIDE_TLS_PENDING - waiting : 0;
  size_t written = 0;
  if (length > room)
    length = room;
  if (length == 0 || BIO_write_ex(tls->incoming, bytes, length, &written) != 1)
    return 0;
  return written;
}

size_t bide_tls_drain(BideTls *tls, char *bytes, size_t size) {
  size_t length = 0;
  return BIO_read_ex(tls->outgoing, bytes, size, &length) == 1 ? length : 0;
}

/* Returns the state after a call of libssl that did not succeed. */
static BideTlsState state_after(BideTls *tls, int result, BideError *error) {
  switch (SSL_get_error(tls->ssl, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return BIDE_TLS_WANTS;
    case SSL_ERROR_ZERO_RETURN: return BIDE_TLS_CLOSED;
    default: bide_tls_explain(error, "the session has ended"); return BIDE_TLS_FAILED;
  }
}

BideTlsState bide_tls_handshake(BideTls *tls, BideError *error) {
  int result;
  ERR_clear_error();
  result = SSL_do_handshake(tls->ssl);
  return result == 1 ? BIDE_TLS_DONE : state_after(tls, result, error);
}

BideTlsState bide_tls_read(BideTls *tls, char *bytes, size_t size, size_t *length,
                           BideError *error) {
  int result;
  *length = 0;
  ERR_clear_error();
  result = SSL_read_ex(tls->ssl, bytes, size, length);
  return result == 1 ? BIDE_TLS_DONE : state_after(tls, result, error);
}

BideTlsState bide_tls_write(BideTls *tls, const char *bytes, size_t length, BideError *error) {
  size_t written = 0;
  int result;
  if (length == 0)
    return BIDE_TLS_DONE;
  if (length > BIDE_TLS_RECORD || BIO_ctrl_pending(tls->outgoing) >= BIDE_TLS_PENDING)
    return BIDE_TLS_WANTS;
  ERR_clear_error();
  result = SSL_write_ex(tls->ssl, bytes, length, &written);
  return result == 1 ? BIDE_TLS_DONE : state_after(tls, result, error);
}

void bide_tls_finish(BideTls *tls) {
  ERR_clear_error();
  if (SSL_is_init_finished(tls->ssl))
    SSL_shutdown(tls->ssl);
  ERR_clear_error();
}

/* ---- what was agreed on ----------------------------------------------------------------- */

const char *bide_tls_version(const BideTls *tls) {
  return SSL_get_version(tls->ssl);
}

const char *bide_tls_cipher(const BideTls *tls) {
  return SSL_get_cipher_name(tls->ssl);
}

const char *bide_tls_protocol(const BideTls *tls, size_t *length) {
  const unsigned char *name = NULL;
  unsigned count = 0;
  SSL_get0_alpn_selected(tls->ssl, &name, &count);
  *length = count;
  return (const char *)name;
}
