"""Example prediction files for a board, with real task ids and requirements."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from evaluation.engine.records import Slot, TaskId
from leaderboard.benchmarks.models import Benchmark
from leaderboard.benchmarks.public import public_record

TASKS_SHOWN = 2
SLOTS_SHOWN = 2
FIRST, SECOND = "first answer", "second answer"
_ASKED, _ASKED_NEXT = "the task's prompt", "its first instruction that the answer fails"


@dataclass(frozen=True, slots=True)
class Example:
    title: str
    line: str
    text: str


def format_examples(benchmark: Benchmark, setting: str) -> tuple[Example, ...]:
    """The accepted formats, with the first tasks of the current revision."""
    places = list(_places(benchmark, setting, TASKS_SHOWN, SLOTS_SHOWN))
    if not places:
        return ()
    if benchmark.family.transcripts_in(setting) is not None:
        turns = (_ASKED, FIRST, _ASKED_NEXT, SECOND)
        messages = [
            {"role": role, "content": content}
            for role, content in zip(("user", "assistant") * 2, turns, strict=True)
        ]
        transcripts = Example(
            _("One line per task"),
            _("The conversation as `generate` writes it; other fields are ignored."),
            _lines({"task_id": task, "messages": messages} for task, _slot in places),
        )
        return (transcripts,)
    metas = [{"id": task, **_requirement(slot)} for task, slot in places]
    per_task = Example(
        _("One line per task"),
        _("JSON Lines, or one JSON array; all generations of a task in a list."),
        _lines(_record(place, outputs=[FIRST, SECOND]) for place in places),
    )
    of_harness = Example(
        _("A sample log of lm-evaluation-harness"),
        _("The generations are taken from resps; filtered_resps is never read."),
        _lines({"doc": {"meta": meta}, "resps": [[FIRST, SECOND]]} for meta in metas),
    )
    if benchmark.family.member is not None:
        classes = Example(
            _("A method or a class on each line"),
            _("Other fields, as in the benchmark's own files, are ignored."),
            _lines(_record(place, code=FIRST) for place in places),
        )
        zipped = Example(
            _("A zip of classes"),
            _("Each file is named after its task; any text may precede the number."),
            "\n".join(f"Model{task}.java" for task, _slot in places),
        )
        return (classes, zipped, per_task, of_harness)
    per_generation = Example(
        _("One line per generation"),
        _("Further lines for the same task are further samples."),
        _lines(_record(place, completion=text) for place in places for text in (FIRST, SECOND)),
    )
    mera = [{"outputs": [FIRST, SECOND], "meta": meta} for meta in metas]
    of_mera = Example(
        _("A MERA submission"),
        _("As the benchmark's own tools write it; also inside a .zip."),
        json.dumps({"data": {"test": mera}}, ensure_ascii=False),
    )
    return (per_task, per_generation, of_mera, of_harness)


def template_lines(benchmark: Benchmark, setting: str) -> Iterator[str]:
    """Yields a record for each required slot, with an empty generation to be replaced."""
    for place in _places(benchmark, setting):
        yield json.dumps(_record(place, outputs=[""]), ensure_ascii=False) + "\n"


def _places(
    benchmark: Benchmark, setting: str, tasks: int | None = None, slots: int | None = None
) -> Iterator[tuple[TaskId, Slot]]:
    """The required slots of the first `tasks` tasks, at most `slots` of each."""
    assert benchmark.current is not None, "only boards that take submissions have a form"
    for task in benchmark.current.tasks.order_by("number")[:tasks]:
        required = (s for s in benchmark.family.slots(public_record(task), setting) if s.required)
        for slot in islice(required, slots):
            yield task.id_in_dataset, slot


def _record(place: tuple[TaskId, Slot], **texts: Any) -> dict[str, Any]:
    task, slot = place
    return {"task_id": task, **_requirement(slot), **texts}


def _requirement(slot: Slot) -> dict[str, str]:
    return {"requirement": slot.requirement} if slot.requirement else {}


def _lines(records: Iterator[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
