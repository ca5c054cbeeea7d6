"""Judges the turns of many concurrent conversations in sandboxes."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from evaluation.engine.conversations.dialogue import Name
from evaluation.engine.family import ByExecution, Talks
from evaluation.engine.generation import run
from evaluation.engine.instructions import DYNAMIC
from evaluation.engine.pipeline import BATCH_CASES, Judge
from evaluation.engine.preparation.workplaces import Setup, Workplace, open_workplaces
from evaluation.engine.records import Case, Generation, Key, Task, TaskId, Verdict
from evaluation.engine.runs import pool

# Seconds until an idle worker closes its sandbox, whose files are held in memory. Most projects
# are idle most of the time.
IDLE_SECONDS = 30.0


class _Waiting(NamedTuple):
    case: Case
    verdict: Future[Verdict]


class CaseQueue:
    def __init__(self, workplace: Workplace) -> None:
        self.workplace = workplace
        self._waiting: deque[_Waiting] = deque()
        self._change = threading.Condition()
        self._closed = False

    @contextmanager
    def judged(self) -> Iterator[None]:
        with pool(self.workplace, self._judge):
            try:
                yield
            finally:
                with self._change:
                    self._closed = True
                    self._change.notify_all()

    def verdicts(self, cases: Sequence[Case]) -> list[Future[Verdict]]:
        """A future for each case. Its result() may raise SandboxError."""
        added = [_Waiting(case, Future()) for case in cases]
        with self._change:
            self._waiting.extend(added)
            self._change.notify_all()
        return [waiting.verdict for waiting in added]

    def _judge(self, judge: Judge) -> None:
        """Takes more cases at a time than a batch has canaries, if that many wait."""
        least = len(self.workplace.canaries) + 1
        while True:
            with self._change:
                self._change.wait_for(lambda: self._waiting or self._closed, IDLE_SECONDS)
                if self._closed:
                    return
                share = max(-(-len(self._waiting) // self.workplace.setup.workers), least)
                size = min(share, len(self._waiting), BATCH_CASES)
                batch = [self._waiting.popleft() for _ in range(size)]
            if not batch:
                judge.close()
                continue
            try:
                verdicts = judge.batch([waiting.case for waiting in batch])
            except BaseException as error:  # raised again in the waiting coroutine
                for waiting in batch:
                    if waiting.verdict.set_running_or_notify_cancel():
                        waiting.verdict.set_exception(error)
            else:
                for waiting, verdict in zip(batch, verdicts, strict=True):
                    if waiting.verdict.set_running_or_notify_cancel():
                        waiting.verdict.set_result(verdict)


def sandbox_judge(
    talks: Talks, queues: Mapping[TaskId, CaseQueue], *, errors: bool = True
) -> run.Judge:
    """Judges the tasks that have a queue. It uses the workplace's tasks, because the conversations'
    tasks may lack their hidden part. `errors`: keep the output of failed tests."""

    async def judge(task: Task, answer: str, names: Sequence[Name]) -> Mapping[Name, Verdict]:
        queue = queues[task.id]
        generation = Generation(Key(task.id, 0), answer)
        cases = queue.workplace.cases(
            Case(queue.workplace.tasks[task.id], generation, DYNAMIC, talks.test_set(name))
            for name in names
        )
        verdicts = await asyncio.gather(*map(asyncio.wrap_future, queue.verdicts(cases)))
        if not errors:
            verdicts = [replace(verdict, output="") for verdict in verdicts]
        return dict(zip(names, verdicts, strict=True))

    return judge


@dataclass(frozen=True, slots=True)
class Turns:
    judge: run.Judge
    tasks: frozenset[TaskId]
    environment: Mapping[str, Any]


@contextmanager
def open_turns(
    talks: Talks,
    judged: ByExecution,
    tasks: Sequence[Task],
    all_tasks: Sequence[Task],
    setup: Setup,
    *,
    errors: bool = True,
) -> Iterator[Turns]:
    """Builds missing images and projects. No family with conversations has a kit. `errors` is as in
    `sandbox_judge`. Raises BenchmarkError, SandboxError."""
    with ExitStack() as stack:
        queues: dict[TaskId, CaseQueue] = {}
        environment: dict[str, Any] = {"limits": setup.limits.stored()}
        for workplace in stack.enter_context(open_workplaces(judged, tasks, all_tasks, setup)):
            queue = CaseQueue(workplace)
            stack.enter_context(queue.judged())
            queues |= dict.fromkeys(workplace.tasks, queue)
            environment |= workplace.environment
        yield Turns(sandbox_judge(talks, queues, errors=errors), frozenset(queues), environment)
