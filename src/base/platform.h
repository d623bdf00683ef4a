/*
** What systems do in different ways. platform_linux.c has the way of Linux, platform_posix.c
** that of other systems; -DBIDE_PLATFORM_POSIX takes the second one on Linux as well, to test
** it. Files about one thing of the kernel's have both ways themselves, behind one #ifdef of
** BIDE_PLATFORM_LINUX. Names that only one system has stand in these files alone: lint checks it.
*/
#ifndef BIDE_BASE_PLATFORM_H
#define BIDE_BASE_PLATFORM_H

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/export.h"

#if defined(__linux__) && !defined(BIDE_PLATFORM_POSIX)
#define BIDE_PLATFORM_LINUX
#endif

#ifdef BIDE_PLATFORM_LINUX
/* Signals have numbers below it. */
#define BIDE_SIGNALS NSIG

/* Commands of fcntl for locks that belong to an open file: two opens of one process exclude each other. */
#define BIDE_SET_LOCK F_OFD_SETLK
#define BIDE_GET_LOCK F_OFD_GETLK

/* The folder of this process's descriptors. */
#define BIDE_DESCRIPTORS "/proc/self/fd"
#else
#define BIDE_SIGNALS 32 /* all that POSIX gives a name */
#define BIDE_SET_LOCK F_SETLK /* of a process: only other processes are excluded */
#define BIDE_GET_LOCK F_GETLK
#define BIDE_DESCRIPTORS "/dev/fd"
#endif

/* The first place of `sought` in `bytes`, in linear time; NULL where it is missing. An empty text is at the begin. */
const char *bide_platform_find(const char *bytes, size_t length, const char *sought, size_t sought_length);

/* The file of the running program, which was started as argv[0] = `name`; false when it cannot be told. */
bool bide_platform_program(const char *name, char path[PATH_MAX]);

/* socket(2) and pipe(2), whose descriptors are close-on-exec. */
BIDE_API int bide_platform_socket(int family, int type, int protocol);
int bide_platform_pipe(int ends[2]);

/* Closes, or makes close-on-exec, all descriptors from `first` on; false where the system has no call for it. */
bool bide_platform_close_from(int first);
bool bide_platform_seal_from(int first);

/*
** Has the kernel kill this process with the thread that started it. Other systems have
** no such thing: there a parent that is killed leaves its child behind.
*/
void bide_platform_die_with_parent(void);

/* What a list of processes calls this one; 15 bytes. Elsewhere it keeps the program's name. */
void bide_platform_name_process(const char *name);

#endif
