"""A container that is ready to run executions: frames out, outcomes in.

Runs are sent a few at a time and answered in order, so that the container does not wait
for its host. A session that raised SandboxGone is over.
"""

from __future__ import annotations

import hashlib
import secrets
import select
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any, Self

from evaluation.engine.errors import BenchmarkError, SandboxError, SandboxGone
from evaluation.engine.family import ByExecution
from evaluation.engine.records import Execution, Limits, Outcome, Prepared
from evaluation.engine.sandbox import docker, messages, texts
from evaluation.engine.sandbox.inside import frames

# What a container may hold of what a revision's tasks share: it is unpacked in memory.
KIT_MOST = 6 * 2**20
# Beyond the tree itself: what the tests write beside it.
TREE_ROOM = 2**30
START_SECONDS = 60.0
# Beyond a run's own wall limit: for the clean-up and a host that is busy elsewhere.
ANSWER_SECONDS = 30.0
# Few: what is sent ahead stays behind whatever never ends.
AHEAD_RUNS = 4
ANSWER_MOST = 32 * 2**20


def _place(project: Prepared) -> docker.TreeMount:
    return docker.TreeMount(project.root, project.tree_bytes + TREE_ROOM)


def opener(
    judged: ByExecution,
    image: str,
    limits: Limits,
    *,
    runtime: str | None = None,
    labels: dict[str, str] | None = None,
    kit: bytes = b"",
) -> Callable[[], Session]:
    """What opens sandboxes for a family's generations; `kit` is what the revision's tasks
    share. Opening raises SandboxError, and BenchmarkError where the kit is of no use."""
    return partial(
        Session,
        image,
        limits,
        runners=judged.runners,
        warm=judged.warm,
        runtime=runtime,
        labels=labels,
        kit=kit,
    )


class Session:
    """Use as a context manager. Starting raises SandboxError, BenchmarkError where the kit,
    which is what the tasks of a revision share, is of no use.

    In a container for a prepared project, whose image it then is, there is one run and no more.
    `born` is told of the container before anything in it is waited for.
    """

    def __init__(
        self,
        image: str,
        limits: Limits,
        *,
        runners: Iterable[str] = ("calls", "script", "standins"),
        warm: Iterable[str] = (),
        runtime: str | None = None,
        cpus: float = 1.0,
        labels: dict[str, str] | None = None,
        project: Prepared | None = None,
        kit: bytes = b"",
        born: Callable[[docker.Container], None] = lambda _: None,
    ) -> None:
        if len(kit) > KIT_MOST:
            raise BenchmarkError(
                f"What the tasks share is too large for a sandbox: {len(kit)} bytes."
            )
        place = None if project is None else _place(project)
        confinement = docker.Confinement(image, limits.memory, limits.pids, cpus, runtime, place)
        self._nonce = secrets.token_hex(16)
        self._received = bytearray()
        self._project = project
        self._kit = hashlib.sha256(kit).hexdigest() if kit else ""
        self.container = docker.Container(confinement, messages.command(project), labels or {})
        self.runs = 0
        self._unsent = bytearray(
            messages.opening(
                frozenset(runners), limits, warm, place,
                nonce=self._nonce, uid=self.container.uid, cores=cpus, kit=kit,
            )
        )  # fmt: skip
        try:
            born(self.container)
            self._started()
        except BaseException:
            self.close()
            raise

    def _started(self) -> None:
        told = self._message(START_SECONDS)
        if "unfit" in told:
            raise BenchmarkError(f"What the tasks share cannot be used: {told['unfit']}")

    @property
    def id(self) -> str:
        return self.container.id

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.container.remove()

    def abort(self) -> None:
        """Ends the container from another thread; whoever waits for it sees SandboxGone."""
        self.container.kill()

    def run(self, execution: Execution) -> Outcome:
        """One execution. Raises SandboxGone."""
        (outcome,) = self.run_all([execution])
        return outcome

    def run_all(self, executions: Iterable[Execution]) -> Iterator[Outcome]:
        """The outcomes in order; up to AHEAD_RUNS executions are taken and sent ahead.

        Raises SandboxGone, whose `position` was being run; SandboxError for one that needs what
        other tasks share.
        """
        numbered = enumerate(executions)
        sent: deque[tuple[int, Execution]] = deque()
        while True:
            if len(sent) < 2:
                for upcoming in islice(numbered, AHEAD_RUNS - len(sent)):
                    self._require_kit(upcoming[1])
                    self._unsent += messages.run(*upcoming, self._project)
                    sent.append(upcoming)
            if not sent:
                return
            number, execution = sent.popleft()
            try:
                facts = self._facts(number, execution.limits.wall_seconds + ANSWER_SECONDS)
                report = self._frame(ANSWER_SECONDS)
            except SandboxGone as gone:
                gone.position = number
                raise
            self.runs += 1
            yield messages.outcome(facts, report)

    def _require_kit(self, execution: Execution) -> None:
        """What a run needs of a kit it names by its hash: another one would judge it wrongly.
        Raises SandboxError."""
        wanted = execution.payload.get("kit")
        if wanted and wanted != self._kit:
            raise SandboxError(texts.OTHER_KIT())

    def _facts(self, number: int, timeout: float) -> dict[str, Any]:
        facts = self._message(timeout)
        if facts.get("n") != number:
            raise SandboxGone("protocol", texts.ANSWERED_ANOTHER())
        if "irregular" in facts:
            raise SandboxGone("irregular", texts.IRREGULAR(irregular=str(facts["irregular"])))
        if "refused" in facts:
            raise SandboxError(texts.RUN_FILE_UNWRITABLE(refused=str(facts["refused"])))
        return facts

    def _message(self, timeout: float) -> dict[str, Any]:
        """The next frame as JSON, from the supervisor and nobody else."""
        try:
            told = messages.loaded(self._frame(timeout))
        except ValueError:
            told = None
        if not isinstance(told, dict) or told.get("nonce") != self._nonce:
            raise SandboxGone("protocol", texts.NOT_THE_SUPERVISOR())
        return told

    def _frame(self, timeout: float) -> bytes:
        """The next frame. What is to be sent goes out meanwhile, so that nothing blocks."""
        deadline = time.monotonic() + timeout
        head = frames.PREFIX.size
        while True:
            if len(self._received) >= head:
                (size,) = frames.PREFIX.unpack_from(self._received)
                if size > ANSWER_MOST:
                    raise SandboxGone("protocol", texts.ANNOUNCED(number=size))
                if len(self._received) >= head + size:
                    body = bytes(self._received[head : head + size])
                    del self._received[: head + size]
                    return body
            self._pump(deadline - time.monotonic())

    def _pump(self, timeout: float) -> None:
        """Moves bytes in whichever direction can. Raises SandboxGone at the stream's end."""
        if timeout <= 0:
            raise SandboxGone("silent", texts.SILENT())
        sending = [self.container] if self._unsent else []
        try:
            readable, writable, _ = select.select([self.container], sending, [], timeout)
            if writable:
                del self._unsent[: self.container.send(self._unsent)]
            data = self.container.receive() if readable else None
        except OSError as error:
            raise SandboxGone("docker", texts.CONNECTION_BROKE(reason=str(error))) from None
        if data is None:
            return
        if not data and self.container.ended:
            how = self.container.how_it_ended()
            said = self.container.errors.decode("utf-8", "replace").strip()[-300:]
            if said:
                raise SandboxGone(how, texts.WENT_DOWN_SAYING(how=how, said=said))
            raise SandboxGone(how, texts.WENT_DOWN(how=how))
        self._received += data
