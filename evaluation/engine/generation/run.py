"""Holds many conversations with a model at the same time. The messages of a static one are fixed
beforehand; a single prompt is static. In a dynamic one, tests select the next message: its turns
are judged in sandboxes."""

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias, TypeVar

from evaluation.engine.conversations.dialogue import Name, Talk, advance, start, unknown
from evaluation.engine.conversations.wording import Message, assistant, user
from evaluation.engine.errors import SandboxError
from evaluation.engine.family import ByExecution, Script, Talks
from evaluation.engine.generation import texts
from evaluation.engine.generation.asking import Asker
from evaluation.engine.generation.journal import TurnResults
from evaluation.engine.instructions import DYNAMIC
from evaluation.engine.pipeline import BATCH_CASES, Judge
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import Workplace, open_workplaces
from evaluation.engine.records import Case, Generation, Key, Status, Task, TaskId, Verdict
from evaluation.engine.runs import pool
from evaluation.engine.uploads.decode import written_out

# Instructions to judge at the same time. Only the first failure counts, so judging more at a time
# would often be wasted.
_AT_A_TIME = 3

Answers: TypeAlias = Mapping[str | None, str]
# Answers that exist before a run, by task and sample.
Begun: TypeAlias = Mapping[tuple[TaskId, int], Answers]
# The verdicts of an answer by instruction; None is the prompt. Raises SandboxError.
TurnJudge: TypeAlias = Callable[[Task, str, Sequence[Name]], Awaitable[Mapping[Name, Verdict]]]
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
# An idle worker closes its sandbox after this number of seconds: the sandbox's files take memory,
# and most projects are idle most of the time.
IDLE_SECONDS = 30.0


class Conversation(NamedTuple):
    """A static conversation's answers; `whole` if none is missing."""

    task: Task
    sample: int
    answers: Answers
    whole: bool


def asked_for(script: Script, task: Task) -> tuple[str | None, ...]:
    """The setting's requirements, each after those that it builds on."""
    requirements: dict[str | None, None] = {}
    for requirement in script.asked(task):
        requirements |= dict.fromkeys((*script.before(task, requirement), requirement))
    return tuple(requirements)


async def converse_by_script(
    script: Script, tasks: Sequence[Task], asker: Asker, *, samples: int, begun: Begun
) -> list[Conversation]:
    """Ordered by task and sample. What follows a message without an answer is skipped. Raises
    EndpointError."""

    async def converse(place: tuple[Task, int]) -> Conversation:
        task, sample = place
        answers = dict(begun.get((task.id, sample), {}))

        async def answer(requirement: str | None) -> str | None:
            before = [answers[name] for name in script.before(task, requirement)]
            messages = script.messages(task, requirement, before)
            return await asker.ask(Key(task.id, sample, requirement, len(before)), messages)

        left = [name for name in asked_for(script, task) if name not in answers]
        while ready := [name for name in left if set(script.before(task, name)) <= answers.keys()]:
            replies = zip(ready, await asyncio.gather(*map(answer, ready)), strict=True)
            left = [name for name in left if name not in ready]
            answers |= {name: text for name, text in replies if text is not None}
        whole = answers.keys() >= set(asked_for(script, task))
        return Conversation(task, sample, answers, whole)

    places = [(task, sample) for task in tasks for sample in range(samples)]
    return await _together(converse, places, asker)


async def converse_by_verdicts(
    talks: Talks,
    tasks: Sequence[Task],
    asker: Asker,
    judge: TurnJudge,
    done: Callable[[TaskId], None] = lambda _: None,
) -> dict[TaskId, list[Message]]:
    """The transcripts of complete conversations. `done` is called for each task whose conversation
    has ended, also for lack of an answer. Raises EndpointError, SandboxError."""

    async def converse(task: Task) -> list[Message] | None:
        """Returns None if a message has no answer."""
        messages: list[Message] = []
        talk, error = start(talks.instructions(task)), ""
        while True:
            cue = talk.cue._replace(error=error if talk.retry else "")
            messages.append(user(talks.say(task, cue)))
            place = Key(task.id, 0, None, talk.turn)
            answer = await asker.ask(place, messages)
            if answer is None:
                done(task.id)
                return None
            messages.append(assistant(answer))
            row = asker.journal.rows.get(place)
            if row is None:
                row = await _results(judge, talk, task, answer)
                await asker.journal.save_row(place, row)
            after = advance(talk, row.passed)
            if not isinstance(after, Talk):
                done(task.id)
                return messages
            talk, error = after, written_out(row.error)

    transcripts = zip(tasks, await _together(converse, tasks, asker), strict=True)
    return {task.id: messages for task, messages in transcripts if messages is not None}


async def _results(judge: TurnJudge, talk: Talk, task: Task, answer: str) -> TurnResults:
    """Judges what the next turn depends on. Raises SandboxError, also if a verdict is NOT_RUN."""
    passed: dict[Name, bool] = {}
    error = ""
    while names := unknown(talk, passed):
        verdicts = await judge(task, answer, names[:_AT_A_TIME])
        if any(verdict.status is Status.NOT_RUN for verdict in verdicts.values()):
            raise SandboxError(texts.TURN_NOT_JUDGED())
        passed |= {name: verdict.passed for name, verdict in verdicts.items()}
        if names == (talk.current,) and not passed[talk.current]:
            error = verdicts[talk.current].output
    return TurnResults(passed, error)


async def _together(
    work: Callable[[_Item], Awaitable[_Result]], items: Sequence[_Item], asker: Asker
) -> list[_Result]:
    """Results in order, `asker.width` items at a time. The first error cancels the rest."""
    results: dict[int, _Result] = {}
    waiting = iter(enumerate(items))

    async def worker() -> None:
        for number, item in waiting:
            results[number] = await work(item)

    workers = [asyncio.create_task(worker()) for _ in range(min(asker.width, len(items)))]
    try:
        await asyncio.gather(*workers)
    except SandboxError:
        # The endpoint goes on, and the team pays for the answers that are under way.
        asker.closed = True
        await asyncio.gather(*workers, return_exceptions=True)
        raise
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [results[number] for number in range(len(items))]


class CaseQueue:
    def __init__(self, workplace: Workplace) -> None:
        self.workplace = workplace
        self._waiting: deque[tuple[Case, Future[Verdict]]] = deque()
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
        verdicts = [Future[Verdict]() for _case in cases]
        with self._change:
            self._waiting.extend(zip(cases, verdicts, strict=True))
            self._change.notify_all()
        return verdicts

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
                verdicts = judge.batch([case for case, _future in batch])
            except BaseException as error:  # raised again in the waiting coroutine
                for _case, future in batch:
                    if future.set_running_or_notify_cancel():
                        future.set_exception(error)
            else:
                for (_case, future), verdict in zip(batch, verdicts, strict=True):
                    if future.set_running_or_notify_cancel():
                        future.set_result(verdict)


def sandbox_judge(
    talks: Talks, queues: Mapping[TaskId, CaseQueue], *, errors: bool = True
) -> TurnJudge:
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
    judge: TurnJudge
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
