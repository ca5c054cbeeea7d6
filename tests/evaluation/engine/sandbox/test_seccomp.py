"""Tests of the seccomp profile: the engine accepts it, and it allows only the calls that it
should."""

import json
from typing import Any

import pytest

from evaluation.engine.sandbox import seccomp

NAMES = """
io_uring_setup io_uring_enter io_uring_register ptrace process_vm_readv process_vm_writev
process_madvise pidfd_getfd kcmp shmget shmat shmctl shmdt semget semop semctl semtimedop msgget
msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr
add_key request_key keyctl bpf perf_event_open userfaultfd mount umount2 umount pivot_root
move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr unshare setns chroot
init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff
clock_settime clock_adjtime settimeofday adjtimex stime iopl ioperm modify_ldt acct quotactl
syslog vhangup sethostname setdomainname name_to_handle_at open_by_handle_at lookup_dcookie
nfsservctl fanotify_init fanotify_mark move_pages migrate_pages vm86 socketcall ipc
"""


@pytest.fixture
def profile() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(seccomp.profile())
    return found


def allowed(profile: dict[str, Any]) -> list[dict[str, Any]]:
    return [rule for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW"]


def test_what_is_not_listed_is_refused(profile: dict[str, Any]) -> None:
    assert (profile["defaultAction"], profile["defaultErrnoRet"]) == ("SCMP_ACT_ERRNO", 1)


def test_no_dangerous_call_is_allowed(profile: dict[str, Any]) -> None:
    assert {name for rule in allowed(profile) for name in rule["names"]}.isdisjoint(NAMES.split())


def test_a_call_with_two_faces_is_allowed_only_with_its_condition(profile: dict[str, Any]) -> None:
    rules = [rule for rule in allowed(profile) if not rule.get("args")]
    plain = {name for rule in rules for name in rule["names"]}
    assert plain.isdisjoint({"socket", "socketpair", "clone", "personality"})


def test_sockets_are_local(profile: dict[str, Any]) -> None:
    rules = [rule for rule in allowed(profile) if "socket" in rule["names"]]
    assert [rule["args"] for rule in rules] == [[{"index": 0, "value": 1, "op": "SCMP_CMP_EQ"}]]


def test_each_namespace_flag_is_masked(profile: dict[str, Any]) -> None:
    (rule,) = [rule for rule in allowed(profile) if "clone" in rule["names"]]
    (condition,) = rule["args"]
    assert (condition["op"], condition["valueTwo"]) == ("SCMP_CMP_MASKED_EQ", 0)
    assert condition["value"] & 0x7E020080 == 0x7E020080


def test_clone3_says_that_it_does_not_exist(profile: dict[str, Any]) -> None:
    (rule,) = [rule for rule in profile["syscalls"] if "clone3" in rule["names"]]
    assert (rule["action"], rule["errnoRet"]) == ("SCMP_ACT_ERRNO", 38)


def test_no_call_is_listed_in_two_rules_without_conditions(profile: dict[str, Any]) -> None:
    plain = [name for rule in profile["syscalls"] if "args" not in rule for name in rule["names"]]
    assert len(plain) == len(set(plain))


def test_in_projects_sockets_of_the_internets_families_are_added_and_no_others() -> None:
    plain, wider = (json.loads(seccomp.profile(loopback=more)) for more in (False, True))
    added = [rule for rule in wider["syscalls"] if rule not in plain["syscalls"]]
    assert [rule["names"] for rule in added] == [["socket"], ["socket"]]
    assert [rule["args"][0]["value"] for rule in added] == [2, 10]
    assert [rule for rule in plain["syscalls"] if rule not in wider["syscalls"]] == []
