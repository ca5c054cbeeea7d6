"""The system calls that a sandbox may make: an allow list; all other calls are refused.

Refused calls fail with EPERM. clone3 fails with ENOSYS: its flags lie in memory where a filter
can't look, and the C library falls back to clone. Sockets are AF_UNIX only; in projects, whose
tests start servers, also AF_INET and AF_INET6, where the only network is the loopback. Calls of
another architecture than the host's own kill the caller. No call makes an executable file outside
any directory (memfd_create) or runs a file by its descriptor (execveat)."""

import json
from typing import Any

_FILES = """
access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat
faccessat2 fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync
fgetxattr flistxattr flock fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64
getxattr ioctl lchown lgetxattr link linkat listxattr llistxattr lseek lstat mkdir mkdirat
newfstatat open openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read
readahead readlink readlinkat readv rename renameat renameat2 rmdir sendfile splice stat statfs
statx symlink symlinkat sync sync_file_range syncfs tee truncate umask unlink unlinkat utime
utimensat utimes vmsplice write writev inotify_add_watch inotify_init inotify_init1
inotify_rm_watch mknod mknodat fsetxattr setxattr lsetxattr removexattr
fremovexattr lremovexattr
"""
_MEMORY = """
brk madvise mincore mlock mlock2 mlockall mmap mprotect mremap msync munlock munlockall munmap
membarrier pkey_alloc pkey_free pkey_mprotect get_mempolicy set_mempolicy mbind map_shadow_stack
"""
_PROCESSES = """
arch_prctl capget capset execve exit exit_group fork futex futex_waitv get_robust_list
get_thread_area getcpu getegid geteuid getgid getgroups getpgid getpgrp getpid getppid
getpriority getrandom getresgid getresuid getrlimit getrusage getsid gettid getuid kill
pidfd_open pidfd_send_signal prctl prlimit64 restart_syscall rseq sched_get_priority_max
sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler
sched_yield set_robust_list set_thread_area set_tid_address setfsgid setfsuid setgid setgroups
setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setuid sysinfo tgkill
times tkill uname vfork wait4 waitid landlock_create_ruleset landlock_add_rule
landlock_restrict_self seccomp
"""
_SIGNALS_AND_TIME = """
alarm clock_getres clock_gettime clock_nanosleep eventfd eventfd2 getitimer gettimeofday
nanosleep pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo setitimer sigaltstack signalfd signalfd4 time
timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
timerfd_gettime timerfd_settime epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait
epoll_pwait2 epoll_wait epoll_wait_old poll ppoll pselect6 select
"""
_LOCAL_SOCKETS = """
accept accept4 bind connect getpeername getsockname getsockopt listen recv recvfrom recvmmsg
recvmsg send sendmmsg sendmsg sendto setsockopt shutdown
"""
_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME
_NEW_NAMESPACES = 0x7E020000 | 0x80
_ENOSYS = 38
_EPERM = 1


def _allow(names: list[str], **conditions: Any) -> dict[str, Any]:
    return {"names": names, "action": "SCMP_ACT_ALLOW", **conditions}


def _equal(index: int, value: int) -> list[dict[str, Any]]:
    return [{"index": index, "value": value, "op": "SCMP_CMP_EQ"}]


def profile(*, loopback: bool = False) -> str:
    """JSON as Docker accepts it (`seccomp=`). `loopback` allows AF_INET and AF_INET6 sockets."""
    inet = [_AF_INET, _AF_INET6] if loopback else []
    groups = (_FILES, _MEMORY, _PROCESSES, _SIGNALS_AND_TIME, _LOCAL_SOCKETS)
    no_namespaces = [
        {"index": 0, "value": _NEW_NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    ]
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ERRNO",
            "defaultErrnoRet": _EPERM,
            "archMap": [
                {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []},
                {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": []},
            ],
            "syscalls": [
                _allow(sorted({name for group in groups for name in group.split()})),
                _allow(["socket", "socketpair"], args=_equal(0, _AF_UNIX)),
                *(_allow(["socket"], args=_equal(0, family)) for family in inet),
                _allow(["clone"], args=no_namespaces),
                # 0: PER_LINUX, 0xffffffff: read the current one
                _allow(["personality"], args=_equal(0, 0)),
                _allow(["personality"], args=_equal(0, 0xFFFFFFFF)),
                {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": _ENOSYS},
            ],
        }
    )
