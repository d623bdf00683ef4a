/*
** TLS for the client's side of one connection, by libssl over memory. No function here waits,
** opens a socket or a file (libcrypto opens those of a folder of authorities), or calls back. The
** caller moves bytes: it feeds what came from the peer, and drains what has to be sent to it.
**
**     do {
**       state = bide_tls_handshake(tls, &error);
**       send what bide_tls_drain gives;
**       if (state == BIDE_TLS_WANTS)
**         receive, and bide_tls_feed;
**     } while (state == BIDE_TLS_WANTS);
**
** TLS 1.2 is the least version. Renegotiation and compression are refused, and no session is
** resumed. A session holds at most BIDE_TLS_PENDING bytes in either direction, beside what libssl
** keeps of one record and one message of the handshake, which it limits to about 100 KB.
*/
#ifndef BIDE_NET_TLS_H
#define BIDE_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The most bytes that one write takes, which is a record; and those that wait in a direction. */
#define BIDE_TLS_RECORD ((size_t)16384)
#define BIDE_TLS_PENDING ((size_t)131072)

/* ---- authorities ------------------------------------------------------------------------ */

/*
** The authorities that a session trusts. Each certificate of the set is trusted by itself, also if
** another authority has signed it. Sessions keep what they need of the set.
*/
typedef struct BideTlsAuthorities BideTlsAuthorities;

/* Returns a set without any authority; NULL if memory is exhausted. */
BideTlsAuthorities *bide_tls_authorities_new(void);

/* Accepts NULL. */
void bide_tls_authorities_free(BideTlsAuthorities *authorities);

/* Adds the certificates of a PEM text. Returns false if it has none, or a broken one. */
bool bide_tls_authorities_add(BideTlsAuthorities *authorities, const char *text, size_t length,
                              BideError *error);

/*
** Adds the files of a list of folders, "a:b", whose names are hashes of their subjects; NULL adds
** the place where libcrypto looks for the system's. They are read when a session needs them.
*/
bool bide_tls_authorities_add_folders(BideTlsAuthorities *authorities, const char *folders,
                                      BideError *error);

/* ---- sessions --------------------------------------------------------------------------- */

typedef struct BideTls BideTls;

/* How much of the peer's certificate has to be right. */
typedef enum BideTlsTrust {
  BIDE_TLS_TRUST_HOST,      /* an authority has signed it, for the host, at this time */
  BIDE_TLS_TRUST_AUTHORITY, /* the same, for any host */
  BIDE_TLS_TRUST_ANYTHING
} BideTlsTrust;

/* What a session is made of. The texts are borrowed for the call; all but `host` may be NULL. */
typedef struct BideTlsOptions {
  const char *host; /* a name, or an IP address without brackets or zone */
  BideTlsTrust trust;
  const BideTlsAuthorities *authorities; /* needed unless anything is trusted */
  const char *certificate;               /* PEM: the client's certificate and its chain */
  size_t certificate_length;
  const char *key; /* PEM */
  size_t key_length;
  const char *key_password;
  const char *protocols; /* ALPN: each name after a byte with its length */
  size_t protocols_length;
} BideTlsOptions;

/*
** Returns a session that has not begun; NULL with the error BIDE_ERROR_SYSTEM for a certificate or
** a key that cannot be used, or BIDE_ERROR_MEMORY.
*/
BideTls *bide_tls_new(const BideTlsOptions *options, BideError *error);

/* Accepts NULL. */
void bide_tls_free(BideTls *tls);

typedef enum BideTlsState {
  BIDE_TLS_DONE,   /* it is done */
  BIDE_TLS_WANTS,  /* more bytes of the peer have to be fed, or output drained, first */
  BIDE_TLS_CLOSED, /* the peer has closed its side, as TLS wants it (close_notify) */
  BIDE_TLS_FAILED  /* the error says why; there is an alert to drain, and no other use */
} BideTlsState;

/*
** Takes bytes that came from the peer. Returns how many were taken: fewer than `length` if too many
** wait already, which the next call of handshake or read consumes.
*/
size_t bide_tls_feed(BideTls *tls, const char *bytes, size_t length);

/* Gives up to `size` bytes to send to the peer. Returns how many, 0 if there are none. */
size_t bide_tls_drain(BideTls *tls, char *bytes, size_t size);

BideTlsState bide_tls_handshake(BideTls *tls, BideError *error);

/* Reads up to `size` bytes of what the peer said; `*length` is above 0 if it is done. */
BideTlsState bide_tls_read(BideTls *tls, char *bytes, size_t size, size_t *length,
                           BideError *error);

/* Writes all of at most BIDE_TLS_RECORD bytes, or none. */
BideTlsState bide_tls_write(BideTls *tls, const char *bytes, size_t length, BideError *error);

/* Adds the notice to the output that this side closes (close_notify). */
void bide_tls_finish(BideTls *tls);

/* ---- what was agreed on ----------------------------------------------------------------- */

/* Why the peer's certificate is not trusted: static texts, the first of all reasons. */
typedef struct BideTlsProblem {
  const char *kind;  /* "expired", "notYetValid", "host", "authority", "purpose", "invalid" */
  const char *words; /* libcrypto's */
  int depth;         /* the certificate in its chain: 0 is the peer's own */
} BideTlsProblem;

/* Returns false if there is none, no certificate came yet, or any is to be trusted. */
bool bide_tls_problem(const BideTls *tls, BideTlsProblem *problem);

/* The version, "TLSv1.3", and the cipher; static texts. */
const char *bide_tls_version(const BideTls *tls);
const char *bide_tls_cipher(const BideTls *tls);

/* Returns the protocol that the peer chose (ALPN), which the session owns; NULL if none. */
const char *bide_tls_protocol(const BideTls *tls, size_t *length);

#define BIDE_TLS_NAME 512
#define BIDE_TLS_NAMES 8192

/* A certificate. A subject or issuer that is too long is cut; hosts without room are left out. */
typedef struct BideTlsCertificate {
  char subject[BIDE_TLS_NAME]; /* "CN=db,O=Shop", as RFC 4514 writes it */
  char issuer[BIDE_TLS_NAME];
  int64_t not_before; /* seconds since 1970 */
  int64_t not_after;
  char fingerprint[96];       /* SHA-256, "AB:CD:…" */
  size_t name_count;          /* the hosts that it is for */
  char names[BIDE_TLS_NAMES]; /* each with a NUL behind it */
} BideTlsCertificate;

/*
** Reads one of the certificates that the peer has sent, its own first, by its position from 0.
** Returns false if there is none.
*/
bool bide_tls_certificate(const BideTls *tls, size_t position, BideTlsCertificate *certificate);

/*
** Reads the certificate that expires first of those by which the peer's is trusted: its own, those
** between, and that of the authority. Returns false if none was verified.
*/
bool bide_tls_first_to_expire(const BideTls *tls, BideTlsCertificate *certificate);

/* The bytes of a digest. */
#define BIDE_TLS_DIGEST 64

/*
** Writes the digest of the peer's certificate that binds an authentication to this session
** (tls-server-end-point, RFC 5929). Returns its length, 0 if there is none.
*/
size_t bide_tls_binding(const BideTls *tls, unsigned char digest[BIDE_TLS_DIGEST]);

#endif
