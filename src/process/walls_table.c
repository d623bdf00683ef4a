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
#define MUSL BIDE_CALL_MUSL
#define BAR BIDE_CALL_BAR
#define HIDE BIDE_CALL_HIDE
#define NONE BIDE_CALL_NONE

/* clang-format off: a row is a line */
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
  /* signals to this process, as musl raises them */
  {"tkill", {200, 130}, MUSL},
  /* arguments in memory */
  {"clone3", {435, 435}, HIDE},
  {"openat2", {437, 437}, HIDE},
  /* programs */
  {"execve", {59, 221}, BAR},
  {"execveat", {322, 281}, BAR},
  {"fork", {57, NONE}, BAR},
  {"vfork", {58, NONE}, BAR},
  {"uselib", {134, NONE}, BAR},
  /* other processes */
  {"ptrace", {101, 117}, BAR},
  {"process_vm_readv", {310, 270}, BAR},
  {"process_vm_writev", {311, 271}, BAR},
  {"process_madvise", {440, 440}, BAR},
  {"process_mrelease", {448, 448}, BAR},
  {"pidfd_open", {434, 434}, BAR},
  {"pidfd_getfd", {438, 438}, BAR},
  {"pidfd_send_signal", {424, 424}, BAR},
  {"kcmp", {312, 272}, BAR},
  {"unshare", {272, 97}, BAR},
  {"setns", {308, 268}, BAR},
  {"setpgid", {109, 154}, BAR},
  {"setsid", {112, 157}, BAR},
  {"migrate_pages", {256, 238}, BAR},
  {"move_pages", {279, 239}, BAR},
  {"set_mempolicy_home_node", {450, 450}, BAR},
  /* priorities */
  {"setpriority", {141, 140}, BAR},
  {"sched_setscheduler", {144, 119}, BAR},
  {"sched_setparam", {142, 118}, BAR},
  {"sched_setattr", {314, 274}, BAR},
  {"sched_setaffinity", {203, 122}, BAR},
  {"sched_getscheduler", {145, 120}, BAR},
  {"sched_getparam", {143, 121}, BAR},
  {"sched_getattr", {315, 275}, BAR},
  {"sched_get_priority_max", {146, 125}, BAR},
  {"sched_get_priority_min", {147, 126}, BAR},
  {"sched_rr_get_interval", {148, 127}, BAR},
  {"ioprio_set", {251, 30}, BAR},
  {"ioprio_get", {252, 31}, BAR},
  {"mbind", {237, 235}, BAR},
  {"set_mempolicy", {238, 237}, BAR},
  {"get_mempolicy", {239, 236}, BAR},
  /* memory and messages of other processes */
  {"shmget", {29, 194}, BAR},
  {"shmat", {30, 196}, BAR},
  {"shmdt", {67, 197}, BAR},
  {"shmctl", {31, 195}, BAR},
  {"msgget", {68, 186}, BAR},
  {"msgsnd", {69, 189}, BAR},
  {"msgrcv", {70, 188}, BAR},
  {"msgctl", {71, 187}, BAR},
  {"semget", {64, 190}, BAR},
  {"semop", {65, 193}, BAR},
  {"semtimedop", {220, 192}, BAR},
  {"semctl", {66, 191}, BAR},
  {"mq_open", {240, 180}, BAR},
  {"mq_unlink", {241, 181}, BAR},
  {"mq_timedsend", {242, 182}, BAR},
  {"mq_timedreceive", {243, 183}, BAR},
  {"mq_notify", {244, 184}, BAR},
  {"mq_getsetattr", {245, 185}, BAR},
  /* memory that runs or is kept */
  {"memfd_create", {319, 279}, BAR},
  {"memfd_secret", {447, 447}, BAR},
  {"remap_file_pages", {216, 234}, BAR},
  {"pkey_mprotect", {329, 288}, BAR},
  {"pkey_alloc", {330, 289}, BAR},
  {"pkey_free", {331, 290}, BAR},
  {"mlock", {149, 228}, BAR},
  {"mlock2", {325, 284}, BAR},
  {"mlockall", {151, 230}, BAR},
  {"munlock", {150, 229}, BAR},
  {"munlockall", {152, 231}, BAR},
  {"msync", {26, 227}, BAR},
  {"personality", {135, 92}, BAR},
  {"modify_ldt", {154, NONE}, BAR},
  {"mseal", {462, 462}, BAR},
  {"map_shadow_stack", {453, 453}, BAR},
  {"userfaultfd", {323, 282}, BAR},
  /* sockets that others reach */
  {"listen", {50, 201}, BAR},
  /* rings */
  {"io_uring_setup", {425, 425}, BAR},
  {"io_uring_enter", {426, 426}, BAR},
  {"io_uring_register", {427, 427}, BAR},
  {"io_setup", {206, 0}, BAR},
  {"io_submit", {209, 2}, BAR},
  {"io_cancel", {210, 3}, BAR},
  {"io_getevents", {208, 4}, BAR},
  {"io_pgetevents", {333, 292}, BAR},
  {"io_destroy", {207, 1}, BAR},
  /* the kernel */
  {"bpf", {321, 280}, BAR},
  {"perf_event_open", {298, 241}, BAR},
  {"init_module", {175, 105}, BAR},
  {"finit_module", {313, 273}, BAR},
  {"delete_module", {176, 106}, BAR},
  {"create_module", {174, NONE}, BAR},
  {"query_module", {178, NONE}, BAR},
  {"get_kernel_syms", {177, NONE}, BAR},
  {"kexec_load", {246, 104}, BAR},
  {"kexec_file_load", {320, 294}, BAR},
  {"reboot", {169, 142}, BAR},
  {"swapon", {167, 224}, BAR},
  {"swapoff", {168, 225}, BAR},
  {"acct", {163, 89}, BAR},
  {"quotactl", {179, 60}, BAR},
  {"quotactl_fd", {443, 443}, BAR},
  {"nfsservctl", {180, 42}, BAR},
  {"vhangup", {153, 58}, BAR},
  {"iopl", {172, NONE}, BAR},
  {"ioperm", {173, NONE}, BAR},
  {"settimeofday", {164, 170}, BAR},
  {"clock_settime", {227, 112}, BAR},
  {"adjtimex", {159, 171}, BAR},
  {"clock_adjtime", {305, 266}, BAR},
  {"sethostname", {170, 161}, BAR},
  {"setdomainname", {171, 162}, BAR},
  {"syslog", {103, 116}, BAR},
  {"sysfs", {139, NONE}, BAR},
  {"_sysctl", {156, NONE}, BAR},
  {"ustat", {136, NONE}, BAR},
  {"lookup_dcookie", {212, 18}, BAR},
  {"seccomp", {317, 277}, BAR},
  {"landlock_create_ruleset", {444, 444}, BAR},
  {"landlock_add_rule", {445, 445}, BAR},
  {"landlock_restrict_self", {446, 446}, BAR},
  {"lsm_get_self_attr", {459, 459}, BAR},
  {"lsm_set_self_attr", {460, 460}, BAR},
  {"lsm_list_modules", {461, 461}, BAR},
  {"fanotify_init", {300, 262}, BAR},
  {"fanotify_mark", {301, 263}, BAR},
  {"inotify_init", {253, NONE}, BAR},
  {"inotify_init1", {294, 26}, BAR},
  {"inotify_add_watch", {254, 27}, BAR},
  {"inotify_rm_watch", {255, 28}, BAR},
  {"signalfd", {282, NONE}, BAR},
  {"signalfd4", {289, 74}, BAR},
  {"afs_syscall", {183, NONE}, BAR},
  {"getpmsg", {181, NONE}, BAR},
  {"putpmsg", {182, NONE}, BAR},
  {"security", {185, NONE}, BAR},
  {"tuxcall", {184, NONE}, BAR},
  {"vserver", {236, NONE}, BAR},
  {"epoll_ctl_old", {214, NONE}, BAR},
  {"epoll_wait_old", {215, NONE}, BAR},
  {"set_thread_area", {205, NONE}, BAR},
  {"get_thread_area", {211, NONE}, BAR},
  /* keys */
  {"keyctl", {250, 219}, BAR},
  {"add_key", {248, 217}, BAR},
  {"request_key", {249, 218}, BAR},
  /* mounts */
  {"mount", {165, 40}, BAR},
  {"umount2", {166, 39}, BAR},
  {"move_mount", {429, 429}, BAR},
  {"open_tree", {428, 428}, BAR},
  {"open_tree_attr", {467, 467}, BAR},
  {"fsopen", {430, 430}, BAR},
  {"fsconfig", {431, 431}, BAR},
  {"fsmount", {432, 432}, BAR},
  {"fspick", {433, 433}, BAR},
  {"mount_setattr", {442, 442}, BAR},
  {"pivot_root", {155, 41}, BAR},
  {"chroot", {161, 51}, BAR},
  {"statmount", {457, 457}, BAR},
  {"listmount", {458, 458}, BAR},
  /* users and privileges */
  {"setuid", {105, 146}, BAR},
  {"setgid", {106, 144}, BAR},
  {"setreuid", {113, 145}, BAR},
  {"setregid", {114, 143}, BAR},
  {"setresuid", {117, 147}, BAR},
  {"setresgid", {119, 149}, BAR},
  {"setfsuid", {122, 151}, BAR},
  {"setfsgid", {123, 152}, BAR},
  {"setgroups", {116, 159}, BAR},
  {"capset", {126, 91}, BAR},
  {"umask", {95, 166}, BAR},
  /* files by handle */
  {"name_to_handle_at", {303, 264}, BAR},
  {"open_by_handle_at", {304, 265}, BAR},
  /* changes of files */
  {"creat", {85, NONE}, BAR},
  {"truncate", {76, 45}, BAR},
  {"fallocate", {285, 47}, BAR},
  {"mknod", {133, NONE}, BAR},
  {"mknodat", {259, 33}, BAR},
  {"mkdir", {83, NONE}, BAR},
  {"mkdirat", {258, 34}, BAR},
  {"rmdir", {84, NONE}, BAR},
  {"unlink", {87, NONE}, BAR},
  {"unlinkat", {263, 35}, BAR},
  {"rename", {82, NONE}, BAR},
  {"renameat", {264, 38}, BAR},
  {"renameat2", {316, 276}, BAR},
  {"link", {86, NONE}, BAR},
  {"linkat", {265, 37}, BAR},
  {"symlink", {88, NONE}, BAR},
  {"symlinkat", {266, 36}, BAR},
  {"chmod", {90, NONE}, BAR},
  {"fchmod", {91, 52}, BAR},
  {"fchmodat", {268, 53}, BAR},
  {"fchmodat2", {452, 452}, BAR},
  {"chown", {92, NONE}, BAR},
  {"fchown", {93, 55}, BAR},
  {"lchown", {94, NONE}, BAR},
  {"fchownat", {260, 54}, BAR},
  {"utime", {132, NONE}, BAR},
  {"utimes", {235, NONE}, BAR},
  {"futimesat", {261, NONE}, BAR},
  {"utimensat", {280, 88}, BAR},
  {"setxattr", {188, 5}, BAR},
  {"lsetxattr", {189, 6}, BAR},
  {"fsetxattr", {190, 7}, BAR},
  {"setxattrat", {463, 463}, BAR},
  {"removexattr", {197, 14}, BAR},
  {"lremovexattr", {198, 15}, BAR},
  {"fremovexattr", {199, 16}, BAR},
  {"removexattrat", {466, 466}, BAR},
  {"file_setattr", {469, 469}, BAR},
  {"copy_file_range", {326, 285}, BAR},
  {"splice", {275, 76}, BAR},
  {"tee", {276, 77}, BAR},
  {"vmsplice", {278, 75}, BAR},
  {"sync", {162, 81}, BAR},
  {"syncfs", {306, 267}, BAR},
  {"sync_file_range", {277, 84}, BAR},
  /* other knowledge of files */
  {"getxattr", {191, 8}, BAR},
  {"lgetxattr", {192, 9}, BAR},
  {"fgetxattr", {193, 10}, BAR},
  {"getxattrat", {464, 464}, BAR},
  {"listxattr", {194, 11}, BAR},
  {"llistxattr", {195, 12}, BAR},
  {"flistxattr", {196, 13}, BAR},
  {"listxattrat", {465, 465}, BAR},
  {"file_getattr", {468, 468}, BAR},
  {"cachestat", {451, 451}, BAR},
  {"getdents", {78, NONE}, BAR},
  {"chdir", {80, 49}, BAR},
  {"fchdir", {81, 50}, BAR},
  {"readahead", {187, 213}, BAR},
  {"fadvise64", {221, 223}, BAR},
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

#define COMMAND(name, value) \
  { \
    name, { \
      { 1, WHOLE, value } \
    } \
  }
#define SOCKET(domain, type, protocol) \
  { \
    "socket", { \
      {0, WHOLE, domain}, {1, TYPE_OF_SOCKET, type}, { \
        2, WHOLE, protocol \
      } \
    } \
  }

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
  {"tkill", {{0, WHOLE, SELF}}},
  {"tgkill", {{0, WHOLE, SELF}}},
  {"rt_sigqueueinfo", {{0, WHOLE, SELF}}},
  {"rt_tgsigqueueinfo", {{0, WHOLE, SELF}}},
  {"prlimit64", {{0, WHOLE, 0}}}, /* 0 is this process */
};
/* clang-format on */

const size_t bide_walls_arguments_length = LENGTH(bide_walls_arguments);

#endif
