/*
** Preloaded into bide by the allocation sweep: counts the allocations of one kind of
** callers and fails some of them. Callers are told apart by the module that their
** return address lies in, so bide itself has no part in this.
**
**   SWEEP_REPORT=FILE  a file of REPORT_SIZE bytes, which gets what happened; without it, or in a
**                      program that is not called bide, nothing is counted and nothing fails
**   SWEEP_OF=own       what bide, Lua and SQLite allocate; libraries: libcurl, libuv and luv;
**                      crypto: libcrypto and libssl
**   SWEEP_AT=N         the N-th of them fails, from 1; 0 for none
**   SWEEP_MODE=once    that one alone; twice: the next one as well, since Lua collects its garbage and
**                      tries again; on: that one and all after it
*/
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REPORT_SIZE 8192
#define TEXT_SIZE ((REPORT_SIZE - 16) / 2)
#define MOST_FRAMES 24
#define MOST_MODULES 128

/* What the driver reads once the process has ended, however it did. */
typedef struct Report {
  _Atomic uint64_t counted;
  _Atomic uint64_t failed;
  char failed_at[TEXT_SIZE];  /* the stack of the first allocation that failed */
  char crashed_at[TEXT_SIZE]; /* the name of the signal, and the stack */
} Report;

typedef enum Kind { OTHERS, OWN, LIBRARIES, CRYPTO } Kind;

typedef struct Module {
  uintptr_t begin, end;
  Kind kind;
} Module;

static Report *report;
static Kind wanted;
static uint64_t at;
static uint64_t until; /* the last that fails */
static Module modules[MOST_MODULES];
static _Atomic int module_count;
/* What this file itself allocates is not counted. A sanitizer intercepts the other model's function. */
static _Thread_local __attribute__((tls_model("initial-exec"))) bool inside;

static void *(*next_malloc)(size_t size);
static void *(*next_calloc)(size_t count, size_t size);
static void *(*next_realloc)(void *block, size_t size);
static void (*next_free)(void *block);

/* ---- before the real functions are known: what dlsym and a sanitizer's start allocate ---- */

static _Alignas(16) char early[1 << 16];
static size_t early_used;

static bool is_early(const void *block) {
  return (const char *)block >= early && (const char *)block < early + sizeof early;
}

static void *allocate_early(size_t size) {
  void *block = early + early_used;
  early_used += (size + 15) & ~(size_t)15;
  return early_used <= sizeof early ? block : NULL;
}

static void find_next(void) {
  *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
  *(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
  *(void **)&next_free = dlsym(RTLD_NEXT, "free");
}

/* ---- whose allocation it is ------------------------------------------------------------- */

static Kind kind_of_name(const char *path) {
  static const struct {
    const char *part;
    Kind kind;
  } names[] = {
    {"/core.so", OWN},        {"/transfer.so", OWN},
    {"/sqlite.so", OWN},      {"/digest.so", OWN},
    {"/liblua5.4.so", OWN},   {"/libsqlite3.so", OWN},
    {"/secure.so", OWN},      {"/libcurl.so", LIBRARIES},
    {"/libuv.so", LIBRARIES}, {"/liblua5.4-luv.so", LIBRARIES},
    {"/luv.so", LIBRARIES},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr(path, names[i].part) != NULL)
      return names[i].kind;
  return path[0] == '\0' ? OWN : OTHERS; /* the program itself has no name here */
}

static bool is_known(uintptr_t address) {
  for (int i = 0; i < module_count; i++)
    if (address >= modules[i].begin && address < modules[i].end)
      return true;
  return false;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size;
  (void)unused;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    int place = module_count;
    if (info->dlpi_phdr[i].p_type != PT_LOAD || (info->dlpi_phdr[i].p_flags & PF_X) == 0 ||
        is_known(begin) || place == MOST_MODULES)
      continue;
    modules[place] = (Module){begin, begin + info->dlpi_phdr[i].p_memsz,
                              kind_of_name(info->dlpi_name)};
    module_count = place + 1;
  }
  return 0;
}

/*
** What bide hands to libcurl and libcrypto as their allocator is called by them alone; those
** functions have their names.
*/
static Kind kind_of_own(const void *caller) {
  Dl_info info;
  if (dladdr(caller, &info) == 0 || info.dli_sname == NULL)
    return OWN;
  if (strncmp(info.dli_sname, "bide_crypto_memory_", 19) == 0)
    return CRYPTO;
  return strncmp(info.dli_sname, "bide_http_memory_", 17) == 0 ? LIBRARIES : OWN;
}

static Kind kind_of_caller(const void *caller) {
  uintptr_t address = (uintptr_t)caller;
  if (!is_known(address))
    dl_iterate_phdr(add_module, NULL);
  for (int i = 0; i < module_count; i++)
    if (address >= modules[i].begin && address < modules[i].end)
      return modules[i].kind == OWN ? kind_of_own(caller) : modules[i].kind;
  return OTHERS;
}

/* ---- stacks ----------------------------------------------------------------------------- */

static size_t write_frame(char *text, size_t room, void *frame) {
  Dl_info info;
  const char *name;
  if (dladdr(frame, &info) == 0 || info.dli_fname == NULL)
    return 0;
  name = strrchr(info.dli_fname, '/');
  return (size_t)snprintf(text, room, "%s+0x%lx %s\n", name != NULL ? name + 1 : info.dli_fname,
                          (unsigned long)((uintptr_t)frame - (uintptr_t)info.dli_fbase),
                          info.dli_sname != NULL ? info.dli_sname : "?");
}

/* The innermost frame first; those of this file are left out by `skipped`. */
static void write_stack(char *text, size_t size, int skipped) {
  void *frames[MOST_FRAMES];
  int count = backtrace(frames, MOST_FRAMES);
  size_t length = 0;
  for (int i = skipped; i < count && length + 256 < size; i++)
    length += write_frame(text + length, size - length, frames[i]);
}

static void on_crash(int number) {
  inside = true;
  snprintf(report->crashed_at, TEXT_SIZE, "%s\n", strsignal(number));
  write_stack(report->crashed_at + strlen(report->crashed_at), TEXT_SIZE - 64, 2);
  signal(number, SIG_DFL);
  raise(number);
}

/* A sanitizer has handlers of its own. */
static void watch_crashes(void) {
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction action;
    if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
      signal(numbers[i], on_crash);
  }
}

/* ---- the beginning ---------------------------------------------------------------------- */

static bool is_bide(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  const char *name;
  if (length <= 0)
    return false;
  path[length] = '\0';
  name = strrchr(path, '/');
  return name != NULL && strcmp(name, "/bide") == 0;
}

static Report *map_report(const char *file) {
  int descriptor = open(file, O_RDWR | O_CLOEXEC);
  void *mapped;
  if (descriptor < 0)
    return NULL;
  mapped = mmap(NULL, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  return mapped == MAP_FAILED ? NULL : mapped;
}

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value != NULL ? value : "";
}

__attribute__((constructor)) static void begin(void) {
  void *frame;
  if (!is_bide())
    return;
  inside = true;
  backtrace(&frame, 1); /* loads what it needs */
  wanted = strcmp(variable("SWEEP_OF"), "libraries") == 0 ? LIBRARIES
           : strcmp(variable("SWEEP_OF"), "crypto") == 0  ? CRYPTO
                                                          : OWN;
  at = strtoull(variable("SWEEP_AT"), NULL, 10);
  until = at + (strcmp(variable("SWEEP_MODE"), "twice") == 0);
  if (strcmp(variable("SWEEP_MODE"), "on") == 0)
    until = UINT64_MAX;
  report = map_report(variable("SWEEP_REPORT"));
  if (report != NULL)
    watch_crashes();
  inside = false;
}

/* ---- the allocations -------------------------------------------------------------------- */

static bool fails(const void *caller) {
  uint64_t number;
  bool failing;
  if (report == NULL || inside)
    return false;
  inside = true;
  failing = kind_of_caller(caller) == wanted;
  if (failing) {
    number = ++report->counted;
    failing = at != 0 && number >= at && number <= until;
  }
  if (failing && report->failed++ == 0)
    write_stack(report->failed_at, TEXT_SIZE, 3);
  if (failing)
    errno = ENOMEM;
  inside = false;
  return failing;
}

void *malloc(size_t size) {
  if (next_malloc == NULL && !inside) {
    inside = true;
    find_next();
    inside = false;
  }
  if (next_malloc == NULL)
    return allocate_early(size);
  return fails(__builtin_return_address(0)) ? NULL : next_malloc(size);
}

void *calloc(size_t count, size_t size) {
  if (next_calloc == NULL)
    return allocate_early(count * size);
  return fails(__builtin_return_address(0)) ? NULL : next_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  if (is_early(block) || next_realloc == NULL) {
    void *moved = malloc(size);
    if (moved != NULL && block != NULL)
      memcpy(moved, block, size); /* as much as it may have been; it lies within `early` */
    return moved;
  }
  return fails(__builtin_return_address(0)) ? NULL : next_realloc(block, size);
}

void free(void *block) {
  if (block != NULL && !is_early(block) && next_free != NULL)
    next_free(block);
}
