"""What a case of the corpus is, and how its file reads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FIELD = re.compile(r"# (family|task|requirement|expect|tier|status|runs|defence|why): (.*)")
_END = "# ---\n"


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
    """A case: a header of comments, the line `# ---`, the generation. Else ValueError."""
    header, found, text = content.partition(_END)
    if not found:
        raise ValueError(f"{path}: no line '# ---'")
    fields = dict(_field(path, line) for line in header.split("\n")[:-1])
    return Case(
        path=path,
        kind=kind,
        family=fields["family"],
        task=fields["task"],
        expect=fields["expect"],
        why=fields["why"],
        text=text,
        requirement=fields.get("requirement"),
        tier=fields.get("tier", ""),
        statuses=frozenset(filter(None, fields.get("status", "").split("|"))),
        runs=int(fields.get("runs", "1")),
        defence=fields.get("defence", ""),
    )


def _field(path: Path, line: str) -> tuple[str, str]:
    matched = _FIELD.fullmatch(line)
    if matched is None:
        raise ValueError(f"{path}: not a line of a header: {line!r}")
    return matched[1], matched[2]
