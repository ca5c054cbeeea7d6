"""What a case of the corpus is, and how its file reads."""

import re
from dataclasses import dataclass
from pathlib import Path

from .tasks import TASKS

_FIELD = re.compile(r"# (task|requirement|expect|tier|status|runs|defence|why): (.*)")
_FAMILIES = {task: family for family, tasks in TASKS.items() for task in tasks}
# What cases of a kind expect, if they do not say it; those of other kinds must not pass.
_EXPECTED = {"odd_but_right": "passed", "hostile_but_correct": "any"}


@dataclass(frozen=True, slots=True)
class Case:
    """A generation, the task that it answers, and the expected verdict.

    `expect` is "passed", "not passed" or "any"; afterwards the next good generation must pass. A
    `tier` is the verdict's; a hostile case that passes has one, and says why it passes.
    `statuses` are the possible statuses of "not passed", or empty if they vary. A case that may
    time out gets a short limit. `runs` is the number of times that the case is judged in one
    container: a later run may find files of an earlier one. `requirement` is a category of
    codeif_function's setting single_round; None is its base setting. `defence` names the defence
    that stops the case: if it is off, the case passes clean (`defences.py`).
    """

    path: Path
    kind: str
    family: str
    task: str
    expect: str
    why: str
    text: str
    requirement: str | None = None
    tier: str = ""
    statuses: frozenset[str] = frozenset()
    runs: int = 1
    defence: str = ""

    @property
    def name(self) -> str:
        """Unique within the corpus and fit for a test's id."""
        return f"{self.kind}/{self.path.stem}"

    @property
    def setting(self) -> str:
        """The family's setting that the case is judged in."""
        return "base" if self.requirement is None else "single_round"


def read_case(path: Path, kind: str) -> Case:
    """The case in a file; its line ends are kept as they are."""
    return parse_case(path.read_bytes().decode("utf-8"), path, kind)


def parse_case(content: str, path: Path, kind: str) -> Case:
    """A case: a header of comments, the last of which says why, then the generation. Else
    ValueError."""
    fields: dict[str, str] = {}
    while "why" not in fields:
        line, _, content = content.partition("\n")
        matched = _FIELD.fullmatch(line)
        if matched is None:
            raise ValueError(f"{path}: not a line of a header: {line!r}")
        fields[matched[1]] = matched[2]
    return Case(
        path=path,
        kind=kind,
        family=_FAMILIES[fields["task"]],
        task=fields["task"],
        expect=fields.get("expect", _EXPECTED.get(kind, "not passed")),
        why=fields["why"],
        text=content,
        requirement=fields.get("requirement"),
        tier=fields.get("tier", ""),
        statuses=frozenset(filter(None, fields.get("status", "").split("|"))),
        runs=int(fields.get("runs", "1")),
        defence=fields.get("defence", ""),
    )
