"""A container that is ready to run executions: sends frames, returns outcomes. Sends a few runs
ahead, so that the container does not wait for its host."""

import hashlib
import secrets
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import islice
from typing import Any

from evaluation.engine.errors import BenchmarkError, SandboxError, SandboxGone
from evaluation.engine.family import ByExecution
from evaluation.engine.records import Execution, Limits, Outcome, Prepared
from evaluation.engine.sandbox import docker, messages, texts
from evaluation.engine.sandbox.inside import frames
from evaluation.engine.sandbox.inside.supervisor import MOST_DELAY

# Maximum bytes of a kit in a container: it is unpacked in memory.
KIT_MOST = 6 * 2**20
# Bytes for what the tests write, in addition to the tree.
TREE_ROOM = 2**30
START_SECONDS = 60.0
# Seconds in addition to a run's wall limit, for the clean-up and a busy host.
ANSWER_SECONDS = 30.0
# Few, because runs that were sent ahead wait behind a run that never ends. None is sent ahead until
# a run has ended quickly, because a sent run keeps its host slot.
AHEAD_RUNS = 4
QUICK_SECONDS = 0.5
ANSWER_MOST = 32 * 2**20
# Seconds between two looks whether the caller stops.
PAUSE_SECONDS = 0.5


@contextmanager
def aborting(abort: Callable[[], None], stopped: Callable[[], bool]) -> Iterator[None]:
    """Ends a run promptly when its caller stops: calls `abort` from another thread within
    PAUSE_SECONDS after `stopped` is true."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(PAUSE_SECONDS):
            if stopped():
                abort()
                return

    watcher = threading.Thread(target=watch, name="stopping", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def opener(
    judged: ByExecution, image: str, limits: Limits, **options: Any
) -> Callable[[], "Session"]:
    """Returns a function that opens sandboxes, with the options of Session. It raises SandboxError,
    and BenchmarkError if the kit, which a revision's tasks share, is unusable."""
    return partial(Session, image, limits, runners=judged.runners, warm=judged.warm, **options)


class Session(AbstractContextManager["Session"]):
    """A context manager. Starting raises as in `opener`. A container of a prepared project accepts
    exactly one run. A session that raised SandboxGone cannot be used again."""

    def __init__(
        self,
        image: str,
        limits: Limits,
        *,
        runners: Iterable[str] = ("calls", "script", "standins"),
        warm: Iterable[str] = (),
        runtime: str | None = None,
        labels: dict[str, str] | None = None,
        project: Prepared | None = None,
        kit: bytes = b"",
        born: Callable[[docker.Container], None] = lambda _: None,
    ) -> None:
        if len(kit) > KIT_MOST:
            raise BenchmarkError(
                f"The tasks' shared data is too large for a sandbox: {len(kit)} bytes."
            )
        place = None
        if project is not None:
            place = docker.TreeMount(project.root, project.tree_bytes + TREE_ROOM)
        confinement = docker.Confinement(image, limits.memory, limits.pids, runtime, place)
        self._nonce = secrets.token_hex(16)
        self._received = bytearray()
        self._project = project
        self._kit = hashlib.sha256(kit).hexdigest() if kit else ""
        self.container = docker.Container(confinement, messages.command(project), labels or {})
        self.runs = 0
        self._unsent = bytearray(
            messages.opening(
                frozenset(runners), limits, warm, place,
                nonce=self._nonce, uid=self.container.uid, kit=kit,
            )
        )  # fmt: skip
        try:
            born(self.container)
            started = self._message(time.monotonic() + START_SECONDS)
            if "unfit" in started:
                raise BenchmarkError(f"The tasks' shared data cannot be used: {started['unfit']}")
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.container.remove()

    def abort(self) -> None:
        """Call it from another thread; a thread that waits for the container gets SandboxGone."""
        self.container.kill()

    def run(self, execution: Execution) -> Outcome:
        (outcome,) = self.run_all([execution])
        return outcome

    def run_all(self, executions: Iterable[Execution]) -> Iterator[Outcome]:
        """Yields the outcomes in order; takes and sends up to AHEAD_RUNS executions ahead. Raises
        SandboxGone, and SandboxError for an execution that needs another kit."""
        numbered = enumerate(executions)
        sent: deque[tuple[int, Execution]] = deque()
        ahead = 1
        while True:
            if len(sent) < 2:
                for upcoming in islice(numbered, max(0, ahead - len(sent))):
                    kit = upcoming[1].payload.get("kit")
                    if kit and kit != self._kit:
                        # Another kit would judge the run wrongly.
                        raise SandboxError(texts.OTHER_KIT())
                    self._unsent += messages.run(*upcoming, self._project)
                    sent.append(upcoming)
            if not sent:
                return
            number, execution = sent.popleft()
            wall_seconds = execution.limits.wall_seconds
            deadline = time.monotonic() + wall_seconds + ANSWER_SECONDS
            facts = self._message(deadline)
            while "delay" in facts and "cpu" not in facts:
                # The run waited for a processor, so it may take longer.
                delay = min(float(facts["delay"]), MOST_DELAY * wall_seconds)
                facts = self._message(deadline + delay)
            if facts.get("n") != number:
                raise SandboxGone("protocol", texts.ANSWERED_ANOTHER())
            if "irregular" in facts:
                reason = str(facts["irregular"])
                raise SandboxGone("irregular", texts.IRREGULAR(irregular=reason))
            if "refused" in facts:
                raise SandboxError(texts.RUN_FILE_UNWRITABLE(refused=str(facts["refused"])))
            report = self._frame(time.monotonic() + ANSWER_SECONDS)
            self.runs += 1
            outcome = messages.outcome(facts, report)
            ahead = AHEAD_RUNS if outcome.wall_seconds < QUICK_SECONDS else 1
            yield outcome

    def _message(self, deadline: float) -> dict[str, Any]:
        """Raises SandboxGone if the supervisor did not write the frame."""
        try:
            message = messages.loaded(self._frame(deadline))
        except ValueError:
            message = None
        if not isinstance(message, dict) or message.get("nonce") != self._nonce:
            raise SandboxGone("protocol", texts.NOT_THE_SUPERVISOR())
        return message

    def _frame(self, deadline: float) -> bytes:
        """Reads a frame. Sends pending output meanwhile, so that neither side blocks. Raises
        SandboxGone after the deadline or at the stream's end."""
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
            timeout = deadline - time.monotonic()
            if timeout <= 0:
                raise SandboxGone("silent", texts.SILENT())
            sending = [self.container] if self._unsent else []
            try:
                readable, writable, _ = select.select([self.container], sending, [], timeout)
                if writable:
                    del self._unsent[: self.container.send(self._unsent)]
                data = self.container.receive() if readable else b""
            except OSError as error:
                raise SandboxGone("docker", texts.CONNECTION_BROKE(reason=str(error))) from None
            if self.container.ended and not data:
                how = self.container.how_it_ended()
                said = self.container.errors.decode("utf-8", "replace").strip()[-300:]
                if said:
                    raise SandboxGone(how, texts.WENT_DOWN_SAYING(how=how, said=said))
                raise SandboxGone(how, texts.WENT_DOWN(how=how))
            self._received += data
