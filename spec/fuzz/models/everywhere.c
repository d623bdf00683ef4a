/*
** A library to preload, under which every name and every address is this machine: each name gets an
** address of its own in 127.0.0.0/8, by which a server knows where a connection was meant to go. The
** ports 80 and 443 are those of $PORT_80 and $PORT_443. A line of $LOOKUPS is a name with its address.
*/
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

typedef int Resolve(const char *, const char *, const struct addrinfo *, struct addrinfo **);
typedef int Connect(int, const struct sockaddr *, socklen_t);

static void note(const char *name, const char *address) {
  char line[4096];
  int file = open(getenv("LOOKUPS"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  int length = snprintf(line, sizeof line, "%s %s\n", name, address);
  if (file < 0 || length < 0 || (size_t)length >= sizeof line ||
      write(file, line, (size_t)length) != length)
    abort();
  close(file);
}

/* An address in 127.1.0.0 to 127.250.255.255 for a name, whatever its case. */
static void address_of(const char *name, char address[INET_ADDRSTRLEN]) {
  uint32_t hash = 2166136261u;
  size_t i;
  for (i = 0; name[i] != '\0'; i++) {
    unsigned char letter = (unsigned char)name[i];
    if (letter >= 'A' && letter <= 'Z')
      letter = (unsigned char)(letter + 32);
    if (letter == '.' && name[i + 1] == '\0')
      break;
    hash = (hash ^ letter) * 16777619u;
  }
  snprintf(address, INET_ADDRSTRLEN, "127.%u.%u.%u", 1 + (hash >> 16) % 250, (hash >> 8) & 255,
           hash & 255);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **result) {
  struct in_addr four;
  struct in6_addr six;
  struct addrinfo numeric = {0};
  char address[INET_ADDRSTRLEN] = "127.0.0.1";
  Resolve *resolve;
  *(void **)&resolve = dlsym(RTLD_NEXT, "getaddrinfo");
  if (name == NULL || inet_pton(AF_INET, name, &four) == 1 || inet_pton(AF_INET6, name, &six) == 1)
    return resolve(name, service, hints, result);
  if (hints != NULL && (hints->ai_flags & AI_NUMERICHOST) != 0)
    return resolve(name, service, hints, result);
  if (strcasecmp(name, "localhost") != 0)
    address_of(name, address);
  note(name, address);
  numeric.ai_socktype = SOCK_STREAM;
  numeric.ai_flags = AI_NUMERICHOST;
  return resolve(address, service, &numeric, result);
}

static uint16_t port_of(uint16_t port) {
  const char *mapped = ntohs(port) == 80    ? getenv("PORT_80")
                       : ntohs(port) == 443 ? getenv("PORT_443")
                                            : NULL;
  return mapped == NULL ? port : htons((uint16_t)atoi(mapped));
}

/* A connection to an address elsewhere goes to one of this machine, which is noted as a name is. */
int connect(int socket, const struct sockaddr *to, socklen_t length) {
  struct sockaddr_in moved;
  Connect *real;
  *(void **)&real = dlsym(RTLD_NEXT, "connect");
  if (to->sa_family == AF_INET6) {
    errno = ENETUNREACH;
    return -1;
  }
  if (to->sa_family != AF_INET)
    return real(socket, to, length);
  memcpy(&moved, to, sizeof moved);
  if (ntohl(moved.sin_addr.s_addr) >> 24 != 127) {
    char name[INET_ADDRSTRLEN], address[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &moved.sin_addr, name, sizeof name);
    address_of(name, address);
    note(name, address);
    inet_pton(AF_INET, address, &moved.sin_addr);
  }
  moved.sin_port = port_of(moved.sin_port);
  return real(socket, (struct sockaddr *)&moved, sizeof moved);
}
