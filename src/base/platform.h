/*
** Operations that differ between systems: platform_linux.c implements them for Linux,
** platform_posix.c for other systems. -DBIDE_PLATFORM_POSIX selects the latter on Linux too, to
** test it. A file about a single feature of the kernel has both implementations, separated by one
** #ifdef of BIDE_PLATFORM_LINUX. Names that only one system has may occur only in these files;
** lint checks it.
*/
#ifndef BIDE_BASE_PLATFORM_H
#define BIDE_BASE_PLATFORM_H

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/export.h"

#if defined(__linux__) && !defined(BIDE_PLATFORM_POSIX)
#define BIDE_PLATFORM_LINUX
#endif

#ifdef BIDE_PLATFORM_LINUX
/* All numbers of signals are below it. */
#define BIDE_SIGNALS NSIG

/* Commands of fcntl. On Linux locks belong to an open file: two opens in a process conflict. */
#define BIDE_SET_LOCK F_OFD_SETLK
#define BIDE_GET_LOCK F_OFD_GETLK

/* The folder that lists the descriptors of this process. */
#define BIDE_DESCRIPTORS "/proc/self/fd"
#else
#define BIDE_SIGNALS 32       /* enough for all signals that POSIX names */
#define BIDE_SET_LOCK F_SETLK /* locks belong to a process and exclude only others */
#define BIDE_GET_LOCK F_GETLK
#define BIDE_DESCRIPTORS "/dev/fd"
#endif

/*
** Finds the file of the running program, whose argv[0] is `name`. The folder must be the one in
** which it was started. Returns false if that fails.
*/
bool bide_platform_program(const char *name, char path[PATH_MAX]);

/* Call socket(2) and pipe(2) and make the descriptors close-on-exec. */
BIDE_API int bide_platform_socket(int family, int type, int protocol);
int bide_platform_pipe(int ends[2]);

struct sockaddr;

/*
** Reports whether a program of this machine listens at an address of it, as the kernel would find
** one for a connection from there, without connecting. Returns 1, or 0, or -1 if the system does
** not say. A kernel that was built without the diagnosis of sockets never finds one.
*/
int bide_platform_listens(const struct sockaddr *address);

/*
** Close all descriptors from `first` on, or make them close-on-exec. Return false if the system has
** no call for that.
*/
bool bide_platform_close_from(int first);
bool bide_platform_seal_from(int first);

/*
** Gives the calling thread descriptors of its own: those of the process below `first`. Returns
** false, and the thread shares all of them, if the system has no call for that.
*/
bool bide_platform_leave_descriptors(int first);

/*
** Has the kernel kill this process when the thread that started it ends. Does nothing on other
** systems, where the child of a killed parent continues.
*/
void bide_platform_die_with_parent(void);

/*
** Returns a descriptor, close-on-exec, that can be read from once the process has ended, whether
** its parent has collected it or not. On failure it returns -1 and sets errno: ESRCH if the process
** does not exist, ENOSYS if the system has no call for that.
*/
int bide_platform_open_process(pid_t process);

/* Names this process in lists of processes, by up to 15 bytes. Does nothing on other systems. */
void bide_platform_name_process(const char *name);

/*
** Returns the number of addresses at which getaddrinfo ends its list without a word: musl has such
** a limit. SIZE_MAX where the list is whole.
*/
size_t bide_platform_most_addresses(void);

/* Lets the pages of memory be there now, where that can be: at its first use, each takes longer. */
void bide_platform_populate(void *memory, size_t size);

#endif
