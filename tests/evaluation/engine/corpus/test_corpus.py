"""The corpus is whole and reads as it was written. Nothing in it is executed here."""

import ast
from collections import Counter
from pathlib import Path

import pytest
from evaluation.engine.records import Tier
from hypothesis import given
from hypothesis import strategies as st

from . import TASKS, all_cases
from .case import parse_case, read_case

HERE = Path(__file__).parent
CASES = all_cases()
ODD, CORRECT = "odd_but_right", "hostile_but_correct"
STATUSES = {
    "failed",
    "compile_error",
    "runtime_error",
    "timeout",
    "memory_exceeded",
    "output_exceeded",
}


def test_the_corpus_is_as_large_as_promised() -> None:
    kinds = Counter(case.kind for case in CASES)
    assert kinds[ODD] >= 20
    assert sum(kinds.values()) - kinds[ODD] - kinds[CORRECT] >= 80


def test_names_are_unique() -> None:
    assert max(Counter(case.name for case in CASES).values()) == 1


def test_no_file_has_a_name_that_pytest_would_import() -> None:
    for pattern in ("test_*.py", "*_test.py", "conftest.py", "__init__.py"):
        assert not [path for path in HERE.glob(f"*/**/{pattern}") if path.parent != HERE]


def test_each_case_fits_a_task_and_expects_what_its_kind_does() -> None:
    for case in CASES:
        task = TASKS[case.family][case.task]
        assert case.requirement is None or case.requirement in task["requirements"], case.name
        expect = {ODD: "passed", CORRECT: "any"}.get(case.kind, "not passed")
        assert case.expect == expect or (case.expect == "passed" and case.tier), case.name
        assert case.tier in {"", *Tier}, case.name
        assert case.statuses <= STATUSES, case.name
        assert case.why, case.name


def test_every_rucodeeval_task_has_an_answer_for_each_test() -> None:
    for task in TASKS["rucodeeval"].values():
        assert len(ast.literal_eval(task["inputs"]["tests"])) == len(task["outputs"])


@given(
    text=st.text(st.characters(exclude_categories=["Cs"])),
    why=st.from_regex(r"\w[\w ]*", fullmatch=True),
)
def test_the_generation_is_read_back_to_the_byte(text: str, why: str) -> None:
    header = f"# task: add_all\n# expect: any\n# why: {why}\n"
    case = parse_case(header + text, HERE / "case.py", "kind")
    assert (case.text, case.why) == (text, why)


@given(line=st.text(st.characters(exclude_characters="-\n")))
def test_a_line_that_is_no_field_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match="not a line of a header"):
        parse_case(f"{line}\n", HERE / "case.py", "kind")


def test_a_file_without_an_end_of_its_header_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "case.py"
    path.write_text("# task: add_all\n")
    with pytest.raises(ValueError, match="not a line of a header"):
        read_case(path, "kind")
