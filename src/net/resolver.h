/*
** Resolves names by getaddrinfo, in threads of its own: libuv's pool runs two lookups at a time,
** and two names that a silent name server does not answer would keep all others waiting.
**
** A thread cannot be stopped within getaddrinfo. A lookup that was freed no longer counts, and its
** thread ends by itself; it blocks neither the loop nor the end of the process.
*/
#ifndef BIDE_NET_RESOLVER_H
#define BIDE_NET_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>

#include "net/loop.h"

/* The most names that are resolved at a time. Equal names are resolved once. */
#define BIDE_RESOLVER_NAMES 64

/* The size of an address as a text, with the scope of a link-local one. */
#define BIDE_ADDRESS_SIZE 64

typedef struct BideResolver BideResolver;
typedef struct BideLookup BideLookup;

/* The addresses of a name, or the reason why there are none. */
typedef struct BideAddresses {
  /*
  ** NULL, or a static string: "EAI_NONAME" and its like for what getaddrinfo reports; what bide
  ** lacked: "EMFILE" or "ENFILE" a descriptor, "threads" a thread, "lookups" a place among the
  ** BIDE_RESOLVER_NAMES; "EAI_MEMORY" if memory is exhausted.
  */
  const char *failure;
  size_t count;
  bool may_be_cut; /* the name may have further addresses, which getaddrinfo has left out */
  char (*texts)[BIDE_ADDRESS_SIZE]; /* each address once, in the order of getaddrinfo */
} BideAddresses;

/*
** Creates a resolver on `loop`. Returns NULL if memory is exhausted. Free all lookups before you
** destroy the resolver, and destroy the resolver before the loop.
*/
BideResolver *bide_resolver_create(BideLoop *loop);
void bide_resolver_destroy(BideResolver *resolver);

/*
** Begins to resolve `name`, or joins a lookup of the same name that is under way. `family` is
** AF_INET, AF_INET6, or AF_UNSPEC for both. `done` runs on the loop, after this function has
** returned, once, and not after bide_lookup_free; it may not call these functions. The caller owns
** the lookup. Returns NULL and sets `failure`, a string as in BideAddresses, if the lookup cannot
** begin.
*/
BideLookup *bide_resolver_start(BideResolver *resolver, const char *name, int family,
                                void (*done)(void *context), void *context, const char **failure);

/* Returns the addresses, valid until the lookup is freed; NULL before `done` has run. */
const BideAddresses *bide_lookup_addresses(const BideLookup *lookup);

/* Frees a lookup. Gives it up if it is still under way. */
void bide_lookup_free(BideLookup *lookup);

/*
** Returns the family of an address, "127.0.0.1" or "fe80::1%eth0"; AF_UNSPEC for a name. It asks no
** resolver.
*/
int bide_resolver_family_of(const char *host);

#endif
