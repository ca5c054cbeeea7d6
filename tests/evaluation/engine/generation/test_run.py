"""Conversations over fifty tasks end as the rules demand, wherever they were interrupted."""

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.engine.conversations.dialogue import Name, course
from evaluation.engine.conversations.replay import Reading, texts_of, turns_of
from evaluation.engine.conversations.scripts import History, asked_before, messages
from evaluation.engine.conversations.wording import OURS, Message
from evaluation.engine.errors import EndpointError, SandboxError
from evaluation.engine.generation import run
from evaluation.engine.generation.answers import Answer, Patience
from evaluation.engine.generation.asking import Asker, Tally
from evaluation.engine.generation.run import CaseQueue, Conversation, sandbox_judge
from evaluation.engine.instructions import MULTI_TURN, SETTINGS, accumulating
from evaluation.engine.records import (
    Case,
    Execution,
    Limits,
    Status,
    Task,
    TaskId,
    Verdict,
)
from tests.evaluation.engine.generation.tasks import (
    TASKS,
    Canned,
    Judged,
    asking,
    journal,
    row,
    said,
)
from tests.evaluation.engine.scripted import FAMILY, World, case, plan
from tests.support.commands import wait_for
from tests.support.transcripts import departure

WIDTH = 8
slowly = settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])


def scripted(
    path: Path, model: Canned, setting: str, history: str = "last", samples: int = 1
) -> list[Conversation]:
    async def go() -> list[Conversation]:
        script = asking().script(None, setting, history)
        async with journal(path) as kept:
            asker = Asker(model, kept, width=WIDTH, patience=Patience())
            return await run.converse_by_script(script, TASKS, asker, samples=samples, begun={})

    return asyncio.run(go())


def talked(path: Path, model: Canned, judge: Judged) -> tuple[dict[TaskId, list[Message]], Tally]:
    async def go() -> tuple[dict[TaskId, list[Message]], Tally]:
        talks = asking().talks
        async with journal(path) as kept:
            asker = Asker(model, kept, width=WIDTH, patience=Patience())
            found = await run.converse_by_verdicts(talks(None), TASKS, asker, judge)
            return found, asker.tally

    return asyncio.run(go())


Uninterrupted: TypeAlias = tuple[list[Conversation], dict[TaskId, list[Message]]]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Uninterrupted:
    """All conversations by script, and by verdicts."""
    folder = tmp_path_factory.mktemp("whole")
    by_script = scripted(folder / "script", Canned(), MULTI_TURN)
    return by_script, talked(folder / "verdicts", Canned(), Judged())[0]


@pytest.mark.parametrize("history", list(History))
@pytest.mark.parametrize("setting", SETTINGS)
def test_each_message_is_what_the_setting_demands(
    tmp_path: Path, setting: str, history: History
) -> None:
    model = Canned()
    for conversation in scripted(tmp_path / "j", model, setting, history):
        task, answers = conversation.task, conversation.answers
        assert conversation.whole
        for requirement, answer in answers.items():
            before = [answers[name] for name in asked_before(task, setting, requirement)]
            due = messages(task, setting, OURS, requirement, before, history)
            assert answer == said(due)
            assert due in model.asked
    assert len(model.asked) == sum(
        len(c.answers) for c in scripted(tmp_path / "j", Canned(0), setting, history)
    )


def test_every_sample_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    model = Canned()
    found = scripted(tmp_path / "j", model, MULTI_TURN, samples=3)
    assert [(c.task.id, c.sample) for c in found[:4]] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert len(found) == 150


@slowly
@given(data=st.data())
def test_an_interrupted_run_ends_as_one_that_was_not(
    tmp_path_factory: pytest.TempPathFactory, uninterrupted: Uninterrupted, data: st.DataObject
) -> None:
    """An endpoint that goes away interrupts it at random points."""
    path, expected = tmp_path_factory.mktemp("run") / "j", uninterrupted[0]
    asked = 0
    for last in data.draw(st.lists(st.integers(0, 30), max_size=4)):
        model = Canned(last)
        with pytest.raises(EndpointError):
            scripted(path, model, MULTI_TURN)
        asked += len(model.asked)
    model = Canned()
    assert scripted(path, model, MULTI_TURN) == expected
    messages_in_all = sum(len(conversation.answers) for conversation in expected)
    assert asked + len(model.asked) <= messages_in_all + 4 * WIDTH


def test_transcripts_keep_to_the_rules_and_end_where_they_demand_it(tmp_path: Path) -> None:
    found, tally = talked(tmp_path / "j", Canned(), Judged())
    assert list(found) == [task.id for task in TASKS]
    for task in TASKS:
        turns = turns_of(found[task.id])
        names = accumulating(task)
        rows = [row(task, turn.answer, (None, *names)) for turn in turns]
        reading = Reading(texts_of(task), OURS.dynamic)
        assert departure(names, turns, rows, [reading]) is None
        assert len(course(names, rows)[0]) == len(turns)
    assert tally.answered == sum(len(messages) // 2 for messages in found.values())


def test_a_retry_tells_the_error_of_its_own_instruction(uninterrupted: Uninterrupted) -> None:
    found = uninterrupted[1]
    retries = [
        (task, message["content"])
        for task in TASKS
        for message in found[task.id]
        if "AssertionError" in message["content"]
    ]
    assert retries
    for task, content in retries:
        name = content.partition("AssertionError: ")[2].splitlines()[0]
        assert texts_of(task)[None if name == "None" else name] in content


class Halved(Judged):
    """The failed test's message contains an unpaired surrogate, as the text of an exception may."""

    async def __call__(
        self, task: Task, answer: str, names: Sequence[Name]
    ) -> Mapping[Name, Verdict]:
        found = await super().__call__(task, answer, names)
        return {name: replace(one, output="half \ud83d") for name, one in found.items()}


def test_an_error_that_no_text_can_hold_is_told_as_stderr_would_have_it(tmp_path: Path) -> None:
    found, _ = talked(tmp_path / "j", Canned(), Halved())
    said = "".join(message["content"] for messages in found.values() for message in messages)
    assert said.encode() and r"half \ud83d" in said


@slowly
@given(data=st.data())
def test_an_interrupted_dialogue_ends_as_one_that_was_not(
    tmp_path_factory: pytest.TempPathFactory, uninterrupted: Uninterrupted, data: st.DataObject
) -> None:
    path, expected = tmp_path_factory.mktemp("run") / "j", uninterrupted[1]
    asked = turns = 0
    for last in data.draw(st.lists(st.integers(0, 30), max_size=4)):
        model, judge = Canned(last), Judged()
        with pytest.raises(EndpointError):
            talked(path, model, judge)
        asked, turns = asked + len(model.asked), turns + len(judge.turns)
    model, judge = Canned(), Judged()
    found, tally = talked(path, model, judge)
    assert found == expected
    in_all = tally.answered + tally.kept
    assert asked + len(model.asked) <= in_all + 4 * WIDTH
    assert turns + len(judge.turns) <= in_all + 4 * WIDTH


def test_what_is_under_way_is_kept_when_a_verdict_is_lost(tmp_path: Path) -> None:
    lost = asyncio.Event()

    class Waiting(Canned):
        async def answer(self, messages: Sequence[dict[str, str]]) -> Answer:
            answer = await super().answer(messages)
            if len(self.asked) > 1:
                await lost.wait()
                await asyncio.sleep(0.1)
            return answer

    class Lost(Judged):
        async def __call__(self, *_: object) -> Mapping[Name, Verdict]:
            lost.set()
            raise SandboxError("gone")

    async def kept() -> int:
        async with journal(tmp_path / "j") as answers:
            return len(answers.answers)

    model = Waiting()
    with pytest.raises(SandboxError):
        talked(tmp_path / "j", model, Lost())
    assert (len(model.asked), asyncio.run(kept())) == (WIDTH, WIDTH)


@pytest.fixture(autouse=True)
def _threads_end() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before


@contextmanager
def queue_of(world: World, workers: int = 2) -> Iterator[CaseQueue]:
    queue = CaseQueue(world.workplace(workers))
    with queue.judged():
        yield queue


@pytest.mark.parametrize("workers", [1, 5])
def test_every_case_gets_its_own_verdict(workers: int) -> None:
    world = World()
    with queue_of(world, workers) as queue:
        cases = [case(f"{'bad' if n % 3 == 0 else 'right'} {n}", n) for n in range(200)]
        verdicts = [future.result(30) for future in queue.verdicts(cases)]
    assert [v.key.sample for v in verdicts] == list(range(200))
    assert all((v.status is Status.FAILED) == (v.key.sample % 3 == 0) for v in verdicts)
    assert world.left_open == []


def test_a_few_cases_are_one_batch_since_each_brings_its_canaries() -> None:
    world, count = World(), len(FAMILY.canaries) + 1
    with queue_of(world, 5) as queue:
        for future in queue.verdicts([case("right", n) for n in range(count)]):
            future.result(30)
    assert len(world.ran) == count + len(FAMILY.canaries)


def test_many_conversations_share_a_queue() -> None:
    """They ask for the prompt, A and B; A fails."""

    def plan_by_set(found: Case, limits: Limits) -> Execution | Verdict:
        kind = {"": found.generation.text, "base": "right", "A": "bad", "B": "right"}
        text = f"{kind[found.test_set]} {found.task.hidden.get('word', '')}"
        return plan(replace(found, generation=replace(found.generation, text=text)), limits)

    world, talks = World(), asking().talks
    whole = {n: Task(n, {}, {"word": "veiled"}) for n in range(30)}
    family = replace(FAMILY, plan=plan_by_set)
    queue = CaseQueue(replace(world.workplace(), judged=family, tasks=whole))
    judge = sandbox_judge(talks(None), dict.fromkeys(whole, queue))

    async def asked() -> list[list[bool]]:
        rows = await asyncio.gather(*(judge(Task(n, {}, {}), "x", (None, "A", "B")) for n in whole))
        return [[verdict.passed for verdict in row.values()] for row in rows]

    with queue.judged():
        assert asyncio.run(asked()) == [[True, False, True]] * 30
    assert "bad veiled" in world.texts(), "judged by a task's hidden part"


def test_a_machinery_that_fails_is_told_to_who_waits() -> None:
    world = World(refusals=[SandboxError("no engine")])
    with queue_of(world, 1) as queue:
        (future,) = queue.verdicts([case("right")])
        with pytest.raises(SandboxError, match="no engine"):
            future.result(30)
    assert world.left_open == []


def test_a_worker_that_nobody_needs_gives_its_sandbox_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "IDLE_SECONDS", 0.05)
    world = World()
    with queue_of(world, 1) as queue:
        for count in (1, 2):
            (future,) = queue.verdicts([case("right")])
            assert future.result(30).passed
            assert len(world.opened) == count
            wait_for(lambda: not world.left_open)
