/* The wall of files: Landlock, with the ABI of the running kernel, not that of the headers. */
#include "base/platform.h"

#ifdef BIDE_PLATFORM_LINUX

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/walls.h"

/* Constants that the headers of Debian 12 lack. */
#define ACCESS_REFER (UINT64_C(1) << 13)     /* ABI 2 */
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)  /* ABI 3; the wall of calls forbids it as well */
#define ACCESS_IOCTL_DEV (UINT64_C(1) << 15) /* ABI 5 */
#define SCOPE_ABSTRACT_UNIX_SOCKET (UINT64_C(1) << 0) /* ABI 6, like SCOPE_SIGNAL */
#define SCOPE_SIGNAL (UINT64_C(1) << 1)

#define ACCESS_OF_ABI_1 ((UINT64_C(1) << 13) - 1)

typedef struct Ruleset {
  uint64_t handled_access_fs;
  uint64_t handled_access_net; /* ABI 4; unrestricted, since recipes need the network */
  uint64_t scoped;
} Ruleset;

_Static_assert(sizeof(Ruleset) == 3 * sizeof(uint64_t) &&
                 offsetof(Ruleset, handled_access_fs) == 0 &&
                 offsetof(struct landlock_ruleset_attr, handled_access_fs) == 0,
               "the kernel's structure, as its headers and later ABIs have it");

/* Handles, and so forbids, every access that this ABI knows; rules then grant some. */
static Ruleset ruleset_of(long abi) {
  Ruleset ruleset = {.handled_access_fs = ACCESS_OF_ABI_1};
  if (abi >= 2)
    ruleset.handled_access_fs |= ACCESS_REFER;
  if (abi >= 3)
    ruleset.handled_access_fs |= ACCESS_TRUNCATE;
  if (abi >= 5)
    ruleset.handled_access_fs |= ACCESS_IOCTL_DEV;
  if (abi >= 6)
    ruleset.scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL;
  return ruleset;
}

/* Makes a ruleset. An older kernel accepts only a shorter structure. */
static int create_ruleset(void) {
  long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  Ruleset ruleset = ruleset_of(abi);
  size_t size = abi >= 6 ? sizeof ruleset : sizeof ruleset.handled_access_fs;
  return abi < 0 ? -1 : (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
}

/* Grants reading of a path. Ignores one that is missing or out of reach. */
static int grant(int ruleset, const char *path) {
  struct landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE};
  struct stat status;
  int why = 0;
  rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0)
    return 0;
  if (fstat(rule.parent_fd, &status) == 0 && S_ISDIR(status.st_mode))
    rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
  if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
    why = errno == EBADFD ? 0 : errno; /* a pipe, by /dev/fd, which rulesets do not restrict */
  close(rule.parent_fd);
  return why;
}

int bide_walls_files(const char *const *readable, size_t count) {
  int why = 0, ruleset = create_ruleset();
  if (ruleset < 0)
    return errno;
  for (size_t i = 0; i < count && why == 0; i++)
    why = grant(ruleset, readable[i]);
  if (why == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0)
    why = errno;
  close(ruleset);
  return why;
}

#endif
