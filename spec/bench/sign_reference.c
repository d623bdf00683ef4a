/*
** What a signature for AWS costs at the least: the four HMACs of a signing key, the HMAC that
** signs, and the digests of a body and of a canonical request, made COUNT times by libcrypto.
** Prints the microseconds of processor time that one signature takes.
**
**   sign_reference COUNT
*/
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DIGEST_LENGTH 32

/* The lengths of what a request of EC2's Query protocol signs. */
#define BODY_LENGTH 43
#define REQUEST_LENGTH 230
#define TEXT_LENGTH 135

static const unsigned char text[REQUEST_LENGTH];

/* Replaces the key by the HMAC of a text under it. */
static void derive(unsigned char *key, const void *bytes, size_t length) {
  unsigned char derived[DIGEST_LENGTH];
  if (HMAC(EVP_sha256(), key, DIGEST_LENGTH, bytes, length, derived, NULL) == NULL)
    exit(1);
  memcpy(key, derived, sizeof derived);
}

static void digest(size_t length) {
  unsigned char made[DIGEST_LENGTH];
  if (!EVP_Digest(text, length, made, NULL, EVP_sha256(), NULL))
    exit(1);
}

static void sign(void) {
  unsigned char key[DIGEST_LENGTH] = "AWS4wJalrXUtnFEMI/K7MDENG+bPxRf";
  derive(key, "20150830", 8);
  derive(key, "eu-west-1", 9);
  derive(key, "ec2", 3);
  derive(key, "aws4_request", 12);
  digest(BODY_LENGTH);
  digest(REQUEST_LENGTH);
  derive(key, text, TEXT_LENGTH);
}

int main(int count, char **words) {
  long signatures = count > 1 ? strtol(words[1], NULL, 10) : 0;
  clock_t began = clock();
  if (signatures < 1)
    return 2;
  for (long i = 0; i < signatures; i++)
    sign();
  printf("%.3f\n", (double)(clock() - began) * 1e6 / CLOCKS_PER_SEC / (double)signatures);
  return 0;
}
