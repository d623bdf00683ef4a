/* The inside of a session, which the files of src/net/tls* share. */
#ifndef BIDE_NET_TLS_SESSION_H
#define BIDE_NET_TLS_SESSION_H

#include <openssl/ssl.h>

#include "net/tls.h"

struct BideTls {
  SSL *ssl;
  BIO *incoming; /* what was fed; both belong to ssl */
  BIO *outgoing; /* what is to be drained */
  BideTlsTrust trust;
  STACK_OF(X509) * chain; /* what the peer has sent; NULL before */
  int problem;            /* libcrypto's code of the first reason not to trust it; X509_V_OK */
  int problem_depth;
};

/*
** Writes what libssl's queue of errors says, and empties it: BIDE_ERROR_MEMORY where memory ran
** out, else BIDE_ERROR_SYSTEM; `otherwise` where the queue is empty.
*/
void bide_tls_explain(BideError *error, const char *otherwise);

/* Sets certificate and key of the client. */
bool bide_tls_use_certificate(SSL_CTX *context, const BideTlsOptions *options, BideError *error);

/* libcrypto's set behind the authorities. */
X509_STORE *bide_tls_store(const BideTlsAuthorities *authorities);

#endif
