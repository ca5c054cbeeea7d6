"""Tests that what a run leaves behind is removed before the next one begins.

The tests remove trees outside of a container too, but end processes only in a container, where a
signal to all processes of a user reaches no others."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.engine.errors import SandboxGone
from evaluation.engine.records import Execution, Limits, Outcome
from evaluation.engine.sandbox.inside import cleanup
from evaluation.engine.sandbox.session import Session

LIMITS = Limits(cpu_seconds=2.0)
PLACES = ("/work", "/tmp", "/dev/shm", "/dev/mqueue")
LOOK = f"""
import os
found = {{p: sorted(os.listdir(p)) for p in {PLACES}}}
found["/work"].remove("program.py")
assert not any(found.values()), found
assert os.stat("/work").st_mode & 0o7777 == 0o700
pids = [p for p in os.listdir("/proc") if p.isdigit()]
assert len(pids) == 4, [open(f"/proc/{{p}}/cmdline").read() for p in pids]
"""


def script(program: str) -> Execution:
    return Execution("script", {"program": program}, LIMITS)


def ended(outcome: Outcome) -> bool:
    return (outcome.report or {}).get("ended") is True


@pytest.fixture(scope="module")
def session(image: str) -> Iterator[Session]:
    with Session(image, LIMITS) as opened:
        yield opened


def deep(folder: Path, levels: int) -> None:
    """A tree that is deeper than any path can name."""
    fd = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d" * 200, dir_fd=fd)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)


def test_a_tree_of_any_depth_goes_and_no_descriptor_is_left_open(tmp_path: Path) -> None:
    before = sorted(Path("/proc/self/fd").iterdir())
    place = tmp_path / "place"
    place.mkdir()
    deep(place, 60)
    cleanup._remove(str(place), [path.name for path in place.iterdir()])
    assert list(place.iterdir()) == []
    assert sorted(Path("/proc/self/fd").iterdir()) == before


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    place, kept = tmp_path / "place", tmp_path / "kept"
    place.mkdir()
    kept.mkdir()
    (kept / "file").write_text("kept")
    (place / "folder").symlink_to(kept)
    (place / "nowhere").symlink_to("/nowhere")
    cleanup._remove(str(place), ["folder", "nowhere"])
    assert (kept / "file").read_text() == "kept"
    assert list(place.iterdir()) == []


def test_forbidden_folders_and_special_files_go(tmp_path: Path) -> None:
    folder = tmp_path / "place" / "shut"
    folder.mkdir(parents=True)
    (folder / "file").touch()
    os.mkfifo(folder / "fifo")
    folder.chmod(0)
    cleanup._remove(str(tmp_path / "place"), ["shut"])
    assert list((tmp_path / "place").iterdir()) == []


def test_more_entries_than_the_bound_are_unclean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleanup, "MOST_ENTRIES", 3)
    for number in range(5):
        (tmp_path / str(number)).touch()
    with pytest.raises(cleanup.Irregular, match="too many"):
        cleanup._remove(str(tmp_path), [path.name for path in tmp_path.iterdir()])


LEFT = {
    "files in every place": f"""
import os
for place in {PLACES}:
    open(place + "/x", "w").close()
    if place != "/dev/mqueue":
        os.makedirs(place + "/a/b/c")
        os.symlink("/work", place + "/a/link")
        os.chmod(place + "/a", 0)
os.chmod("/work", 0)
""",
    "hidden names and odd bytes": r"""
import os
for name in (b".hidden", b"\xff\xfe", b"a\nb", b"-rf", b"x" * 255):
    open(b"/tmp/" + name, "w").close()
    open(b"/work/" + name, "w").close()
""",
    "a daemon": """
import os, time, signal
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(1, 32):
            if number not in (9, 19):
                signal.signal(number, signal.SIG_IGN)
        while True:
            open("/tmp/again", "w").close()
    os._exit(0)
""",
    "forkers": """
import os
for _ in range(3):
    if os.fork() == 0:
        while True:
            try:
                if os.fork():
                    os._exit(0)
            except OSError:
                pass
""",
    "stopped processes": """
import os, signal
for _ in range(5):
    if os.fork() == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
""",
    "a bound socket and a busy child": """
import os, socket
socket.socket(socket.AF_UNIX).bind("/tmp/socket")
if os.fork() == 0:
    while True: os.sched_yield()
""",
}


@pytest.mark.docker
@pytest.mark.parametrize("left", LEFT.values(), ids=LEFT.keys())
def test_the_next_run_finds_nothing(session: Session, left: str) -> None:
    assert ended(session.run(script(left)))
    looked = session.run(script(LOOK))
    assert ended(looked), looked


# Each process of the chain makes only two system calls, so few lists of processes contain it.
HOPS = """
import ctypes, os
libc = ctypes.CDLL(None)
if os.fork() == 0:
    os.setsid()
    while True:
        if libc.fork() > 0:
            libc._exit(0)
"""


@pytest.mark.docker
def test_who_is_a_new_process_all_the_time_is_gone_too(session: Session) -> None:
    for _ in range(75):
        session.run(script(HOPS))
        looked = session.run(script(LOOK))
        assert ended(looked), looked


STOPS_ITS_KILLER = """
import os, signal
if os.fork() == 0:
    os.setsid()
    while True:
        try:
            os.kill(-1, signal.SIGSTOP)
        except OSError:
            pass
"""


@pytest.mark.docker
def test_who_stops_all_that_it_may_signal_does_not_stop_the_clean_up(image: str) -> None:
    with Session(image, LIMITS) as opened:
        hostile = Execution("script", {"program": STOPS_ITS_KILLER}, Limits(cpu_seconds=0.03))
        assert len(list(opened.run_all([hostile] * 25))) == 25
        assert ended(opened.run(script("pass")))


@pytest.mark.docker
def test_memory_that_the_kernel_keeps_replaces_the_container(image: str) -> None:
    # It remembers that these names do not exist.
    names = "import os\nfor n in range(60_000): os.path.exists(f'/usr/{n:0200}')"
    with Session(image, LIMITS) as opened:
        assert ended(opened.run(script("kept = bytearray(100 * 2**20)")))
        with pytest.raises(SandboxGone, match="memory that is not freed") as gone:
            opened.run(script(names))
    assert gone.value.how == "irregular"


MARKS = {
    "times of the folder": ("os.utime('/work', (4e9, 5e9))", "os.stat('/work').st_atime < 4e9"),
    "attributes": (
        "import struct\n"
        "acl = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *e) for e in"
        " [(1, 7, 0xffffffff), (2, 7, 12345), (4, 0, 0xffffffff), (16, 7, 0xffffffff),"
        " (32, 0, 0xffffffff)])\n"
        "try: os.setxattr('/work', 'system.posix_acl_default', acl)\n"
        "except OSError: pass",
        "os.listxattr('/work') == []",
    ),
}


@pytest.mark.docker
@pytest.mark.parametrize(("mark", "unmarked"), MARKS.values(), ids=MARKS.keys())
def test_the_work_folder_itself_carries_no_mark(session: Session, mark: str, unmarked: str) -> None:
    assert ended(session.run(script(f"import os\n{mark}")))
    looked = session.run(script(f"import os\nassert {unmarked}"))
    assert ended(looked), looked


@pytest.mark.parametrize(
    ("program", "at_work"),
    [
        ("while True: pass", True),
        (
            "import threading, time\n"
            "threading.Thread(target=lambda: sum(1 for _ in iter(int, 1))).start()\n"
            "time.sleep(60)",
            True,
        ),
        ("import time; time.sleep(60)", False),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", False),
    ],
)
def test_a_process_that_could_run_is_at_work(program: str, at_work: bool) -> None:
    with subprocess.Popen([sys.executable, "-c", program]) as process:

        def seen() -> bool:
            pids = {path.name for path in Path("/proc").iterdir() if path.name.isdigit()}
            return cleanup.any_at_work(pids - {str(process.pid)})

        try:
            # A program that is starting is at work too.
            time.sleep(0.2 if at_work else 1)
            # Another program of this host may begin between the two lists.
            assert all(seen() for _ in range(10)) is at_work
        finally:
            process.kill()
