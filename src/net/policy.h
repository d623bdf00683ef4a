/*
** Which addresses recipes may connect to. Rules are networks, "10.0.0.0/8", with or without a port;
** the most specific one that holds for an address decides, at equal length the one with a port,
** and then the one that denies. What no rule names is open, unless the policy is closed.
**
** An IPv6 address that leads to an IPv4 address (mapped, compatible, 6to4, NAT64, Teredo, ISATAP)
** is open only if both are.
*/
#ifndef BIDE_NET_POLICY_H
#define BIDE_NET_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/export.h"

typedef struct BidePolicy BidePolicy;

/*
** Creates a policy; NULL if memory is exhausted. A closed one denies some networks by itself. This
** machine, its links, multicast, and the metadata services of clouds open only by a rule for a
** network within them; private networks open by any rule for more than the whole Internet, as
** "private" is.
*/
BidePolicy *bide_policy_create(bool is_closed);
void bide_policy_free(BidePolicy *policy);

typedef enum BideRuleKind { BIDE_RULE_ALLOW, BIDE_RULE_DENY } BideRuleKind;

/* Reports whether a text is a rule: "private", "NET", "NET:PORT", "[NET6]:PORT", "NET6". */
bool bide_policy_is_rule(const char *text);

/* Adds a rule, a valid one. Returns false if memory is exhausted. */
bool bide_policy_add(BidePolicy *policy, BideRuleKind kind, const char *text);

/*
** Closes a port of an address, which only a rule for this address with this port opens. Does
** nothing if it is closed so already. Returns false if memory is exhausted.
*/
bool bide_policy_close(BidePolicy *policy, const struct sockaddr *address);

/* The size of a message about an address. */
#define BIDE_REFUSAL_SIZE 160

/*
** Reports whether the policy denies a connection to an address, and writes why: one sentence with
** the address. A family other than IPv4 and IPv6 does not lead to a network, and is open.
*/
BIDE_API bool bide_policy_refuses(const BidePolicy *policy, const struct sockaddr *address,
                                  char refusal[BIDE_REFUSAL_SIZE]);

/*
** Writes the socket address for the text of an address, "127.0.0.1" or "fe80::1%eth0". Returns
** false for another text.
*/
BIDE_API bool bide_policy_read(struct sockaddr_storage *address, const char *text, int port);

#endif
