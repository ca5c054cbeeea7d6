"""Programs under a supervisor, all of them real processes."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from evaluation.supervision.keeper import LOG_BYTES, Log, children, processes
from evaluation.supervision.supervisor import KILL_SECONDS, Program, ProgramRun, pause_after
from tests.support.commands import ROOT, Finished, wait_for


class Stage:
    """A supervisor in a separate process, and the events that its programs recorded."""

    def __init__(self, folder: Path, plan: list[dict[str, Any]], *options: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.programs.supervise"]
            + [str(folder), json.dumps(plan), *options],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def events(self, what: str = "") -> list[list[str]]:
        path = self.folder / "events"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.split() for line in lines if line.startswith(what)]

    def order(self, what: str) -> list[str]:
        return [words[1] for words in self.events(what)]

    def pids(self, what: str) -> list[int]:
        return [int(words[2]) for words in self.events(what)]

    def await_events(self, what: str, count: int) -> None:
        wait_for(lambda: len(self.events(what)) >= count)

    def ticks(self) -> list[list[str]]:
        path = self.folder / "ticks"
        whole = path.read_text().rpartition("\n")[0] if path.exists() else ""
        return [json.loads(line) for line in whole.splitlines()]

    def await_ticks(self, more: int) -> None:
        before = len(self.ticks())
        wait_for(lambda: len(self.ticks()) >= before + more)

    def keepers(self) -> list[int]:
        return children(self.process.pid, processes())

    def unread(self) -> int:
        """The number of bytes of the programs' output that wait in the pipe to us."""
        assert self.process.stdout is not None
        count = fcntl.ioctl(self.process.stdout, termios.FIONREAD, bytes(4))
        return int.from_bytes(count, sys.byteorder)

    def ask(self, how: signal.Signals) -> None:
        self.process.send_signal(how)

    def end(self, how: signal.Signals = signal.SIGTERM) -> Finished:
        self.ask(how)
        return self.finish()

    def finish(self) -> Finished:
        out, err = self.process.communicate(timeout=20)
        return Finished(self.process.returncode, out, err)


SetUp = Callable[..., Stage]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[SetUp]:
    """Sets up a stage; nothing of it is left after the test."""
    stages = []

    def set_up(*plan: dict[str, Any], options: tuple[str, ...] = ()) -> Stage:
        stages.append(Stage(tmp_path, list(plan), *options))
        return stages[-1]

    yield set_up
    for each in stages:
        each.process.kill()
        each.process.communicate()
        for pid in each.pids("start") + each.pids("horse"):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def player(name: str, *ways: str, **more: object) -> dict[str, Any]:
    return {"name": name, "ways": ways, **more}


def runs(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def written(pid: int) -> int:
    """The number of bytes that the process wrote, to any descriptor."""
    lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar"))


def await_end_of(*pids: int) -> None:
    wait_for(lambda: not any(map(runs, pids)))


def test_pauses_double_up_to_ten_seconds_and_are_short_again_after_a_minute() -> None:
    pauses = [0.0]
    for _ in range(8):
        pauses.append(pause_after(ran=1, before=pauses[-1]))
    assert pauses[1:] == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10]
    assert pause_after(ran=60, before=10) == 0.2


def test_who_is_awaited_starts_first_even_if_it_is_killed_and_stops_last(stage: SetUp) -> None:
    it = stage(player("store", "awaited"), player("cache", "awaited"), player("worker"))
    it.await_events("start", 1)
    it.await_ticks(5)
    assert it.order("start") == ["store"]
    os.kill(it.pids("start")[0], signal.SIGKILL)
    (it.folder / "go").touch()
    it.await_events("start", 4)
    assert it.order("start") == ["store", "store", "cache", "worker"]
    assert it.end(signal.SIGINT).code == 0
    assert it.order("stop") == ["worker", "cache", "store"]


def test_a_program_that_was_killed_or_whose_keeper_was_starts_again_and_leaves_no_child(
    stage: SetUp,
) -> None:
    it = stage(player("worker", "horse"))
    it.await_events("horse", 1)
    it.await_events("start", 1)
    os.kill(it.pids("start")[0], signal.SIGKILL)
    # The child of the second one is recorded after the start of the second one itself.
    it.await_events("horse", 2)
    first, second = it.pids("horse")
    assert (runs(first), runs(second)) == (False, True)
    worker = it.pids("start")[1]
    os.kill(processes()[worker].parent, signal.SIGKILL)
    it.await_events("horse", 3)
    assert not runs(worker)
    assert not runs(second)
    done = it.end()
    assert done.code == 0
    assert "worker was ended by SIGKILL and is started again in 0.2 s." in done.err
    assert not runs(it.pids("horse")[2])


def test_a_program_does_not_outlive_a_keeper_that_nobody_replaces(stage: SetUp) -> None:
    it = stage(player("worker", "stubborn"))
    it.await_events("start", 1)
    [keeper] = it.keepers()
    it.ask(signal.SIGSTOP)
    os.kill(keeper, signal.SIGKILL)
    await_end_of(*it.pids("start"))


def test_a_keeper_that_hangs_is_killed_in_the_end(tmp_path: Path) -> None:
    run = ProgramRun(Program("nap", ["sleep", "600"], grace_seconds=10), tmp_path / "log", "")
    wait_for(lambda: run.hear() and run.pid is not None)
    assert run.pid is not None
    os.kill(run.keeper_pid, signal.SIGSTOP)
    for seconds in (0, 9, 10, 10 + KILL_SECONDS - 1):
        run.stop(seconds)
    assert runs(run.keeper_pid)
    run.stop(10 + KILL_SECONDS)
    wait_for(lambda: not run.hear())
    run.close()
    assert run.how == "was killed with its keeper"
    await_end_of(run.pid)


def test_nothing_is_left_when_the_supervisor_is_killed(stage: SetUp) -> None:
    it = stage(player("worker", "horse", "stubborn"), player("web", "orphans"))
    it.await_events("horse", 1)
    it.await_events("start", 2)
    keepers = it.keepers()
    assert len(keepers) == 2
    # Orphans that end are buried.
    web = next(int(words[2]) for words in it.events("start") if words[1] == "web")
    keeper = processes()[web].parent
    wait_for(lambda: children(keeper, processes()) == [web])
    it.ask(signal.SIGKILL)
    await_end_of(*keepers, *it.pids("start"), *it.pids("horse"))


def test_who_is_not_read_waits_and_is_gone_when_the_supervisor_is_killed(stage: SetUp) -> None:
    it = stage(player("web", "chatters", "horse"))
    it.await_events("start", 1)
    it.await_events("horse", 1)
    wait_for(lambda: it.unread() > 50_000)  # of the 65,536 bytes that a pipe holds
    said = [-1, written(it.pids("start")[0])]
    while said[-1] != said[-2]:
        time.sleep(0.1)
        said.append(written(it.pids("start")[0]))
    assert said[-1] < 500_000  # two pipes, and what the keeper read at once
    it.ask(signal.SIGKILL)
    await_end_of(*it.pids("start"), *it.pids("horse"))


def test_a_program_that_ends_at_once_is_tried_again_after_growing_pauses(stage: SetUp) -> None:
    it = stage(player("worker", "fails"))
    it.await_events("start", 4)
    starts = [float(words[3]) for words in it.events("start")]
    gaps = [after - before for before, after in zip(starts, starts[1:], strict=False)]
    assert [gap >= pause for gap, pause in zip(gaps, (0.2, 0.4, 0.8), strict=False)] == [True] * 3
    done = it.end()
    assert done.code == 0
    assert "worker ended with exit code 3 and is started again in 0.4 s." in done.err


def test_a_program_that_does_not_hear_is_killed_after_its_grace(stage: SetUp) -> None:
    it = stage(player("worker", "stubborn", "horse", grace_seconds=0.3))
    it.await_events("start", 1)
    it.await_events("horse", 1)
    assert it.end().code == 0
    assert not any(map(runs, it.pids("start") + it.pids("horse")))


def test_a_second_interrupt_stops_at_once(stage: SetUp) -> None:
    it = stage(player("worker", "stubborn", grace_seconds=600))
    it.await_events("start", 1)
    it.ask(signal.SIGINT)
    it.await_ticks(3)
    assert runs(it.pids("start")[0])
    assert it.end(signal.SIGINT).code == 0
    assert not runs(it.pids("start")[0])


def test_a_command_or_a_log_that_is_not_there_is_told_and_stops_the_others(
    stage: SetUp, tmp_path: Path
) -> None:
    it = stage(player("web"), {"name": "worker", "command": ["/no/such/program"]})
    done = it.finish()
    assert done.code == 1
    assert "worker could not be run: [Errno 2] No such file or directory" in done.err
    assert not any(map(runs, it.pids("start")))
    (tmp_path / "web.log").mkdir()
    done = stage(player("web"), options=("logs",)).finish()
    assert done.code == 1
    assert "web could not be run: [Errno 21] Is a directory" in done.err


@pytest.mark.parametrize(
    ("ways", "how"), [(["fails"], "ended with exit code 3"), ([], "was not ready within 0.5 s")]
)
def test_a_program_that_does_not_become_ready_is_told_with_its_last_words(
    stage: SetUp, ways: list[str], how: str
) -> None:
    it = stage(player("store", "awaited", *ways, ready_seconds=20 if ways else 0.5), player("web"))
    done = it.finish()
    assert done.code == 1
    assert f"store {how}. Its last output:\n  store speaks\n" in done.err
    assert it.order("start") == ["store"]


@pytest.mark.parametrize("options", [(), ("logs",)])
def test_words_come_with_the_name_before_each_line_or_go_to_a_file(
    stage: SetUp, options: tuple[str, ...]
) -> None:
    it = stage(player("web"), player("worker"), options=options)
    it.await_events("start", 2)
    said = [] if options else ["web    | web speaks", "worker | worker speaks"]
    assert sorted(it.end().out.splitlines()) == said
    if options:
        log = it.folder / "web.log"
        assert log.read_text() == "web speaks\n"
        assert log.stat().st_mode & 0o777 == 0o600


def test_a_log_that_is_full_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "web.log"
    path.touch()
    os.truncate(path, LOG_BYTES)
    log = Log(str(path), "")
    for word in (b"last\n", b"first"):
        log.add(word)
        log.add_rest()
        log.flush(1)
    assert (tmp_path / "web.log.1").read_bytes()[LOG_BYTES:] == b"last\n"
    assert path.read_bytes() == b"first\n"


def test_the_living_are_told_and_a_failing_tick_ends_nothing(stage: SetUp) -> None:
    it = stage(player("web"), player("worker"), options=("failing-ticks",))
    it.await_events("start", 2)
    it.await_ticks(2)
    assert it.ticks()[-1] == ["web", "worker"]
    done = it.end()
    assert done.code == 0
    assert "ValueError: the database is away" in done.err
