/* Reads certificates that the peer has sent. */
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#include "net/tls_session.h"

static size_t count_certificates(const BideTls *tls) {
  return tls->chain != NULL ? (size_t)sk_X509_num(tls->chain) : 0;
}

/* ---- texts ------------------------------------------------------------------------------ */

/* Writes a name as RFC 4514 has it, with UTF-8 as it is and control characters escaped. */
static void write_name(char text[BIDE_TLS_NAME], const X509_NAME *name) {
  BIO *target = BIO_new(BIO_s_mem());
  int length = 0;
  if (target != NULL &&
      X509_NAME_print_ex(target, name, 0, XN_FLAG_RFC2253 & ~(unsigned)ASN1_STRFLGS_ESC_MSB) >= 0)
    length = BIO_read(target, text, BIDE_TLS_NAME - 1);
  text[length > 0 ? length : 0] = '\0';
  BIO_free(target);
}

/* Returns a time as seconds since 1970, 0 if it cannot be read. */
static int64_t seconds_of(const ASN1_TIME *time) {
  ASN1_TIME *start = ASN1_TIME_set(NULL, 0);
  int days = 0;
  int seconds = 0;
  if (start == NULL || ASN1_TIME_diff(&days, &seconds, start, time) != 1)
    days = seconds = 0;
  ASN1_TIME_free(start);
  return (int64_t)days * 86400 + seconds;
}

static void write_fingerprint(BideTlsCertificate *certificate, const X509 *source) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  size_t end = 0;
  if (X509_digest(source, EVP_sha256(), digest, &length) != 1)
    length = 0;
  certificate->fingerprint[0] = '\0';
  for (unsigned i = 0; i < length; i++)
    end += (size_t)snprintf(certificate->fingerprint + end, sizeof certificate->fingerprint - end,
                            "%s%02X", i > 0 ? ":" : "", digest[i]);
}

/* ---- the hosts -------------------------------------------------------------------------- */

/* Adds a name if there is room, unless it has a NUL in it. */
static void add_host(BideTlsCertificate *certificate, size_t *used, const char *name,
                     size_t length) {
  if (length == 0 || length >= BIDE_TLS_NAMES - *used || memchr(name, '\0', length) != NULL)
    return;
  memcpy(certificate->names + *used, name, length);
  certificate->names[*used + length] = '\0';
  *used += length + 1;
  certificate->name_count++;
}

static void add_address(BideTlsCertificate *certificate, size_t *used,
                        const ASN1_OCTET_STRING *address) {
  char text[INET6_ADDRSTRLEN];
  int family = ASN1_STRING_length(address) == 4    ? AF_INET
               : ASN1_STRING_length(address) == 16 ? AF_INET6
                                                   : AF_UNSPEC;
  if (family != AF_UNSPEC &&
      inet_ntop(family, ASN1_STRING_get0_data(address), text, sizeof text) != NULL)
    add_host(certificate, used, text, strlen(text));
}

static void read_hosts(BideTlsCertificate *certificate, const X509 *source) {
  GENERAL_NAMES *names = X509_get_ext_d2i(source, NID_subject_alt_name, NULL, NULL);
  size_t used = 0;
  certificate->name_count = 0;
  for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    if (name->type == GEN_DNS)
      add_host(certificate, &used, (const char *)ASN1_STRING_get0_data(name->d.dNSName),
               (size_t)ASN1_STRING_length(name->d.dNSName));
    else if (name->type == GEN_IPADD)
      add_address(certificate, &used, name->d.iPAddress);
  }
  GENERAL_NAMES_free(names);
}

static void read_certificate(BideTlsCertificate *certificate, const X509 *source) {
  write_name(certificate->subject, X509_get_subject_name(source));
  write_name(certificate->issuer, X509_get_issuer_name(source));
  certificate->not_before = seconds_of(X509_get0_notBefore(source));
  certificate->not_after = seconds_of(X509_get0_notAfter(source));
  write_fingerprint(certificate, source);
  read_hosts(certificate, source);
  ERR_clear_error();
}

bool bide_tls_certificate(const BideTls *tls, size_t position, BideTlsCertificate *certificate) {
  if (position >= count_certificates(tls))
    return false;
  read_certificate(certificate, sk_X509_value(tls->chain, (int)position));
  return true;
}

bool bide_tls_first_to_expire(const BideTls *tls, BideTlsCertificate *certificate) {
  STACK_OF(X509) *verified = SSL_get0_verified_chain(tls->ssl);
  const X509 *first = NULL;
  for (int i = 0; verified != NULL && i < sk_X509_num(verified); i++) {
    const X509 *other = sk_X509_value(verified, i);
    if (first == NULL ||
        ASN1_TIME_compare(X509_get0_notAfter(other), X509_get0_notAfter(first)) < 0)
      first = other;
  }
  if (first != NULL)
    read_certificate(certificate, first);
  return first != NULL;
}

/* ---- the binding ------------------------------------------------------------------------ */

/* The digest of its signature, or SHA-256 where that is weaker. */
static const EVP_MD *digest_of(X509 *certificate) {
  int digest = NID_undef;
  if (X509_get_signature_info(certificate, &digest, NULL, NULL, NULL) != 1)
    return NULL;
  if (digest == NID_md5 || digest == NID_sha1)
    digest = NID_sha256;
  return EVP_get_digestbynid(digest);
}

size_t bide_tls_binding(const BideTls *tls, unsigned char digest[BIDE_TLS_DIGEST]) {
  X509 *certificate = count_certificates(tls) > 0 ? sk_X509_value(tls->chain, 0) : NULL;
  const EVP_MD *kind = certificate != NULL ? digest_of(certificate) : NULL;
  unsigned length = 0;
  if (kind == NULL || X509_digest(certificate, kind, digest, &length) != 1)
    length = 0;
  ERR_clear_error();
  return length;
}
