"""Transcripts of conversations are read completely, and errors that no verdict can repair are
reported."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.engine.conversations.transcripts import transcripts
from evaluation.engine.conversations.wording import OURS
from evaluation.engine.errors import UploadError
from evaluation.engine.records import Key, Slot, Task
from evaluation.engine.uploads import Bounds, SlotIndex, UploadReport, check, read
from tests.evaluation.engine.uploads.conftest import Put, lines
from tests.support.json_values import json_values

SENTENCES = {"A": "It has to do A.", "B": "It has to do B."}
FEEDBACK = OURS.dynamic.feedback_on(SENTENCES["A"], "AssertionError")


def task(name: int | str) -> Task:
    public = {"prompt": f"Write {name}.", "requirements": SENTENCES, "turns": ("A", "B")}
    return Task(name, public, {})


INDEX = SlotIndex.of([task(1), task(2), task("a.b")], lambda _: [Slot(None, 1)], transcripts(200))


def messages(*asked: str, answer: str = "code") -> list[dict[str, str]]:
    said = [[("user", one), ("assistant", answer)] for one in asked]
    return [{"role": role, "content": text} for turn in said for role, text in turn]


GOOD = messages("Write 1.", SENTENCES["A"], FEEDBACK, SENTENCES["B"])
OF_2 = messages("Write 2.")


def one(talk: Any = GOOD, **fields: Any) -> dict[str, Any]:
    return {"task_id": 1, "messages": talk, **fields}


def problem(report: UploadReport) -> tuple[int | None, object, str]:
    (found,) = report.problems
    return found.line, found.task_id, found.sentence


HEADER = {"generation": {"model": "m"}}
TWO = [one(), {"task_id": "2", "messages": OF_2}]


@pytest.mark.parametrize(
    "content",
    [
        lines(HEADER, *TWO),
        lines(*TWO),
        json.dumps(TWO).encode(),
        gzip.compress(lines(*TWO)),
        lines(one(completion="x", outputs=3, code="y"), {"namespace": "2", "messages": OF_2}),
    ],
    ids=["with a header", "lines", "array", "gzip", "other fields are ignored"],
)
def test_every_answer_is_a_generation_with_what_was_asked(put: Put, content: bytes) -> None:
    path = put(content)
    report = check(path, INDEX)
    assert (report.problems, report.format) == ((), "transcripts")
    assert (report.generations, report.tasks_seen, report.samples_max) == (5, 2, 1)
    found = [*read(path, INDEX)]
    assert [one.key for one in found] == [
        *(Key(1, 0, None, turn) for turn in (1, 2, 3, 4)),
        Key(2, 0, None, 1),
    ]
    assert [one.asked for one in found][:3] == ["Write 1.", SENTENCES["A"], FEEDBACK]
    assert {one.text for one in found} == {"code"}


def test_tasks_without_a_transcript_are_named(put: Put) -> None:
    report = check(put(lines(one())), INDEX)
    assert report.missing == (2, "a.b")
    assert report.confirmations == (
        "The file covers only 1 of 3 tasks. 2 of 3 tasks have no transcript: they will count as "
        "conversations in which no test passed.",
    )


@pytest.mark.parametrize(
    ("talk", "told"),
    [
        (None, "`messages` is not a conversation: messages must be a list"),
        ([], "at least one turn"),
        (GOOD[1:], "turn 1 of the transcript must have a message of the user here"),
        (GOOD[:-1], "turn 4 of the transcript has no answer"),
        ([{"role": "system", "content": "be good"}, *GOOD], "message of the user here"),
        (GOOD[:2] + GOOD[3:], "turn 2 of the transcript must have a message of the user here"),
        ([GOOD[0], GOOD[0]], "turn 1 of the transcript must have a message of the assistant"),
        ([{"role": "user", "content": None}], "turn 1 of the transcript has a message whose"),
        (["a", "b"], "turn 1 of the transcript has a message that is not a JSON object"),
        (messages("Write 2."), "Turn 1 is not exactly the task's prompt."),
        (messages("Write 1.", "Do C."), "Turn 2 is not one of the task's messages."),
        (messages("Write 1.", FEEDBACK + "Use a loop."), "Turn 2 is not one of the task's"),
        (messages("Write 1.", *[SENTENCES["A"]] * 6), "Turn 7 comes after the conversation's end."),
        (messages("Write 1.", answer="\ud800"), "Turn 1 contains half of a surrogate pair"),
    ],
)
def test_what_cannot_be_right_is_told_with_line_and_task(put: Put, talk: Any, told: str) -> None:
    line, task_id, sentence = problem(check(put(lines(TWO[1], one(talk))), INDEX))
    assert (line, task_id) == (2, 1)
    assert told in sentence
    assert "Upload the transcript" in sentence or "surrogate" in sentence


def test_texts_have_bounds(put: Put) -> None:
    path, few = (
        put(lines(one(messages("Write 1.", answer="x" * 101)))),
        Bounds(generation_chars=100),
    )
    assert "Turn 1 is longer than 100" in problem(check(path, INDEX, few))[2]
    path, short = put(lines(TWO[1], one())), Bounds(record_bytes=120)
    assert "longer than 120 bytes" in problem(check(path, INDEX, short))[2]


def test_a_conversation_is_held_once_for_each_task(put: Put) -> None:
    line, task_id, sentence = problem(check(put(lines(one(), one())), INDEX))
    assert (line, task_id) == (2, 1)
    assert sentence == (
        "Line 1 already has the generations of this task. A conversation is held once for each "
        "task."
    )


def test_a_record_of_another_form_is_a_problem_of_its_own(put: Put) -> None:
    content = lines(one(), {"task_id": 2, "completion": "code"})
    assert "The record has no `messages`." in problem(check(put(content), INDEX))[2]


@pytest.mark.parametrize(
    "content",
    [
        lines({"task_id": 1, "completion": "code"}),
        lines({"doc": {"meta": {"id": 1}}, "resps": [["code"]]}),
        json.dumps({"data": {"test": [{"outputs": "code", "meta": {"id": 1}}]}}).encode(),
    ],
    ids=["completions", "a log", "mera"],
)
def test_other_formats_are_told_what_this_setting_takes(put: Put, content: bytes) -> None:
    assert "This setting takes transcripts" in problem(check(put(content), INDEX))[2]


JSON = json_values(texts=tuple(SENTENCES.values()))
ROLES, SAID = st.sampled_from(["user", "assistant"]), st.sampled_from(["Write 1.", FEEDBACK])
MESSAGE = st.fixed_dictionaries({"role": ROLES | JSON, "content": SAID | JSON})
RECORD = st.fixed_dictionaries(
    {"task_id": st.sampled_from([1, 2, "a.b"]) | JSON, "messages": st.lists(MESSAGE) | JSON}
)


@given(st.lists(RECORD | JSON, max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_records_are_read_as_they_were_counted_or_told_why_not(
    tmp_path: Path, records: list[Any]
) -> None:
    path = tmp_path / "upload"
    path.write_bytes(lines(*records))
    report = check(path, INDEX)
    if report.ok:
        assert len([*read(path, INDEX)]) == report.generations > 0
        return
    assert all(problem.sentence for problem in report.problems)
    with pytest.raises(UploadError):
        [*read(path, INDEX)]
