"""A small benchmark, and the command line over it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import write_lines

RIGHT = {
    "double": "    return 2 * n\n",
    "shout": "    return text.upper() + '!'\n",
    "first": "    return items[0]\n",
}
_HEADS = {
    "double": "def double(n):\n",
    "shout": "def shout(text):\n",
    "first": "def first(items):\n",
}
_TESTS: dict[str, list[tuple[dict[str, Any], str]]] = {
    "double": [({"n": 4}, "8"), ({"n": -1}, "-2"), ({"n": 0}, "0")],
    "shout": [({"text": "да"}, "ДА!")],
    "first": [({"items": [5, 6]}, "5"), ({"items": [None, 1]}, "None")],
}
WRONG = "    return NotImplemented\n"
ENDLESS = "    while True:\n        pass\n"


@dataclass(frozen=True, slots=True)
class Small:
    """Three ruCodeEval tasks, their answers, and two generations for each of two of them."""

    tasks: Path
    answers: Path
    predictions: Path
    report: Path

    def words(self, command: str = "run", /, **changed: str | Path | None) -> list[str]:
        """A command's words; `name=value` gives or changes an option, None leaves it out."""
        options: dict[str, str | Path | None] = {
            "tasks": self.tasks, "answers": self.answers, "predictions": self.predictions,
        }  # fmt: skip
        if command == "run":
            options |= {"report": self.report, "workers": "1"}
        options |= changed
        given = [(name, value) for name, value in options.items() if value is not None]
        return [command, "rucodeeval", *(f"--{name}={value}" for name, value in given)]


def small(folder: Path) -> Small:
    tasks = [
        {
            "instruction": "{function}",
            "inputs": {"function": _HEADS[name], "tests": json.dumps([x for x, _ in tests])},
            "outputs": [],
            "meta": {"id": number, "entry_point": name},
        }
        for number, (name, tests) in enumerate(_TESTS.items(), 1)
    ]
    answers = [
        {"id": number, "outputs": [said for _, said in tests]}
        for number, tests in enumerate(_TESTS.values(), 1)
    ]
    generations = [
        {"task_id": 1, "completion": RIGHT["double"]},
        {"task_id": 2, "completion": RIGHT["shout"]},
        {"task_id": 1, "completion": WRONG},
        {"task_id": 2, "completion": RIGHT["shout"]},
    ]
    return Small(
        write_lines(folder / "tasks.jsonl", tasks),
        write_lines(folder / "answers.jsonl", answers),
        write_lines(folder / "predictions.jsonl", generations),
        folder / "report.jsonl",
    )


@pytest.fixture
def given(tmp_path: Path) -> Small:
    return small(tmp_path)
