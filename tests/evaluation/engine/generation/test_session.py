"""A session asks everything once, reports its progress, and ends when it is stopped."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine import instructions
from evaluation.engine.errors import BenchmarkError, SandboxError
from evaluation.engine.family import Sampling, Talks
from evaluation.engine.generation.answers import Asked, Patience
from evaluation.engine.generation.run import Conversation, Turns
from evaluation.engine.generation.session import (
    Session,
    Stopped,
    Stopper,
    generations,
    write_predictions,
)
from evaluation.engine.instructions import DYNAMIC, MULTI_TURN, TWO_ROUND
from evaluation.engine.records import Task
from evaluation.engine.registry import FAMILIES
from tests.evaluation.engine.generation.tasks import TASKS, Judged, said
from tests.support.endpoint import Endpoint, serving

Make = Callable[..., Session]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(Endpoint(said)) as scripted:
        yield scripted


@contextmanager
def turns(_talks: Talks, _stopped: Stopper) -> Iterator[Turns]:
    """Judges all tasks but the first."""
    yield Turns(Judged(), frozenset(task.id for task in TASKS[1:]), {"image": "sha256:0"})


@pytest.fixture
def session(endpoint: Endpoint, tmp_path: Path) -> Make:
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


def test_tasks_that_cannot_be_judged_are_not_asked_about(session: Make) -> None:
    one = session()
    header, records = one.predictions()
    assert [record["task_id"] for record in records] == [1, 2, 3, 4]
    assert (one.ready, one.tally.total, one.tally.over, one.tally.over_before) == (True, 4, 4, 0)
    assert (header["judged"], header["answers"]) == ({"image": "sha256:0"}, one.tally.answered)


@pytest.mark.parametrize(("stopping", "error"), [(True, Stopped), (False, SandboxError)])
def test_what_a_stop_ends_in_the_machinery_is_no_fault(
    session: Make, stopping: bool, error: type[Exception]
) -> None:
    @contextmanager
    def none(_talks: Talks, _stopped: Stopper) -> Iterator[Turns]:
        raise SandboxError("Stopped, or not.")
        yield

    with pytest.raises(error):
        session(turns=none).predictions(lambda: stopping)


def test_a_task_that_lacks_what_its_prompt_shows_is_found_before_anything_is_asked(
    session: Make, endpoint: Endpoint, tmp_path: Path
) -> None:
    said = {"turns": ["Code Standard"], "requirements": {"Code Standard": "Heed it."}}
    bare = Task("m.f", {**said, "requirement": {"Functionality": "It floats."}}, {}, level="L-2")
    with pytest.raises(BenchmarkError, match=r"Task m\.f lacks its"):
        session(setting="single_round", tasks=(*TASKS[:5], bare))
    assert (endpoint.requests, (tmp_path / "journal").exists()) == ([], False)


TASK = TASKS[3]
NAMES = TASK.public["turns"]
WHOLE = {None: "base", **{name: f"code of {name}" for name in NAMES}}


def records(setting: str, *conversations: Conversation) -> list[dict[str, Any]]:
    return list(generations(conversations, lambda task: instructions.slots(task, setting)))


def test_base_is_left_out_where_the_setting_has_no_place_for_it() -> None:
    found = records(TWO_ROUND, Conversation(TASK, 0, WHOLE, True))
    assert [record.get("requirement") for record in found] == NAMES


def test_samples_that_lack_an_answer_come_last() -> None:
    part = {None: "of 1"}
    found = records(
        MULTI_TURN,
        Conversation(TASK, 0, WHOLE, True),
        Conversation(TASK, 1, part, False),
        Conversation(TASK, 2, WHOLE, True),
    )
    bases = [record["completion"] for record in found if "requirement" not in record]
    assert bases == ["base", "base", "of 1"]


def test_a_transcript_is_a_line(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "да\u2028"}, {"role": "assistant", "content": "x"}]
    write_predictions(tmp_path / "p", {}, [{"task_id": 1, "messages": messages}])
    _, line = (tmp_path / "p").read_text("utf-8").split("\n")[:2]
    assert json.loads(line) == {"task_id": 1, "messages": messages}


def test_what_cannot_be_written_is_told_without_the_hosts_folders(tmp_path: Path) -> None:
    with pytest.raises(SandboxError) as caught:
        write_predictions(tmp_path / "nowhere" / "p", {}, [])
    assert str(caught.value).endswith(": p: No such file or directory.")
    assert str(tmp_path) not in str(caught.value)
