#include "base/platform.h"

#ifdef BIDE_PLATFORM_LINUX

#include <fcntl.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "process/walls_table.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41 /* musl has no name for it */
#endif

#define LENGTH(list) (sizeof(list) / sizeof *(list))

#define LET BIDE_CALL_LET
#define ASK BIDE_CALL_ASK
#define HIDE BIDE_CALL_HIDE
#define NONE BIDE_CALL_NONE

/* A row is a line. */
/* clang-format off */
const int bide_walls_last_own[] = {336, 294}; /* uprobe, kexec_file_load */

const BideSystemCall bide_walls_table[] = {
  /* descriptors that are open */
  {"read", {0, 63}, LET},
  {"write", {1, 64}, LET},
  {"readv", {19, 65}, LET},
  {"writev", {20, 66}, LET},
  {"pread64", {17, 67}, LET},
  {"pwrite64", {18, 68}, LET},
  {"preadv", {295, 69}, LET},
  {"pwritev", {296, 70}, LET},
  {"preadv2", {327, 286}, LET},
  {"pwritev2", {328, 287}, LET},
  {"lseek", {8, 62}, LET},
  {"close", {3, 57}, LET},
  {"close_range", {436, 436}, LET},
  {"dup", {32, 23}, LET},
  {"dup2", {33, NONE}, LET},
  {"dup3", {292, 24}, LET},
  {"pipe", {22, NONE}, LET},
  {"pipe2", {293, 59}, LET},
  {"fstat", {5, 80}, LET},
  {"fstatfs", {138, 44}, LET},
  {"flock", {73, 32}, LET},
  {"fsync", {74, 82}, LET},
  {"fdatasync", {75, 83}, LET},
  {"ftruncate", {77, 46}, LET},
  {"getdents64", {217, 61}, LET},
  {"sendfile", {40, 71}, LET},
  /* waiting */
  {"poll", {7, NONE}, LET},
  {"ppoll", {271, 73}, LET},
  {"select", {23, NONE}, LET},
  {"pselect6", {270, 72}, LET},
  {"epoll_create", {213, NONE}, LET},
  {"epoll_create1", {291, 20}, LET},
  {"epoll_ctl", {233, 21}, LET},
  {"epoll_wait", {232, NONE}, LET},
  {"epoll_pwait", {281, 22}, LET},
  {"epoll_pwait2", {441, 441}, LET},
  {"eventfd", {284, NONE}, LET},
  {"eventfd2", {290, 19}, LET},
  {"timerfd_create", {283, 85}, LET},
  {"timerfd_settime", {286, 86}, LET},
  {"timerfd_gettime", {287, 87}, LET},
  /* sockets */
  {"connect", {42, 203}, LET},
  {"bind", {49, 200}, LET},
  {"accept", {43, 202}, LET}, /* of a socket that began to listen before: a worker's metrics */
  {"accept4", {288, 242}, LET},
  {"getsockname", {51, 204}, LET},
  {"getpeername", {52, 205}, LET},
  {"setsockopt", {54, 208}, LET},
  {"getsockopt", {55, 209}, LET},
  {"shutdown", {48, 210}, LET},
  {"sendto", {44, 206}, LET},
  {"recvfrom", {45, 207}, LET},
  {"sendmsg", {46, 211}, LET},
  {"recvmsg", {47, 212}, LET},
  {"sendmmsg", {307, 269}, LET},
  {"recvmmsg", {299, 243}, LET},
  /* names of files, to read them */
  {"stat", {4, NONE}, LET},
  {"lstat", {6, NONE}, LET},
  {"newfstatat", {262, 79}, LET},
  {"statx", {332, 291}, LET},
  {"statfs", {137, 43}, LET},
  {"access", {21, NONE}, LET},
  {"faccessat", {269, 48}, LET},
  {"faccessat2", {439, 439}, LET},
  {"readlink", {89, NONE}, LET},
  {"readlinkat", {267, 78}, LET},
  {"getcwd", {79, 17}, LET},
  /* memory */
  {"brk", {12, 214}, LET},
  {"munmap", {11, 215}, LET},
  {"mremap", {25, 216}, LET},
  {"madvise", {28, 233}, LET},
  {"mincore", {27, 232}, LET},
  {"membarrier", {324, 283}, LET},
  /* threads */
  {"futex", {202, 98}, LET},
  {"set_robust_list", {273, 99}, LET},
  {"get_robust_list", {274, 100}, LET},
  {"set_tid_address", {218, 96}, LET},
  {"rseq", {334, 293}, LET},
  {"exit", {60, 93}, LET},
  {"exit_group", {231, 94}, LET},
  {"gettid", {186, 178}, LET},
  {"sched_yield", {24, 124}, LET},
  {"sched_getaffinity", {204, 123}, LET},
  {"arch_prctl", {158, NONE}, LET},
  {"restart_syscall", {219, 128}, LET},
  /* signals to this process */
  {"rt_sigaction", {13, 134}, LET},
  {"rt_sigprocmask", {14, 135}, LET},
  {"rt_sigpending", {127, 136}, LET},
  {"rt_sigreturn", {15, 139}, LET},
  {"rt_sigsuspend", {130, 133}, LET},
  {"rt_sigtimedwait", {128, 137}, LET},
  {"sigaltstack", {131, 132}, LET},
  {"pause", {34, NONE}, LET},
  /* time */
  {"clock_gettime", {228, 113}, LET},
  {"clock_getres", {229, 114}, LET},
  {"clock_nanosleep", {230, 115}, LET},
  {"nanosleep", {35, 101}, LET},
  {"gettimeofday", {96, 169}, LET},
  {"time", {201, NONE}, LET},
  {"times", {100, 153}, LET},
  {"getitimer", {36, 102}, LET},
  {"setitimer", {38, 103}, LET},
  {"alarm", {37, NONE}, LET},
  {"timer_create", {222, 107}, LET},
  {"timer_settime", {223, 110}, LET},
  {"timer_gettime", {224, 108}, LET},
  {"timer_getoverrun", {225, 109}, LET},
  {"timer_delete", {226, 111}, LET},
  {"getrusage", {98, 165}, LET},
  /* this process */
  {"getpid", {39, 172}, LET},
  {"getppid", {110, 173}, LET},
  {"getuid", {102, 174}, LET},
  {"geteuid", {107, 175}, LET},
  {"getgid", {104, 176}, LET},
  {"getegid", {108, 177}, LET},
  {"getgroups", {115, 158}, LET},
  {"getpgrp", {111, NONE}, LET},
  {"getpgid", {121, 155}, LET},
  {"getsid", {124, 156}, LET},
  {"getresuid", {118, 148}, LET},
  {"getresgid", {120, 150}, LET},
  {"getrlimit", {97, 163}, LET},
  {"setrlimit", {160, 164}, LET},
  {"getpriority", {140, 141}, LET},
  {"uname", {63, 160}, LET},
  {"sysinfo", {99, 179}, LET},
  {"getrandom", {318, 278}, LET},
  {"getcpu", {309, 168}, LET},
  {"capget", {125, 90}, LET},
  {"wait4", {61, 260}, LET},
  {"waitid", {247, 95}, LET},
  /* arguments */
  {"open", {2, NONE}, ASK},
  {"openat", {257, 56}, ASK},
  {"socket", {41, 198}, ASK},
  {"socketpair", {53, 199}, ASK},
  {"ioctl", {16, 29}, ASK},
  {"fcntl", {72, 25}, ASK},
  {"prctl", {157, 167}, ASK},
  {"clone", {56, 220}, ASK},
  {"mmap", {9, 222}, ASK},
  {"mprotect", {10, 226}, ASK},
  {"kill", {62, 129}, ASK},
  {"tgkill", {234, 131}, ASK},
  {"rt_sigqueueinfo", {129, 138}, ASK},
  {"rt_tgsigqueueinfo", {297, 240}, ASK},
  {"prlimit64", {302, 261}, ASK},
#ifndef __GLIBC__
  {"tkill", {200, 130}, ASK}, /* for abort() of musl */
#endif
  /* arguments in memory */
  {"clone3", {435, 435}, HIDE},
  {"openat2", {437, 437}, HIDE},
  /* newer ways to wait, which libraries do without */
  {"futex_waitv", {449, 449}, HIDE},
  {"futex_wake", {454, 454}, HIDE},
  {"futex_wait", {455, 455}, HIDE},
  {"futex_requeue", {456, 456}, HIDE},
};

const size_t bide_walls_table_length = LENGTH(bide_walls_table);

#define WHOLE UINT32_MAX /* for an argument that the kernel reads as an int */
#define TYPE_OF_SOCKET 0xF
#define SELF BIDE_CALL_SELF

/* A file may be opened to read it. O_PATH would pass by Landlock. */
#define HOW_OPENED (O_ACCMODE | O_CREAT | O_TRUNC | O_PATH)

/* A thread of this process, without namespaces of its own. */
#define KIND_OF_CLONE \
  (CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK | CLONE_PARENT | CLONE_PTRACE | \
   CLONE_PIDFD | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
   CLONE_NEWPID | CLONE_NEWNET)
#define THREAD (CLONE_VM | CLONE_SIGHAND | CLONE_THREAD)

/* What a mapping is of. One that runs is private, of a file, and never written to. */
#define KIND_OF_MAPPING (MAP_TYPE | MAP_ANONYMOUS)

#define COMMAND(name, value) {name, {{1, WHOLE, value}}}
#define SOCKET(domain, type, protocol) \
  {"socket", {{0, WHOLE, domain}, {1, TYPE_OF_SOCKET, type}, {2, WHOLE, protocol}}}

const BideSystemCallArguments bide_walls_arguments[] = {
  {"open", {{1, HOW_OPENED, O_RDONLY}}},
  {"openat", {{2, HOW_OPENED, O_RDONLY}}},
  SOCKET(AF_INET, SOCK_STREAM, 0),
  SOCKET(AF_INET, SOCK_STREAM, IPPROTO_TCP),
  SOCKET(AF_INET, SOCK_DGRAM, 0),
  SOCKET(AF_INET, SOCK_DGRAM, IPPROTO_UDP),
  SOCKET(AF_INET6, SOCK_STREAM, 0),
  SOCKET(AF_INET6, SOCK_STREAM, IPPROTO_TCP),
  SOCKET(AF_INET6, SOCK_DGRAM, 0),
  SOCKET(AF_INET6, SOCK_DGRAM, IPPROTO_UDP),
  /* Datagram sockets of a pair could send, and be connected, to a socket of any path. */
  {"socketpair", {{0, WHOLE, AF_UNIX}, {1, TYPE_OF_SOCKET, SOCK_STREAM}}},
  COMMAND("ioctl", TCGETS),
  COMMAND("ioctl", TIOCGWINSZ),
  COMMAND("ioctl", TIOCGPGRP),
  COMMAND("ioctl", FIONBIO),
  COMMAND("ioctl", FIONREAD),
  COMMAND("ioctl", FIOCLEX),
  COMMAND("ioctl", FIONCLEX),
  COMMAND("ioctl", SIOCGIFINDEX), /* fe80::1%eth0 */
  COMMAND("fcntl", F_DUPFD),
  COMMAND("fcntl", F_DUPFD_CLOEXEC),
  COMMAND("fcntl", F_GETFD),
  COMMAND("fcntl", F_SETFD),
  COMMAND("fcntl", F_GETFL),
  COMMAND("fcntl", F_SETFL),
  COMMAND("fcntl", F_GETLK),
  COMMAND("fcntl", F_SETLK),
  COMMAND("fcntl", F_SETLKW),
  {"prctl", {{0, WHOLE, PR_SET_NAME}}},
  {"prctl", {{0, WHOLE, PR_GET_NAME}}},
  {"prctl", {{0, WHOLE, PR_GET_NO_NEW_PRIVS}}},
  {"prctl", {{0, WHOLE, PR_GET_DUMPABLE}}},
  {"prctl", {{0, WHOLE, PR_SET_VMA}}}, /* names of mappings, by allocators */
  {"clone", {{0, KIND_OF_CLONE, THREAD}}},
  {"mmap", {{2, PROT_EXEC, 0}}},
  {"mmap", {{2, PROT_EXEC | PROT_WRITE, PROT_EXEC}, {3, KIND_OF_MAPPING, MAP_PRIVATE}}},
  {"mprotect", {{2, PROT_EXEC, 0}}},
  {"kill", {{0, WHOLE, SELF}}},
#ifndef __GLIBC__
  {"tkill", {{0, WHOLE, SELF}}},
#endif
  {"tgkill", {{0, WHOLE, SELF}}},
  {"rt_sigqueueinfo", {{0, WHOLE, SELF}}},
  {"rt_tgsigqueueinfo", {{0, WHOLE, SELF}}},
  {"prlimit64", {{0, WHOLE, 0}}}, /* 0 is this process */
};
/* clang-format on */

const size_t bide_walls_arguments_length = LENGTH(bide_walls_arguments);

#endif
