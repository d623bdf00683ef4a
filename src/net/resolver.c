#include "net/resolver.h"

#include <netdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/platform.h"
#include "net/policy.h"
#include "process/descriptors.h"

/* Bytes for the stack of a thread: getaddrinfo needs a part of it, and 64 of them fit any limit. */
#define STACK ((size_t)512 * 1024)

/* The descriptors that getaddrinfo may need at a time. */
#define DESCRIPTORS 3

/* What is asked: a name that one thread resolves for one or several lookups. */
typedef struct Question {
  struct Question *next;     /* in the resolver's list of questions under way */
  struct Question *answered; /* in the mailbox */
  struct Mailbox *mailbox;
  BideLookup *lookups; /* empty once all of them were given up; only the loop's thread reads it */
  bool is_under_way;   /* until the loop has seen the answer */
  int family;
  BideAddresses addresses;
  char name[]; /* ends with a NUL */
} Question;

/* What the loop and the threads share. The last of its owners frees it. */
typedef struct Mailbox {
  pthread_mutex_t lock;
  uv_async_t *wake;   /* NULL once the resolver is destroyed */
  Question *answered; /* questions that the loop has not seen yet */
  size_t owners;      /* the resolver and the running threads */
} Mailbox;

struct BideResolver {
  BideLoop *loop;
  uv_async_t *wake; /* freed in its close callback */
  Mailbox *mailbox;
  Question *questions; /* under way */
};

struct BideLookup {
  BideResolver *resolver;
  Question *question;
  BideLookup *next; /* of the same question */
  void (*done)(void *context);
  void *context;
};

/* ---- addresses ---------------------------------------------------------- */

typedef struct Failure {
  int code;
  const char *name;
} Failure;

static const Failure failures[] = {
  {EAI_NONAME, "EAI_NONAME"},         {EAI_AGAIN, "EAI_AGAIN"},   {EAI_FAIL, "EAI_FAIL"},
  {EAI_FAMILY, "EAI_FAMILY"},         {EAI_MEMORY, "EAI_MEMORY"}, {EAI_SERVICE, "EAI_SERVICE"},
  {EAI_SYSTEM, "EAI_SYSTEM"},
#ifdef EAI_NODATA
  {EAI_NODATA, "EAI_NODATA"},
#endif
#ifdef EAI_ADDRFAMILY
  {EAI_ADDRFAMILY, "EAI_ADDRFAMILY"},
#endif
};

static const char *name_of_failure(int code) {
  for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
    if (failures[i].code == code)
      return failures[i].name;
  return "EAI_FAIL";
}

/* Reports whether the last address is among those before it: /etc/hosts may have it twice. */
static bool is_repeated(const BideAddresses *addresses) {
  for (size_t i = 0; i < addresses->count; i++)
    if (strcmp(addresses->texts[i], addresses->texts[addresses->count]) == 0)
      return true;
  return false;
}

static void add_address(BideAddresses *addresses, const struct addrinfo *found) {
  char *text = addresses->texts[addresses->count];
  if (getnameinfo(found->ai_addr, found->ai_addrlen, text, BIDE_ADDRESS_SIZE, NULL, 0,
                  NI_NUMERICHOST) == 0 &&
      !is_repeated(addresses))
    addresses->count++;
}

static void keep_addresses(BideAddresses *addresses, const struct addrinfo *list) {
  size_t count = 0;
  for (const struct addrinfo *found = list; found != NULL; found = found->ai_next)
    count++;
  addresses->may_be_cut = count >= bide_platform_most_addresses();
  addresses->texts = malloc((count + 1) * sizeof *addresses->texts);
  if (addresses->texts == NULL) {
    addresses->failure = "EAI_MEMORY";
    return;
  }
  for (const struct addrinfo *found = list; found != NULL; found = found->ai_next)
    add_address(addresses, found);
  if (addresses->count == 0)
    addresses->failure = "EAI_NONAME";
}

static void ask(BideAddresses *addresses, const char *name, int family) {
  struct addrinfo hints, *list = NULL;
  int code;
  memset(&hints, 0, sizeof hints);
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  memset(addresses, 0, sizeof *addresses);
  code = getaddrinfo(name, NULL, &hints, &list);
  if (code == 0)
    keep_addresses(addresses, list);
  else
    addresses->failure = name_of_failure(code);
  if (list != NULL)
    freeaddrinfo(list);
}

int bide_resolver_family_of(const char *host) {
  struct sockaddr_storage address;
  return bide_policy_read(&address, host, 0) ? address.ss_family : AF_UNSPEC;
}

/* ---- threads ------------------------------------------------------------ */

static void free_question(Question *question) {
  free(question->addresses.texts);
  free(question);
}

/* Leaves the mailbox, whose lock is held. */
static void leave(Mailbox *mailbox) {
  bool is_last = --mailbox->owners == 0;
  pthread_mutex_unlock(&mailbox->lock);
  if (!is_last)
    return;
  pthread_mutex_destroy(&mailbox->lock);
  free(mailbox);
}

/* Hands the answer to the loop, if there still is one. */
static void deliver(Question *question) {
  Mailbox *mailbox = question->mailbox;
  pthread_mutex_lock(&mailbox->lock);
  if (mailbox->wake != NULL) {
    question->answered = mailbox->answered;
    mailbox->answered = question;
    uv_async_send(mailbox->wake);
  } else {
    free_question(question);
  }
  leave(mailbox);
}

/*
** Resolves a name. Without descriptors getaddrinfo reads neither /etc/hosts nor the name servers'
** addresses, and reports that the name does not exist.
*/
static void *resolve(void *context) {
  Question *question = context;
  const char *lack = bide_descriptors_lack(DESCRIPTORS);
  if (lack == NULL) {
    ask(&question->addresses, question->name, question->family);
    if (question->addresses.failure != NULL)
      lack = bide_descriptors_lack(DESCRIPTORS);
  }
  if (lack != NULL)
    question->addresses.failure = lack;
  deliver(question);
  return NULL;
}

static bool start_thread(Question *question) {
  Mailbox *mailbox = question->mailbox;
  pthread_mutex_lock(&mailbox->lock);
  mailbox->owners++;
  pthread_mutex_unlock(&mailbox->lock);
  if (bide_signals_start_thread(resolve, question, STACK))
    return true;
  pthread_mutex_lock(&mailbox->lock);
  leave(mailbox);
  return false;
}

/* ---- questions ---------------------------------------------------------- */

static Question *find_question(const BideResolver *resolver, const char *name, int family) {
  Question *question = resolver->questions;
  while (question != NULL && (question->family != family || strcmp(question->name, name) != 0))
    question = question->next;
  return question;
}

/* Counts the questions that a lookup waits for. */
static size_t count_wanted(const BideResolver *resolver) {
  size_t count = 0;
  for (const Question *question = resolver->questions; question != NULL; question = question->next)
    count += question->lookups != NULL;
  return count;
}

static Question *create_question(BideResolver *resolver, const char *name, int family) {
  size_t size = strlen(name) + 1;
  Question *question = calloc(1, sizeof *question + size);
  if (question == NULL)
    return NULL;
  question->mailbox = resolver->mailbox;
  question->family = family;
  question->is_under_way = true;
  memcpy(question->name, name, size);
  return question;
}

static Question *begin_question(BideResolver *resolver, const char *name, int family,
                                const char **failure) {
  Question *question;
  *failure = "lookups";
  if (count_wanted(resolver) >= BIDE_RESOLVER_NAMES)
    return NULL;
  *failure = "EAI_MEMORY";
  question = create_question(resolver, name, family);
  if (question == NULL)
    return NULL;
  *failure = "threads";
  if (!start_thread(question)) {
    free_question(question);
    return NULL;
  }
  question->next = resolver->questions;
  resolver->questions = question;
  return question;
}

static void remove_question(BideResolver *resolver, const Question *removed) {
  Question **link = &resolver->questions;
  while (*link != removed)
    link = &(*link)->next;
  *link = removed->next;
}

/* Ends the lookups of an answered question, which is kept until the last of them is freed. */
static void answer(BideResolver *resolver, Question *question) {
  remove_question(resolver, question);
  question->is_under_way = false;
  if (question->lookups == NULL) {
    free_question(question);
    return;
  }
  for (BideLookup *lookup = question->lookups; lookup != NULL; lookup = lookup->next) {
    bide_loop_release(resolver->loop);
    lookup->done(lookup->context);
  }
}

static Question *take_answered(Mailbox *mailbox) {
  Question *answered;
  pthread_mutex_lock(&mailbox->lock);
  answered = mailbox->answered;
  mailbox->answered = NULL;
  pthread_mutex_unlock(&mailbox->lock);
  return answered;
}

static void on_wake(uv_async_t *wake) {
  BideResolver *resolver = wake->data;
  Question *question = take_answered(resolver->mailbox);
  while (question != NULL) {
    Question *next = question->answered;
    answer(resolver, question);
    question = next;
  }
}

/* ---- lookups ------------------------------------------------------------ */

BideLookup *bide_resolver_start(BideResolver *resolver, const char *name, int family,
                                void (*done)(void *context), void *context, const char **failure) {
  BideLookup *lookup = calloc(1, sizeof *lookup);
  *failure = "EAI_MEMORY";
  if (lookup == NULL)
    return NULL;
  lookup->question = find_question(resolver, name, family);
  if (lookup->question == NULL)
    lookup->question = begin_question(resolver, name, family, failure);
  if (lookup->question == NULL) {
    free(lookup);
    return NULL;
  }
  lookup->resolver = resolver;
  lookup->done = done;
  lookup->context = context;
  lookup->next = lookup->question->lookups;
  lookup->question->lookups = lookup;
  bide_loop_hold(resolver->loop);
  return lookup;
}

const BideAddresses *bide_lookup_addresses(const BideLookup *lookup) {
  return lookup->question->is_under_way ? NULL : &lookup->question->addresses;
}

void bide_lookup_free(BideLookup *lookup) {
  Question *question = lookup->question;
  BideLookup **link = &question->lookups;
  while (*link != lookup)
    link = &(*link)->next;
  *link = lookup->next;
  if (question->is_under_way)
    bide_loop_release(lookup->resolver->loop);
  else if (question->lookups == NULL)
    free_question(question);
  free(lookup);
}

/* ---- resolvers ---------------------------------------------------------- */

static void free_handle(uv_handle_t *handle) {
  free(handle);
}

static Mailbox *create_mailbox(uv_async_t *wake) {
  Mailbox *mailbox = calloc(1, sizeof *mailbox);
  if (mailbox == NULL)
    return NULL;
  if (pthread_mutex_init(&mailbox->lock, NULL) != 0) {
    free(mailbox);
    return NULL;
  }
  mailbox->wake = wake;
  mailbox->owners = 1;
  return mailbox;
}

static void free_parts(BideResolver *resolver, uv_async_t *wake, Mailbox *mailbox) {
  if (mailbox != NULL)
    pthread_mutex_destroy(&mailbox->lock);
  free(mailbox);
  free(wake);
  free(resolver);
}

BideResolver *bide_resolver_create(BideLoop *loop) {
  BideResolver *resolver = calloc(1, sizeof *resolver);
  uv_async_t *wake = malloc(sizeof *wake);
  Mailbox *mailbox = create_mailbox(wake);
  if (resolver == NULL || wake == NULL || mailbox == NULL ||
      uv_async_init(bide_loop_uv(loop), wake, on_wake) != 0) {
    free_parts(resolver, wake, mailbox);
    return NULL;
  }
  uv_unref((uv_handle_t *)wake);
  wake->data = resolver;
  resolver->loop = loop;
  resolver->wake = wake;
  resolver->mailbox = mailbox;
  return resolver;
}

/* The questions under way belong to their threads from here on, which find no loop any more. */
void bide_resolver_destroy(BideResolver *resolver) {
  Mailbox *mailbox = resolver->mailbox;
  Question *answered = take_answered(mailbox);
  while (answered != NULL) {
    Question *next = answered->answered;
    free_question(answered);
    answered = next;
  }
  pthread_mutex_lock(&mailbox->lock);
  mailbox->wake = NULL;
  leave(mailbox);
  uv_close((uv_handle_t *)resolver->wake, free_handle);
  free(resolver);
}
