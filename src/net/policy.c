#include "net/policy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
** A network of IPv6. An IPv4 address is kept in its mapped form, so that one comparison of bits
** serves both.
*/
typedef struct Network {
  uint8_t bytes[16];
  int length; /* the bits that count */
  int port;   /* 0 for every port */
} Network;

#define MAPPED_BITS 96
#define ALL_BITS 128

typedef struct Rule {
  Network network;
  BideRuleKind kind;
  struct Rule *next;
} Rule;

/* Why an address is closed by itself. */
typedef struct Closed {
  const char *text;
  const char *name;
  bool is_sealed; /* only a rule for a network within it opens it */
} Closed;

static const Closed closed_networks[] = {
  {"0.0.0.0/8", "this machine", true},
  {"127.0.0.0/8", "this machine", true},
  {"169.254.0.0/16", "link-local", true},
  {"224.0.0.0/4", "multicast", true},
  {"255.255.255.255/32", "broadcast", true},
  {"100.100.100.200/32", "a metadata service", true},
  {"168.63.129.16/32", "a metadata service", true},
  {"192.0.0.192/32", "a metadata service", true},
  {"::/128", "this machine", true},
  {"::1/128", "this machine", true},
  {"fe80::/10", "link-local", true},
  {"ff00::/8", "multicast", true},
  {"fd00:ec2::254/128", "a metadata service", true},
  {"fd20:ce::254/128", "a metadata service", true},
  {"10.0.0.0/8", "private", false},
  {"172.16.0.0/12", "private", false},
  {"192.168.0.0/16", "private", false},
  {"100.64.0.0/10", "private", false},
  {"fc00::/7", "private", false},
  {"fec0::/10", "private", false},
  {"64:ff9b:1::/48", "private", false},
};

#define CLOSED_NETWORKS (sizeof closed_networks / sizeof *closed_networks)

/* Where an IPv6 address of a kind has the IPv4 address to which it leads. */
typedef struct Embedded {
  const char *network;
  int at;
  uint8_t mask; /* each byte is this one's exclusive or */
} Embedded;

static const Embedded embedded[] = {
  {"::/96", 12, 0},          {"::ffff:0:0:0/96", 12, 0}, {"64:ff9b::/96", 12, 0},
  {"64:ff9b:1::/48", 12, 0}, {"2002::/16", 2, 0},        {"2001::/32", 4, 0},
  {"2001::/32", 12, 0xff},
};

#define EMBEDDED (sizeof embedded / sizeof *embedded)

/* An address by which a connection comes to another one, of this machine. */
typedef struct Unspecified {
  const char *address;
  const char *leads_to;
} Unspecified;

static const Unspecified unspecified[] = {{"0.0.0.0", "127.0.0.1"}, {"::", "::1"}};

#define UNSPECIFIED (sizeof unspecified / sizeof *unspecified)

/* The networks of the three tables, which are read once: every request asks for them. */
typedef struct Known {
  Network closed[CLOSED_NETWORKS];
  Network unspecified[UNSPECIFIED], machine[UNSPECIFIED];
  Network embedded[EMBEDDED];
} Known;

struct BidePolicy {
  bool is_closed;
  Rule *rules;  /* of the user */
  Rule *closed; /* single ports, see bide_policy_close */
  Known known;
};

/* ---- networks ----------------------------------------------------------- */

static void map(uint8_t bytes[16], const uint8_t *ip4) {
  memset(bytes, 0, 10);
  bytes[10] = bytes[11] = 0xff;
  memcpy(bytes + 12, ip4, 4);
}

static bool holds(const Network *network, const uint8_t bytes[16]) {
  int whole = network->length / 8, rest = network->length % 8;
  return memcmp(network->bytes, bytes, (size_t)whole) == 0 &&
         (rest == 0 || ((network->bytes[whole] ^ bytes[whole]) >> (8 - rest)) == 0);
}

/* Reads a decimal number of at most `most`; -1 for another text. */
static int read_number(const char *text, int most) {
  int number = 0;
  if (*text == '\0')
    return -1;
  for (; *text != '\0'; text++) {
    if (*text < '0' || *text > '9')
      return -1;
    number = number * 10 + (*text - '0');
    if (number > most)
      return -1;
  }
  return number;
}

/* Reads "ADDRESS" or "ADDRESS/BITS". Bits beyond the length must be 0: they are a mistake. */
static bool read_network(Network *network, char *text) {
  char *slash = strchr(text, '/');
  uint8_t ip4[4];
  int most = ALL_BITS, length;
  if (slash != NULL)
    *slash = '\0';
  if (inet_pton(AF_INET, text, ip4) == 1) {
    map(network->bytes, ip4);
    most = ALL_BITS - MAPPED_BITS;
  } else if (inet_pton(AF_INET6, text, network->bytes) != 1) {
    return false;
  }
  length = slash == NULL ? most : read_number(slash + 1, most);
  if (length < 0)
    return false;
  network->length = length + ALL_BITS - most;
  for (int bit = network->length; bit < ALL_BITS; bit++)
    if (network->bytes[bit / 8] & (0x80 >> bit % 8))
      return false;
  return true;
}

#define RULE_SIZE 80

/* Reads "NET", "NET:PORT" or "[NET6]:PORT". */
static bool read_rule(Network *network, const char *text) {
  char copy[RULE_SIZE], *start = copy, *colon;
  if (strlen(text) >= sizeof copy)
    return false;
  strcpy(copy, text);
  network->port = 0;
  if (*copy == '[') {
    char *end = strchr(copy, ']');
    if (end == NULL || strchr(copy, '.') != NULL || strchr(copy, ':') > end)
      return false;
    start++;
    *end = '\0';
    colon = end[1] == ':' ? end + 1 : NULL;
    if (end[1] != '\0' && colon == NULL)
      return false;
  } else {
    colon = strchr(copy, ':');
    if (colon != NULL && strchr(colon + 1, ':') != NULL)
      colon = NULL; /* IPv6 */
  }
  if (colon != NULL) {
    *colon = '\0';
    network->port = read_number(colon + 1, 65535);
    if (network->port < 1)
      return false;
  }
  return read_network(network, start);
}

static void read_known(Known *known) {
  memset(known, 0, sizeof *known);
  for (size_t i = 0; i < CLOSED_NETWORKS; i++)
    read_rule(&known->closed[i], closed_networks[i].text);
  for (size_t i = 0; i < UNSPECIFIED; i++) {
    read_rule(&known->unspecified[i], unspecified[i].address);
    read_rule(&known->machine[i], unspecified[i].leads_to);
  }
  for (size_t i = 0; i < EMBEDDED; i++)
    read_rule(&known->embedded[i], embedded[i].network);
}

/* ---- rules -------------------------------------------------------------- */

static bool add(Rule **list, const Network *network, BideRuleKind kind) {
  Rule *rule = malloc(sizeof *rule);
  if (rule == NULL)
    return false;
  *rule = (Rule){.network = *network, .kind = kind, .next = *list};
  *list = rule;
  return true;
}

bool bide_policy_is_rule(const char *text) {
  Network network;
  return strcmp(text, "private") == 0 || read_rule(&network, text);
}

bool bide_policy_add(BidePolicy *policy, BideRuleKind kind, const char *text) {
  Network network;
  if (strcmp(text, "private") != 0)
    return read_rule(&network, text) && add(&policy->rules, &network, kind);
  for (size_t i = 0; i < CLOSED_NETWORKS; i++)
    if (!closed_networks[i].is_sealed && !add(&policy->rules, &policy->known.closed[i], kind))
      return false;
  return true;
}

static int specificity(const Rule *rule) {
  return rule->network.length * 4 + (rule->network.port != 0) * 2 + (rule->kind == BIDE_RULE_DENY);
}

/* Returns the most specific rule that holds for an address; NULL if none does. */
static const Rule *find(const Rule *rules, const uint8_t bytes[16], int port) {
  const Rule *best = NULL;
  for (const Rule *rule = rules; rule != NULL; rule = rule->next)
    if ((rule->network.port == 0 || rule->network.port == port) && holds(&rule->network, bytes) &&
        (best == NULL || specificity(rule) > specificity(best)))
      best = rule;
  return best;
}

BidePolicy *bide_policy_create(bool is_closed) {
  BidePolicy *policy = calloc(1, sizeof *policy);
  if (policy == NULL)
    return NULL;
  policy->is_closed = is_closed;
  read_known(&policy->known);
  return policy;
}

static void free_rules(Rule *rule) {
  while (rule != NULL) {
    Rule *next = rule->next;
    free(rule);
    rule = next;
  }
}

void bide_policy_free(BidePolicy *policy) {
  if (policy == NULL)
    return;
  free_rules(policy->rules);
  free_rules(policy->closed);
  free(policy);
}

/* ---- addresses ---------------------------------------------------------- */

/* Returns the port, and writes the address; -1 if it is not one of a network. */
static int read_address(const struct sockaddr *address, uint8_t bytes[16]) {
  struct sockaddr_in ip4; /* copies, since the address need not be aligned */
  struct sockaddr_in6 ip6;
  switch (address->sa_family) {
    case AF_INET:
      memcpy(&ip4, address, sizeof ip4);
      map(bytes, (const uint8_t *)&ip4.sin_addr);
      return ntohs(ip4.sin_port);
    case AF_INET6:
      memcpy(&ip6, address, sizeof ip6);
      memcpy(bytes, &ip6.sin6_addr, 16);
      return ntohs(ip6.sin6_port);
    default: return -1;
  }
}

bool bide_policy_read(struct sockaddr_storage *address, const char *text, int port) {
  struct sockaddr_in ip4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
  bool is_ip4 = inet_pton(AF_INET, text, &ip4.sin_addr) == 1;
  size_t length = strcspn(text, "%");
  char plain[INET6_ADDRSTRLEN];
  memset(address, 0, sizeof *address);
  if (length >= sizeof plain)
    return false;
  snprintf(plain, sizeof plain, "%.*s", (int)length, text);
  if (!is_ip4 && inet_pton(AF_INET6, plain, &ip6.sin6_addr) != 1)
    return false;
  memcpy(address, is_ip4 ? (const void *)&ip4 : &ip6, is_ip4 ? sizeof ip4 : sizeof ip6);
  return true;
}

/* The last two 16-bit words before the IPv4 address of ISATAP, without the bit for "global". */
static bool is_isatap(const uint8_t bytes[16]) {
  return (bytes[8] & 0xfd) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
}

bool bide_policy_close(BidePolicy *policy, const struct sockaddr *address) {
  Network network = {.length = ALL_BITS};
  network.port = read_address(address, network.bytes);
  if (network.port < 0 || find(policy->closed, network.bytes, network.port) != NULL)
    return true;
  return add(&policy->closed, &network, BIDE_RULE_DENY);
}

/* ---- judgement ---------------------------------------------------------- */

/* Returns the place of the network that closes an address; CLOSED_NETWORKS if none does. */
static size_t find_closed(const Known *known, const uint8_t bytes[16]) {
  size_t i = 0;
  while (i < CLOSED_NETWORKS && !holds(&known->closed[i], bytes))
    i++;
  return i;
}

/* Reports whether a rule opens a network that is closed by itself. */
static bool opens(const Rule *rule, const Closed *closed, const Network *network) {
  if (rule == NULL)
    return false;
  if (closed->is_sealed)
    return rule->network.length >= network->length;
  return rule->network.length != 0 && rule->network.length != MAPPED_BITS;
}

static const char by_option[] = "--deny-net";

/* Returns why one form of an address is closed; NULL if it is open. */
static const char *closed_by(const BidePolicy *policy, const uint8_t bytes[16], int port) {
  const Rule *rule = find(policy->rules, bytes, port);
  size_t place;
  if (rule != NULL && rule->kind == BIDE_RULE_DENY)
    return by_option;
  if (find(policy->closed, bytes, port) != NULL)
    return rule != NULL && rule->network.length == ALL_BITS && rule->network.port != 0
             ? NULL
             : "the store";
  place = policy->is_closed ? find_closed(&policy->known, bytes) : CLOSED_NETWORKS;
  if (place == CLOSED_NETWORKS ||
      opens(rule, &closed_networks[place], &policy->known.closed[place]))
    return NULL;
  return closed_networks[place].name;
}

/* Reports whether an address is "::", "::1" or the like, which embeds none. */
static bool is_low(const uint8_t bytes[16]) {
  static const uint8_t zero[14];
  return memcmp(bytes, zero, sizeof zero) == 0;
}

static const char *closed_by_any_form(const BidePolicy *policy, const uint8_t bytes[16], int port) {
  const Known *known = &policy->known;
  const char *reason = closed_by(policy, bytes, port);
  for (size_t i = 0; i < UNSPECIFIED && reason == NULL; i++)
    if (holds(&known->unspecified[i], bytes))
      reason = closed_by(policy, known->machine[i].bytes, port);
  for (size_t i = 0; i < EMBEDDED && reason == NULL; i++) {
    uint8_t inner[4], mapped[16];
    if (!holds(&known->embedded[i], bytes) || is_low(bytes))
      continue;
    for (int k = 0; k < 4; k++)
      inner[k] = bytes[embedded[i].at + k] ^ embedded[i].mask;
    map(mapped, inner);
    reason = closed_by(policy, mapped, port);
  }
  if (reason == NULL && is_isatap(bytes)) {
    uint8_t mapped[16];
    map(mapped, bytes + 12);
    reason = closed_by(policy, mapped, port);
  }
  return reason;
}

static bool is_mapped(const uint8_t bytes[16]) {
  static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};
  return memcmp(bytes, prefix, sizeof prefix) == 0;
}

bool bide_policy_refuses(const BidePolicy *policy, const struct sockaddr *address,
                         char refusal[BIDE_REFUSAL_SIZE]) {
  char text[INET6_ADDRSTRLEN] = "";
  uint8_t bytes[16];
  int port = read_address(address, bytes);
  const char *reason = port < 0 ? NULL : closed_by_any_form(policy, bytes, port);
  bool is_ip4;
  if (reason == NULL)
    return false;
  is_ip4 = is_mapped(bytes);
  inet_ntop(is_ip4 ? AF_INET : AF_INET6, is_ip4 ? bytes + 12 : bytes, text, sizeof text);
  snprintf(refusal, BIDE_REFUSAL_SIZE, "may not connect to %s%s%s:%d: closed (%s)%s",
           is_ip4 ? "" : "[", text, is_ip4 ? "" : "]", port, reason,
           reason == by_option ? "" : "; see --allow-net of bide worker");
  return true;
}
