"""What stops each hostile case of the three corpora: a table of mechanisms, before and after.

    python -m bench.mechanisms write FILE [functions|projects|java|aixbench ...]
    python -m bench.mechanisms table BEFORE AFTER

`write` judges the corpora of this checkout in containers and stores one JSON line for each case.
`table` counts the cases of two such files by what stops them: the verdict, or kinds of evidence
against a pass.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from evaluation.engine.records import Integrity, Status, Verdict, evidence_in
from evaluation.engine.sandbox import docker, images

PASSES = "passes"
STATUSES = {status.value for status in Status}
# Kinds of evidence of the rules that read a candidate's text, and of those that watched which
# classes take part in a comparison. Both are gone (decision 0033).
READ_TEXTS = {"text", "interference", "source", "signs", "exec", "compile", "pickle.find_class"}
COMPARED_PARTS = {"compare", "held", "refused", "equal", "not changed"}


def main(command: str, *words: str) -> None:
    if command == "table":
        print(table(*(_mechanisms(Path(word)) for word in words)))
        return
    path, *corpora = words
    with Path(path).open("w", encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        for corpus in corpora or CORPORA:
            home = Path(folder, corpus)
            home.mkdir()
            for case, verdict in CORPORA[corpus](home):
                line = {"case": f"{corpus}/{case}", "mechanism": mechanism_of(verdict)}
                file.write(json.dumps(line) + "\n")
                file.flush()


def mechanism_of(verdict: Verdict) -> str:
    if verdict.status is not Status.PASSED:
        return str(verdict.status.value)
    if verdict.integrity is Integrity.SUSPECT:
        return " + ".join(sorted({entry.kind for entry in evidence_in(verdict.evidence)}))
    return f"{PASSES}, {verdict.tier.value}" if hasattr(verdict, "tier") else PASSES


def functions(folder: Path) -> Iterator[tuple[str, Verdict]]:
    from tests.evaluation.engine import test_corpus

    cases = [case for case in test_corpus.CASES if case.expect == "not passed"]
    bench = test_corpus.Bench(images.ensure(docker.client(), "python").reference, folder, cases)
    for case in cases:
        yield case.name, bench.judge(case)[0]
    bench.close()


def projects(
    folder: Path, groups: tuple[str, ...] = ("python", "long")
) -> Iterator[tuple[str, Verdict]]:
    from tests.evaluation.engine.projects_corpus import test_projects_corpus

    for group in groups:
        home = folder / group
        home.mkdir()
        for case, verdict in test_projects_corpus._judged(group, home).items():
            if not case.startswith("honest/"):
                yield f"{group}/{case}", verdict


def java(folder: Path) -> Iterator[tuple[str, Verdict]]:
    return projects(folder, ("java",))


def aixbench(folder: Path) -> Iterator[tuple[str, Verdict]]:
    from tests.evaluation.engine.families.aixbench_auto import test_corpus

    image = images.ensure(docker.client(), "java").reference
    for seconds in (test_corpus.USUAL, test_corpus.LEAST):
        cases = [case for case in test_corpus.HOSTILE if test_corpus.seconds_of(case) == seconds]
        judge = test_corpus.opened(folder, test_corpus.judged_as_usual(), image, seconds)
        for first in range(0, len(cases), test_corpus.BATCH):
            batch = cases[first : first + test_corpus.BATCH]
            judged = [test_corpus.of(case.task, n, case.text) for n, case in enumerate(batch)]
            for case, verdict in zip(batch, judge.batch(judged), strict=True):
                yield case.name, verdict
        judge.close()


CORPORA = {"functions": functions, "aixbench": aixbench, "projects": projects, "java": java}


def _mechanisms(path: Path) -> dict[str, str]:
    """By corpus and name: a case may have moved to another folder."""
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return {re.sub("/.*/", "/", line["case"]): _class_of(line["mechanism"]) for line in lines}


def _class_of(mechanism: str) -> str:
    kinds = set(mechanism.split(" + "))
    if mechanism.startswith(PASSES):
        return mechanism
    if kinds <= STATUSES:
        return "does not pass"
    if kinds <= READ_TEXTS:
        return "text rules alone"
    if kinds <= READ_TEXTS | COMPARED_PARTS:
        return "comparison rules, alone or with text rules"
    return "structure and text rules" if kinds & READ_TEXTS else "structure alone"


def table(before: dict[str, str], after: dict[str, str]) -> str:
    """Markdown: one row for each corpus and pair of mechanisms, with the number of cases."""
    rows = Counter(
        (case.partition("/")[0], before.get(case, "new case"), after.get(case, "removed"))
        for case in {*before, *after}
    )
    lines = [f"| {' | '.join(row)} | {count} |" for row, count in sorted(rows.items())]
    return "\n".join(["| corpus | before | after | cases |", "|---|---|---|---:|", *lines])


if __name__ == "__main__":
    main(*sys.argv[1:])
