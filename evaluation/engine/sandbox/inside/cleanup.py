"""Cleans up after a run: ends all processes of its user and removes their files.

The supervisor has no capability over other users' files, so it becomes that user for the time of
the work. Only the effective and the file system user change; the real and the saved one stay root,
so that the user's processes cannot signal it."""

import os
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PATIENCE_SECONDS = 5.0
MOST_ENTRIES = 200_000


class Irregular(Exception):
    """The container can no longer be trusted, for example because a file or process of the run
    could not be removed; the host must replace it."""


@contextmanager
def acting_as(uid: int, umask: "int | None" = None) -> Iterator[None]:
    before = None if umask is None else os.umask(umask)
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        if before is not None:
            os.umask(before)


def end_processes(uids: "tuple[int, ...]", ours: "set[str]") -> None:
    """Kills all processes of these users and waits until init has reaped them. Raises Irregular
    after PATIENCE_SECONDS."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        # The signal comes before each look: a process that forks and exits in a loop may be missing
        # from every list. After the signal nothing forks, so the list is complete.
        for uid in uids:
            # To all processes of the user at once, so that no fork escapes. The real user is one
            # without processes: root's signal would also reach root's processes, and the user's own
            # would let its processes stop this one.
            os.setresuid(uid + 2, uid, 0)
            try:
                os.kill(-1, signal.SIGKILL)
            except ProcessLookupError:
                pass
            finally:
                os.setresuid(0, 0, 0)
        if not any_left(uids, ours):
            return
        if time.monotonic() > deadline:
            raise Irregular("processes that do not end")
        time.sleep(0.0005)


def _others(ours: "set[str]") -> "set[str]":
    return {name for name in os.listdir("/proc") if name.isdigit()} - ours


def any_left(uids: "tuple[int, ...]", ours: "set[str]") -> bool:
    """Whether a process of these users, except ours, is listed."""
    for pid in _others(ours):
        # A process that has given up root is not dumpable: its folder in /proc belongs to root, and
        # only its status names its user.
        with suppress(FileNotFoundError, ProcessLookupError):
            with open(f"/proc/{pid}/status", "rb") as status:
                users = [line.split()[1] for line in status if line.startswith(b"Uid:")]
            if any(int(user) in uids for user in users):
                return True
    return False


def any_at_work(ours: "set[str]") -> bool:
    """Whether a thread of another process runs, could run, or waits for a disk."""
    for pid in _others(ours):
        with suppress(FileNotFoundError, ProcessLookupError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/stat", "rb") as stat_file:
                    # The state follows the name, which may hold any character.
                    if stat_file.read().rpartition(b") ")[2][:1] in (b"R", b"D"):
                        return True
    return False


def waits() -> "dict[str, float]":
    """Seconds that each thread in the container has waited for a processor since it began, by its
    folder in /proc. Empty if the kernel does not count them."""
    seconds = {}
    for pid in _others(set()):
        with suppress(FileNotFoundError, ProcessLookupError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                place = f"/proc/{pid}/task/{thread}"
                with open(f"{place}/schedstat", "rb") as schedstat:
                    seconds[place] = int(schedstat.read().split()[1]) / 1e9
    return seconds


def remove_files(uid: int, places: "tuple[str, ...]") -> None:
    """Removes the user's files from these directories. Raises Irregular."""
    with acting_as(uid):
        for place in places:
            is_owner = os.stat(place).st_uid == uid
            if is_owner:
                _unmark(place)
            names = []
            for name in os.listdir(place):
                with suppress(FileNotFoundError):
                    if is_owner or os.lstat(f"{place}/{name}").st_uid == uid:
                        names.append(name)
            if names:
                _remove(place, names)
                if is_owner:
                    _unmark(place)
    for place in places:
        # A file that a run made here and removed changed the directory's time.
        if os.stat(place).st_uid == 0:
            os.utime(place, (0, 0))


def _unmark(place: str) -> None:
    """Resets mode, attributes and times of a directory that stays: a run could store data in
    them."""
    for name in os.listxattr(place):
        os.removexattr(place, name)
    os.chmod(place, 0o700)
    os.utime(place, (0, 0))


def _remove(place: str, names: "list[str]") -> None:
    """Depth first, without recursion: the tree may be deeper than the longest path."""
    removed = 0
    root = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    stack = [(root, "", names)]
    try:
        while stack:
            parent, folder, left = stack[-1]
            if left:
                removed += 1
                if removed > MOST_ENTRIES:
                    raise Irregular("too many files left behind")
                name = left.pop()
                if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
                    os.unlink(name, dir_fd=parent)
                    continue
                os.chmod(name, 0o700, dir_fd=parent)
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
                below = os.open(name, flags, dir_fd=parent)
                stack.append((below, name, os.listdir(below)))
                continue
            stack.pop()
            os.close(parent)
            if stack:
                os.rmdir(folder, dir_fd=stack[-1][0])
    except OSError as error:
        raise Irregular(f"files that cannot be removed: {error.strerror}") from None
    finally:
        for fd, _, _ in stack:
            os.close(fd)
