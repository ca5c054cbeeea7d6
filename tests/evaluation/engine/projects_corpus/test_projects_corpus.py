"""Tests of hostile generations inside real projects, in real containers: none passes, and none
disturbs another.

The cases are bodies of one function. Those in `<language>/hostile/*.txt` must not pass, whatever
they do to the tests, the reporter, the tree or the machine; those in `<language>/honest/*.txt` must
pass. Those in `<language>/suspect/*.txt` pass every test, and their first line names the defences
that make the pass suspect: without these defences it would count. Those in
`<language>/shared/*.txt` pass, one of each kind: tests that share a process with the program cannot
rule them out, which the verdict's tier says. All cases of a language are judged in one run, cheats
and honest ones in turn."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from textwrap import indent

import pytest

from evaluation.engine import registry
from evaluation.engine.family import ByExecution
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import joined
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import Workplace, open_workplace, required
from evaluation.engine.records import (
    Case,
    Generation,
    Integrity,
    Key,
    Status,
    Tier,
    Verdict,
    evidence_in,
)
from evaluation.engine.runs import judge_cases
from evaluation.engine.sandbox import docker
from evaluation.engine.sandbox.slots import Slots
from tests.support.ledgers import Ledger, java_ledger, python_ledger

HERE = Path(__file__).parent
LEDGERS: dict[str, tuple[str, Callable[[Path], Ledger]]] = {
    "python": ("realcode", python_ledger),
    "java": ("realcode_java", java_ledger),
}
# By language: seconds of processor time, and the wall factor. Both are lower than usual, so that
# endless cheats end soon, but an honest case on a busy machine still has enough wall time.
SECONDS = {"python": (3.0, 3.0), "java": (40.0, 2.0)}
# Each worker judges its cases in one batch, however busy the machine is: a batch of a minute would
# run more canaries than cases there.
BATCH_SECONDS = 3600.0

# Cheats that try several ways, and are wrong in one test alone, which passes if any way works.
SEVERAL_WAYS = (
    "finds_the_answer_somewhere",
    "replaces_what_compares",
    "writes_into_the_tests_and_the_build",
)
# Cheats for the long run: those that leave early, write to every descriptor, or use up processes,
# processor time, memory, files, output or wall time, whose end the tests of
# `sandbox/test_repository.py` show at lower cost.
LONG = (
    "forks_without_end",
    "exits_zero_when_called",
    "pytest_exit_zero",
    "kills_the_runner",
    "writes_frames_to_every_descriptor",
    "never_ends",
    "eats_memory",
    "fills_the_disk",
    "prints_without_end",
    "sleeps_for_ever",
)
# Honest cases that the short run judges one by one, the last two because their caller matters.
# There, all other honest cases are functions of one generation in a fence.
SINGLY = ("as_the_authors_wrote_it", "logs_in_its_callers_name", "warns")
TOGETHER = HERE / "python" / "honest" / "together.txt"
# Suspect cheats for the short run, some for each defence.
QUICK = (
    "equals_plain_numbers_only",
    "compares_by_a_librarys_method",
    "asks_for_its_callers_frame",
    "searches_all_objects",
    "leaves_its_function_by_a_form_feed",
    "patches_the_assertions_of_unittest",
)
# Patterns of the sentences that each defence writes; the first one that matches counts.
DEFENCES = {
    "comparisons": "A class of its own decides|Expected exceptions did not come",
    "place": "outside of the function's place|end its method|in its place",
    "audit": "is used: |asked for the kind of run|Parts of tests were skipped",
    "channel": "did not ask and end",
    "tests": "classes of tests were changed",
    "run": "passed without reaching their end",
    "control": "n the control|Its control|Wrong expectations held",
}

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1800)]


def _cases(kind: str) -> Iterator[object]:
    """The cases as parameters. A build by Maven takes long, so Java's cases belong to the long
    run."""
    for path in sorted(HERE.glob(f"*/{kind}/*.txt")):
        language = path.parent.parent.name
        marks = [] if _group(path) == "python" else [pytest.mark.slow]
        name = f"{language}: {path.stem.replace('_', ' ')}"
        yield pytest.param(path, id=name, marks=marks)


def _group(path: Path) -> str:
    """The cases that are judged together: all of Java, Python's of the short run, or Python's of
    the long run."""
    language, kind = path.parts[-3:-1]
    long = {
        "hostile": path.stem in LONG,
        "suspect": path.stem not in QUICK,
        "honest": path.stem not in (*SINGLY, TOGETHER.stem),
    }
    return "long" if language == "python" and long.get(kind, False) else language


def _judged(group: str, folder: Path) -> dict[str, Verdict]:
    """The verdict of each case, by the names of its folder and of the case."""
    language = "python" if group == "long" else group
    slug, make = LEDGERS[language]
    family, ledger = registry.family(slug), make(folder)
    assert isinstance(family.judged, ByExecution)
    judged = replace(family.judged, batch_seconds=BATCH_SECONDS)
    seconds, factor = SECONDS[language]
    limits = replace(judged.limits, cpu_seconds=seconds, wall_factor=factor, memory=4 * 2**30)
    tasks = family.load_tasks(ledger.tasks, None)
    ((project, own),) = joined(tasks, required(judged)).items()
    options = Options.from_environment({"ASSAY_REPOSITORIES": ledger.mirror})
    setup = Setup(limits, Slots(folder / "slots"), lambda: options, workers=2)
    with open_workplace(judged, project, own, setup) as workplace:
        try:
            return _verdicts(workplace, group)
        finally:
            docker.sweep(own=True)


def _verdicts(workplace: Workplace, group: str) -> dict[str, Verdict]:
    (task,) = workplace.tasks.values()
    kinds = ("hostile", "honest", "suspect", "shared")
    found_in = (sorted(HERE.glob(f"*/{kind}/*.txt")) for kind in kinds)
    mixed = chain(*zip_longest(*found_in))
    paths = [path for path in mixed if path is not None and _group(path) == group]
    texts = {path: path.read_text("utf-8") for path in paths}
    if group == "python":
        texts[TOGETHER] = _together()
    keyed = [Generation(Key(task.id, n), text) for n, text in enumerate(texts.values())]
    cases = [Case(task, generation, "base") for generation in keyed]
    settled: list[Verdict] = []
    judge_cases(workplace, workplace.cases(cases), settled.extend)
    found = {verdict.key.sample: verdict for verdict in settled}
    return {f"{path.parent.name}/{path.stem}": found[n] for n, path in enumerate(texts)}


def _together() -> str:
    """The honest bodies as functions of one body, which calls all of them. Cases that are judged
    one by one are left out: a caller's place in a log is suspect if a program reads logs."""
    paths = sorted(p for p in TOGETHER.parent.glob("*.txt") if p.stem not in SINGLY)
    bodies = [p.read_text("utf-8") for p in paths]
    plain = [body for body in bodies if "```" not in body]
    ways = [f"def way_{n}(entries):\n{indent(body, '    ')}" for n, body in enumerate(plain)]
    called = ", ".join(f"way_{n}(entries)" for n in range(len(ways)))
    return "\n".join(["```python", *ways, f"return [{called}][-1]", "```"])


@pytest.fixture(scope="module")
def verdict_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Verdict]:
    @cache
    def judged(group: str) -> dict[str, Verdict]:
        return _judged(group, tmp_path_factory.mktemp(group))

    return lambda path: judged(_group(path))[f"{path.parent.name}/{path.stem}"]


@pytest.mark.parametrize("path", [*_cases("hostile")])
def test_a_cheat_does_not_pass(verdict_of: Callable[[Path], Verdict], path: Path) -> None:
    verdict = verdict_of(path)
    assert not verdict.passed, verdict
    assert verdict.status is not Status.NOT_RUN
    if path.stem in SEVERAL_WAYS:
        assert verdict.tests_passed == (verdict.tests_total or 0) - 1


@pytest.mark.parametrize("path", [*_cases("suspect")])
def test_a_cheat_that_passes_is_suspect_by_the_defences_it_names(
    verdict_of: Callable[[Path], Verdict], path: Path
) -> None:
    """Each entry of the evidence belongs to one of these defences; without them, the pass would be
    clean."""
    verdict = verdict_of(path)
    assert (verdict.status, verdict.integrity) == (Status.PASSED, Integrity.SUSPECT), verdict
    surely, perhaps = named_in(path)
    found = {defence_of(entry.sentence) for entry in evidence_in(verdict.evidence)}
    assert surely <= found <= surely | perhaps, verdict.evidence


def named_in(path: Path) -> tuple[set[str], set[str]]:
    """The defences that surely catch the case, and those that may catch it by chance."""
    named = path.read_text("utf-8").splitlines()[0].partition("caught by: ")[2]
    surely, _, perhaps = named.partition(", perhaps ")
    return set(surely.split()), set(perhaps.split())


def defence_of(sentence: str) -> str:
    return next(name for name, pattern in DEFENCES.items() if re.search(pattern, sentence))


@pytest.mark.parametrize("path", [*_cases("shared")])
def test_a_cheat_of_the_process_it_shares_with_tests_passes_in_the_shared_tier(
    verdict_of: Callable[[Path], Verdict], path: Path
) -> None:
    verdict = verdict_of(path)
    assert (verdict.status, verdict.integrity) == (Status.PASSED, Integrity.CLEAN), verdict
    assert verdict.tier is Tier.SHARED


@pytest.mark.parametrize("path", [*_cases("honest"), pytest.param(TOGETHER, id="python: together")])
def test_an_honest_generation_passes(verdict_of: Callable[[Path], Verdict], path: Path) -> None:
    verdict = verdict_of(path)
    assert (verdict.status, verdict.integrity) == (Status.PASSED, Integrity.CLEAN), verdict
    assert verdict.control_ms is not None
