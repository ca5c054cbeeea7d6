"""The written file can be uploaded unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine import instructions
from evaluation.engine.errors import SandboxError
from evaluation.engine.generation.run import Conversation
from evaluation.engine.generation.writing import generations, write
from evaluation.engine.instructions import MULTI_TURN, TWO_ROUND
from evaluation.engine.records import Key
from evaluation.engine.uploads import SlotIndex, check, read
from tests.evaluation.engine.generation.tasks import TASKS

TASK = TASKS[3]
NAMES = TASK.public["turns"]
WHOLE = {None: "base", **{name: f"code of {name}" for name in NAMES}}


def records(setting: str, *conversations: Conversation) -> list[dict[str, Any]]:
    return list(generations(conversations, lambda task: instructions.slots(task, setting)))


def test_a_file_holds_what_was_said_and_how(tmp_path: Path) -> None:
    found = records(MULTI_TURN, Conversation(TASK, 0, WHOLE, True))
    write(tmp_path / "p", {"model": "m"}, found)
    index = SlotIndex.of([TASK], lambda task: instructions.slots(task, MULTI_TURN))
    report = check(tmp_path / "p", index)
    assert (report.problems, report.warnings, report.header) == ((), (), {"model": "m"})
    assert {one.key: one.text for one in read(tmp_path / "p", index)} == {
        Key(TASK.id, 0, name, turn): text for turn, (name, text) in enumerate(WHOLE.items())
    }


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
    write(tmp_path / "p", {}, [{"task_id": 1, "messages": messages}])
    _, line = (tmp_path / "p").read_text("utf-8").split("\n")[:2]
    assert json.loads(line) == {"task_id": 1, "messages": messages}


def test_what_cannot_be_written_is_told_without_the_hosts_folders(tmp_path: Path) -> None:
    with pytest.raises(SandboxError) as caught:
        write(tmp_path / "nowhere" / "p", {}, [])
    assert str(caught.value).endswith(": p: No such file or directory.")
    assert str(tmp_path) not in str(caught.value)
