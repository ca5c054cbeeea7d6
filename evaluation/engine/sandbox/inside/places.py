"""Where runs happen in a container: directories that are emptied after each run. A project's tree
and a workshop for Java are places of their own kind."""

import os
import socket
from collections.abc import Callable
from typing import Any

from . import cleanup

WORK = "/work"
# The directory of a judge; the candidate in the same container does not see it.
JUDGE = "/judge"
SHARED = ("/tmp", "/dev/shm", "/dev/mqueue")

Answer = tuple[dict[str, Any], bytes]
Run = Callable[[dict[str, Any], list[bytes]], Answer]


class Unfit(Exception):
    """The sources that the tasks share cannot be used; the message is for staff."""


class Refused(Exception):
    """A run whose files cannot be written; the message says why."""


class Place:
    """`report_most`: characters of a report, as many as a program may print. `for_one_run`: the
    container ends after its run, with everything in it. `grows`: processes of ours take more memory
    from run to run."""

    work: str = WORK
    report_most = 8 * 2**20
    for_one_run = False
    grows = False

    def __init__(self, uids: "tuple[int, int]") -> None:
        self.uids = uids

    def receive(self, header: "dict[str, Any]", programs: "list[bytes]") -> "list[bytes]":
        """Takes the files of a run that the host sends after it. Returns its programs. Raises
        Refused."""
        return programs

    def channels(self, processes: int) -> "list[list[int]]":
        """Descriptors of each process of a run, in addition to its pipes."""
        if processes == 1:
            return [[]]
        return [[end.detach()] for end in socket.socketpair()]

    def answer(self, run: Run, header: "dict[str, Any]", programs: "list[bytes]") -> Answer:
        return run(header, programs)

    def empty(self, processes: int) -> None:
        """Removes what a run has left, after the end of its processes."""
        cleanup.remove_files(self.uids[0], (WORK, *SHARED))
        if processes == 2:
            cleanup.remove_files(self.uids[1], (JUDGE, *SHARED))

    @staticmethod
    def free_space() -> "list[tuple[int, int]]":
        """Free blocks and inodes in each directory that a run may write to."""
        return [(disk.f_bfree, disk.f_ffree) for disk in map(os.statvfs, (WORK, JUDGE, *SHARED))]
