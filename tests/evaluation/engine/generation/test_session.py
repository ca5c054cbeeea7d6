"""A session asks everything once, reports its progress, and ends when it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.errors import BenchmarkError, SandboxError
from evaluation.engine.family import Sampling, Talks
from evaluation.engine.generation.answers import Asked
from evaluation.engine.generation.retrying import Patience
from evaluation.engine.generation.session import Session, Stopped, Stopper
from evaluation.engine.generation.turns import Turns
from evaluation.engine.instructions import DYNAMIC
from evaluation.engine.records import Task
from evaluation.engine.registry import FAMILIES
from tests.evaluation.engine.generation.tasks import TASKS, Judged, said
from tests.support.endpoint import Endpoint, Messages, serving


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(Endpoint(said)) as scripted:
        yield scripted


@contextmanager
def turns(_talks: Talks, _stopped: Stopper) -> Iterator[Turns]:
    """Judges all tasks but the first."""
    yield Turns(Judged(), frozenset(task.id for task in TASKS[1:]), {"image": "sha256:0"})


@pytest.fixture
def session(endpoint: Endpoint, tmp_path: Path) -> Callable[..., Session]:
    def made(**more: Any) -> Session:
        given = {
            "family": FAMILIES["codeif_function"],
            "setting": DYNAMIC,
            "history": "last",
            "tasks": TASKS[:5],
            "asked": Asked(endpoint.url, "m", Sampling(samples=1)),
            "journal": tmp_path / "journal",
            "width": 2,
            "patience": Patience(),
            "prompts_of": "ours",
            "files": {},
            "turns": turns,
        }
        return Session(**{**given, **more})

    return made


def test_tasks_that_cannot_be_judged_are_not_asked_about(session: Callable[..., Session]) -> None:
    one = session()
    header, records = one.predictions()
    assert [record["task_id"] for record in records] == [1, 2, 3, 4]
    assert (one.ready, one.tally.total, one.tally.over, one.tally.over_before) == (True, 4, 4, 0)
    assert (header["judged"], header["answers"]) == ({"image": "sha256:0"}, one.tally.answered)


def test_another_session_asks_nothing_again(
    session: Callable[..., Session], endpoint: Endpoint
) -> None:
    before, asked = session().predictions(), len(endpoint.requests)
    again = session()
    assert again.predictions().records == before.records
    assert (len(endpoint.requests), again.tally.kept, again.tally.over_before) == (asked, asked, 4)


def test_a_stop_ends_it_soon(session: Callable[..., Session], endpoint: Endpoint) -> None:
    stop, over = threading.Event(), threading.Event()
    answered = list[bool]()

    def answer(messages: Messages) -> str:
        stop.set()
        over.wait(60)
        answered.append(True)
        return said(messages)

    endpoint.answer = answer
    with pytest.raises(Stopped):
        session(setting="single_round").predictions(stop.is_set)
    assert not answered, "it waited for an answer"
    over.set()
    assert len(endpoint.requests) <= 2


@pytest.mark.parametrize(("stopping", "error"), [(True, Stopped), (False, SandboxError)])
def test_what_a_stop_ends_in_the_machinery_is_no_fault(
    session: Callable[..., Session], stopping: bool, error: type[Exception]
) -> None:
    @contextmanager
    def none(_talks: Talks, _stopped: Stopper) -> Iterator[Turns]:
        raise SandboxError("Stopped, or not.")
        yield

    with pytest.raises(error):
        session(turns=none).predictions(lambda: stopping)


def test_a_task_that_lacks_what_its_prompt_shows_is_found_before_anything_is_asked(
    session: Callable[..., Session], endpoint: Endpoint, tmp_path: Path
) -> None:
    said = {"turns": ["Code Standard"], "requirements": {"Code Standard": "Heed it."}}
    bare = Task("m.f", {**said, "requirement": {"Functionality": "It floats."}}, {}, level="L-2")
    with pytest.raises(BenchmarkError, match=r"Task m\.f lacks its"):
        session(setting="single_round", tasks=(*TASKS[:5], bare))
    assert (endpoint.requests, (tmp_path / "journal").exists()) == ([], False)
