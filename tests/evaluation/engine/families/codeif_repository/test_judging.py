"""Tests of judging generations in a repository, and of what its references say about
requirements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pytest

from evaluation.engine.families.codeif_repository import FAMILY, dataset, judging
from evaluation.engine.instructions import (
    BASE,
    BASE_SET,
    DYNAMIC,
    EXTENSION,
    MULTI_TURN,
    SINGLE_ROUND,
)
from evaluation.engine.projects.suite import CONTROL, ORACLE
from evaluation.engine.records import (
    Case,
    Execution,
    Integrity,
    Limits,
    Outcome,
    Prepared,
    Reference,
    Status,
    Step,
    Task,
    Verdict,
)
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.inside.pytest_plugin import places
from tests.evaluation.engine.families.codeif_repository.cases import (
    SOURCE,
    TESTS,
    TREE,
    afloat,
    case,
    in_image,
    metres,
)
from tests.support import projects

RIGHT = "def metres(feet: float) -> float:\n    return round(feet * 0.3048, 2)"
CAREFUL = """def metres(feet: float, fathoms: bool = False) -> float:
    if feet < 0:
        raise ValueError("A depth is no height.")
    return round(float(feet) * (6 if fathoms else 1) * 0.3048, 2)
"""
NO_PROGRAM = "def metres(feet:\n"
EXCEPTIONS, TYPES = "Exception Handling", "Input-Output Conditions"


def planned(given: Case) -> Execution:
    found = judging.plan(given, judging.LIMITS)
    assert isinstance(found, Execution)
    return found


def files(execution: Execution) -> Mapping[str, str]:
    found = execution.payload["files"]
    return {path: text for path, text in found.items() if isinstance(text, str)}


@pytest.mark.parametrize("decorators", ["", "@cache\n", "@cache\n@wraps(\n    print,\n)\n# Old.\n"])
def test_a_generation_is_in_its_place_below_decorators_of_the_file(decorators: str) -> None:
    first, body, last = metres().hidden["lines"]
    lines, added = TREE[SOURCE].splitlines(keepends=True), decorators.count("\n")
    text = "".join([*lines[: first - 1], decorators, *lines[first - 1 :]])
    moved = {**metres().hidden, "lines": [first + added, body + added, last + added]}
    task, prepared = replace(metres(), hidden=moved), in_image({**TREE, SOURCE: text})
    place = judging.SUITE.place(task, prepared)
    changed = files(planned(case(task, RIGHT, prepared=prepared)))[SOURCE]
    told = {name: value for name, value in place.told(changed).items() if name != "path"}
    skeleton = str(told.pop("skeleton")).encode()
    assert places.fault(changed.encode(), skeleton=skeleton, **told) is None
    for outside in (f"{RIGHT}\n\ndef _late():\n    x = 1", f"@cache\n{RIGHT}"):
        text = changed.replace(RIGHT, outside)
        told["lines"] = place.lines(text)
        assert places.fault(text.encode(), skeleton=skeleton, **told) is None
    moved_up = changed.replace("\n\n\n", "\n\nx = 1\n", 1)
    assert places.fault(moved_up.encode(), skeleton=skeleton, **told)


def test_a_run_gets_the_changed_file_and_the_tests_that_the_sources_lack() -> None:
    execution = planned(case(metres(), f"```python\n{RIGHT}\n```"))
    written = files(execution)
    assert set(written) == {SOURCE, TESTS}
    assert f"\n{RIGHT}\n" in written[SOURCE]
    assert "def test_metres_refuses_heights" in written[TESTS]
    assert execution.limits == Limits(60.0, memory=5 * 2**30, pids=512, open_files=1024)


def test_an_unsound_requirement_is_told_at_once() -> None:
    task = metres()
    task = Task(task.id, {**task.public, "unsound": {EXCEPTIONS: "."}}, task.hidden)
    found = judging.plan(case(task, RIGHT, SINGLE_ROUND, EXCEPTIONS), judging.LIMITS)
    assert (found.status, found.flags) == (Status.FAILED, (judging.UNSOUND,))


def test_a_task_fits_sources_that_hold_its_code() -> None:
    assert judging.unfit(metres(), in_image()) == ""
    dos = {**TREE, SOURCE: TREE[SOURCE].replace("\n", " \r\n")}
    assert judging.unfit(afloat(), in_image(dos)) == ""


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("\n" + TREE[SOURCE], f"Line 6 of {SOURCE} is not what the task's code has: ''."),
        ("x = 1\n", f"{SOURCE} ends before line 8."),
        (None, f"There is no {SOURCE}."),
    ],
)
def test_how_sources_differ_is_said(source: str | None, words: str) -> None:
    tree = {path: text for path, text in TREE.items() if path != SOURCE}
    image = in_image(tree if source is None else {**tree, SOURCE: source})
    assert judging.unfit(metres(), image) == words


# --- References, of what runs came to ---------------------------------------------------------


def ran(*ends: Sequence[str], complete: bool = True, nodes: Sequence[str] = ()) -> Outcome:
    tests = {node: [*end] for node, end in zip(nodes, ends, strict=True)}
    return Outcome(exit_code=0, report={"exit": 0, "complete": complete, "tests": tests})


def oracle_on(category: str, end: Sequence[str], task: Task | None = None) -> Reference:
    task = task or metres()
    node = task.hidden["nodes"][category]
    outcome = ran(end, nodes=[node]) if end else ran(complete=False)
    name = f"{ORACLE}:{category}"
    return judging.REFERENCES.judge(task, in_image(), {}, name, outcome)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (("passed", ""), ""),
        (("failed", "Failed: DID NOT RAISE <class 'ValueError'>"), ""),
        (("failed", "ModuleNotFoundError: No module named 'your_module'"), "'your_module'"),
        (("failed", "NameError: name 'client' is not defined"), "'client'"),
        (("failed", "TypeError: test_metres_refuses_heights() takes 0 positional"), "takes 0"),
        (("error", "file /t.py, line 3"), "Its test cannot pass: file"),
        ((), f"pytest finds no test at {TESTS}::test_metres_refuses_heights."),
    ],
)
def test_a_requirement_is_unsound_where_its_test_is_at_fault(
    end: Sequence[str], words: str
) -> None:
    found = oracle_on(EXCEPTIONS, end)
    assert found.part == EXCEPTIONS
    assert words in found.unsound
    assert bool(found.unsound) == bool(words)


def test_a_test_that_cannot_be_brought_there_is_unsound() -> None:
    task = metres()
    hidden = {**task.hidden, "unit_tests": {EXCEPTIONS: "def test_(x:"}}
    found = oracle_on(EXCEPTIONS, (), Task(task.id, task.public, hidden))
    assert found.unsound == (
        "The sources lack its test, and it cannot be put there: its text does not parse."
    )


def test_a_solution_that_fails_the_task_s_own_tests_is_unsound() -> None:
    outcome = ran(("failed", "assert 1"), nodes=[f"{TESTS}::test_metres"])
    found = judging.REFERENCES.judge(metres(), in_image(), {}, ORACLE, outcome)
    assert found.unsound


def test_no_control_is_made_of_tests_that_did_not_come_to_their_end() -> None:
    known = {f"{ORACLE}:{EXCEPTIONS}": oracle_on(EXCEPTIONS, ())}
    name = f"{CONTROL}:{EXCEPTIONS}"
    assert judging.REFERENCES.plan(metres(), in_image(), known, name) is None


def test_a_task_has_no_references_for_requirements_that_it_lacks() -> None:
    plan = partial(judging.REFERENCES.plan, metres(), in_image(), {})
    assert plan(f"{ORACLE}:Code Complexity") is None
    assert plan(f"{ORACLE}:{EXTENSION}") is not None


# --- In containers ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def prepared() -> Prepared:
    return projects.prepared(TREE)


@pytest.fixture(scope="module")
def sandbox(prepared: Prepared) -> Iterator[Fresh]:
    with Fresh(prepared, judging.LIMITS) as opened:
        yield opened


@pytest.fixture(scope="module")
def references(prepared: Prepared, sandbox: Fresh) -> dict[str, Reference]:
    """The references of the sample's first task."""
    known: dict[str, Reference] = {}
    family = judging.REFERENCES
    for name in family.names:
        execution = family.plan(metres(), prepared, known, name)
        if execution is not None:
            (outcome,) = sandbox.run_all([execution])
            known[name] = family.judge(metres(), prepared, known, name, outcome)
    return known


def judged(given: Case, sandbox: Fresh) -> Verdict:
    family = FAMILY.judged
    steps: list[Step] = []
    execution: Execution | None = planned(given)
    while execution is not None:
        (outcome,) = sandbox.run_all([execution])
        steps.append(Step(execution, outcome))
        execution = family.proceed(given, steps)
    return family.judge(given, steps)


@pytest.mark.docker
def test_the_references_tell_what_a_requirement_s_test_does(
    references: dict[str, Reference],
) -> None:
    status = {name: reference.status for name, reference in references.items()}
    assert status[ORACLE] is status[f"{ORACLE}:{TYPES}"] is Status.PASSED
    assert status[f"{ORACLE}:{EXCEPTIONS}"] is status["stub_pass"] is Status.FAILED
    assert not any(reference.unsound for reference in references.values())
    refuses = f"{TESTS}::test_metres_refuses_heights"
    assert references[f"{CONTROL}:{EXCEPTIONS}"].facts["went_through"] == [refuses]


@pytest.mark.docker
@pytest.mark.parametrize(
    ("text", "setting", "requirement", "status"),
    [
        (RIGHT, BASE, None, Status.PASSED),
        (NO_PROGRAM, BASE, None, Status.COMPILE_ERROR),
        (RIGHT, SINGLE_ROUND, EXCEPTIONS, Status.FAILED),
        (CAREFUL, SINGLE_ROUND, EXCEPTIONS, Status.PASSED),
        (CAREFUL, MULTI_TURN, EXCEPTIONS, Status.PASSED),
        (CAREFUL, SINGLE_ROUND, EXTENSION, Status.PASSED),
    ],
)
def test_a_generation_gets_the_verdict_of_its_tests(
    prepared: Prepared,
    sandbox: Fresh,
    references: dict[str, Reference],
    text: str,
    setting: str,
    requirement: str | None,
    status: Status,
) -> None:
    given = case(metres(), text, setting, requirement, prepared, references)
    verdict = judged(given, sandbox)
    assert (verdict.status, verdict.integrity) == (status, Integrity.CLEAN), verdict.output
    assert (verdict.control_ms is not None) == (status is Status.PASSED)


FORGED = """def metres(feet, fathoms=False):
    import _pytest.runner
    from _pytest.reports import TestReport
    def passes(item, call):
        report = TestReport.from_item_and_call(item, call)
        report.outcome, report.longrepr = "passed", None
        return report
    _pytest.runner.pytest_runtest_makereport = passes
    import gc
    for manager in gc.get_objects():
        if type(manager).__name__ == "PytestPluginManager":
            manager.hook.pytest_runtest_makereport.get_hookimpls()[0].function = passes
            for each in manager.hook.pytest_runtest_makereport.get_hookimpls():
                if each.plugin_name == "runner":
                    each.function = passes
    return feet
"""


@pytest.mark.docker
def test_who_rewrites_the_reports_does_not_pass(
    prepared: Prepared, sandbox: Fresh, references: dict[str, Reference]
) -> None:
    given = case(metres(), FORGED, SINGLE_ROUND, EXTENSION, prepared, references)
    verdict = judged(given, sandbox)
    assert verdict.status is Status.PASSED, "the forgery has to work to be worth anything"
    assert not verdict.passed
    assert "every test must fail" in verdict.evidence


@pytest.mark.docker
def test_the_canaries_are_what_they_say(
    prepared: Prepared, sandbox: Fresh, references: dict[str, Reference]
) -> None:
    found = judging.canaries(metres(), prepared, references)
    assert [canary.passes for canary in found] == [True, False]
    assert [judged(canary.case, sandbox).passed for canary in found] == [True, False]


def test_in_a_dialogue_an_instruction_is_judged_by_its_own_test() -> None:
    given = replace(case(metres(), CAREFUL, BASE), setting=DYNAMIC)
    base, alone = (
        planned(replace(given, test_set=name)).payload["command"] for name in (BASE_SET, EXCEPTIONS)
    )
    assert str(base).split()[-1] == f"{TESTS}::test_metres"
    assert [word for word in str(alone).split() if "::" in word] == list(
        dataset.nodes(metres(), "", EXCEPTIONS)
    )


def test_a_model_is_told_the_beginning_of_what_pytest_says_of_its_failures() -> None:
    output = f"collected 1 item\n\n====== FAILURES ======\n{'x' * 3000}\n"
    assert judging.failures(output) == "x" * 1024
    ended = "== ERRORS ==\nE  oh\n=== short test summary info ===\nFAILED tests/x.py\n"
    assert judging.failures(ended) == "E  oh"
    assert judging.failures("a crash") == "a crash"
