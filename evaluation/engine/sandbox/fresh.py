"""A sandbox for a prepared project in which every run gets a new container. Threads open the next
container and remove the last one during a run."""

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial

from evaluation.engine.errors import EngineAway, SandboxGone
from evaluation.engine.records import Execution, Limits, Outcome, Prepared
from evaluation.engine.sandbox import docker, texts
from evaluation.engine.sandbox.session import Session


class Fresh(AbstractContextManager["Fresh"]):
    """A context manager with the interface of `session.Session`. Starting it raises SandboxError. A
    sandbox that raised SandboxGone cannot be used again."""

    def __init__(
        self,
        prepared: Prepared,
        limits: Limits,
        *,
        runtime: str | None = None,
        labels: dict[str, str] | None = None,
    ) -> None:
        self._open = partial(
            Session,
            prepared.digest,
            limits,
            runners=("repository", "names"),
            runtime=runtime,
            labels=labels,
            project=prepared,
            born=self._born,
        )
        self.runs = 0
        self._lock = threading.Lock()
        self._ending = threading.Lock()
        self._over = False
        self._living: set[docker.Container] = set()
        # One thread opens, the other removes.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="fresh")
        self._spare: Future[Session] = self._threads.submit(self._open)
        try:
            self._spare.result()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()

    def run_all(self, executions: Iterable[Execution]) -> Iterator[Outcome]:
        """Yields the outcomes in order. Raises SandboxGone."""
        for execution in executions:
            session = self._next_session()
            try:
                outcome = session.run(execution)
            except SandboxGone as gone:
                if self._over:
                    raise SandboxGone("docker", texts.ENDED()) from gone
                raise
            finally:
                with self._lock:
                    if removes_later := not self._over:
                        self._threads.submit(self._remove, session)
                if not removes_later:
                    self._remove(session)
            self.runs += 1
            yield outcome

    def _next_session(self) -> Session:
        """Takes the spare container and starts opening another. Raises SandboxError, and
        SandboxGone "docker", which is not a run's fault, if Docker did not open it."""
        try:
            session = self._spare.result()
        except (EngineAway, SandboxGone) as error:
            raise SandboxGone("docker", error.message) from error
        with self._lock:
            if self._over:
                raise SandboxGone("docker", texts.ENDED())
            self._spare = self._threads.submit(self._open)
        return session

    def _born(self, container: docker.Container) -> None:
        with self._lock:
            self._living.add(container)
            if self._over:
                raise SandboxGone("docker", texts.ENDED_WHILE_OPENED())

    def _remove(self, session: Session) -> None:
        session.close()
        with self._lock:
            self._living.discard(session.container)

    def abort(self) -> None:
        """Call it from another thread; a thread that waits for a container gets SandboxGone."""
        with self._lock:
            self._over = True
            living = list(self._living)
        # A second caller waits: the engine rejects a removal that is already in progress.
        with self._ending:
            for container in living:
                container.kill()

    def close(self) -> None:
        self.abort()
        self._threads.shutdown()
        if self._spare.exception() is None:
            self._spare.result().close()
