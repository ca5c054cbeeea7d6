"""Tests of the published files in all their shapes, and of what a generation has to pass."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import instructions
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.codeif_repository import dataset
from evaluation.engine.instructions import BASE, EXTENSION, MULTI_TURN, SINGLE_ROUND
from evaluation.engine.projects.sources import FILE, REQUIRES
from evaluation.engine.records import Task
from tests.evaluation.engine.families.codeif_repository.cases import (
    ITEMS,
    SOURCE,
    TESTS,
    afloat,
    metres,
    written,
)

REQUIREMENTS: dict[str, Any] = ITEMS[0]["requirements"]
NODE = f"{TESTS}::test_metres"


def loaded(folder: Path, **changes: Any) -> Task:
    (task,) = dataset.load_tasks(written(folder, {**ITEMS[0], **changes}), None)
    return task


def problems_of(path: Path) -> list[tuple[int | None, Any, str]]:
    with pytest.raises(BenchmarkError) as caught:
        dataset.load_tasks(path, None)
    return [(p.line, p.task_id, p.sentence) for p in caught.value.problems]


def without(name: str) -> dict[str, Any]:
    """The requirements without a field, as an older revision has them."""
    return {
        category: {key: value for key, value in content.items() if key != name}
        for category, content in REQUIREMENTS.items()
    }


def test_what_is_public_and_what_is_hidden() -> None:
    task = metres()
    assert (task.id, task.level, task.domain) == ("harbour.tides.metres", "L-1", "Sailing")
    assert task.public["signature"] == "def metres(feet):\n"
    assert task.public["path"] == SOURCE
    told = json.dumps(dict(task.public))
    assert "0.3048" not in told
    assert "test_" not in told
    assert task.hidden["tests"] == [NODE]
    for part in (afloat().public, afloat().hidden):
        assert json.loads(json.dumps(part)) == part


@pytest.mark.parametrize(
    "changes",
    [
        {"tests": json.dumps([NODE])},
        {"tests": repr([NODE])},
        {"tests": NODE},
        {"signature_position": "[6, 6]", "body_position": "[8, 8]"},
        {"requirements": repr(REQUIREMENTS)},
        {"requirements": {name: repr(content) for name, content in REQUIREMENTS.items()}},
        {
            "requirements": {
                name: {**content, "unit_test": content["unit_test"][0].split("\n")}
                for name, content in REQUIREMENTS.items()
            }
        },
        {"indent": 4},
        {"unknown": 1},
    ],
    ids=str,
)
def test_every_published_shape_has_one_normal_form(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert loaded(tmp_path, **changes) == metres()


def test_the_level_is_told_by_the_context(tmp_path: Path) -> None:
    assert afloat().level == "L-2"
    assert loaded(tmp_path, intra_context="", cross_context=[]).level == "L-3"


def test_what_prompts_show_of_the_project_is_public(tmp_path: Path) -> None:
    others: list[Any] = [{"harbour.pier.depth": "def depth():\n"}]
    task = loaded(tmp_path, intra_context="import pier\n", cross_context=others)
    assert task.public["intra_context"] == "import pier\n"
    assert task.public["cross_context"] == others
    assert loaded(tmp_path, context="x = 1\n").public["context"] == "x = 1\n"
    assert "context" not in metres().public


def test_half_a_surrogate_pair_is_written_as_python_reads_it(tmp_path: Path) -> None:
    test = {"unit_test": "assert f('\udc00')", "test": f"{TESTS}::test_x", "requirement": "."}
    changes: dict[str, Any] = {"requirements": {EXTENSION: test}, "multi-turn": None}
    contexts: dict[str, Any] = {"intra_context": "'\ud800'", "cross_context": [{"a": "'\udc00'"}]}
    task = loaded(tmp_path, **changes, **contexts)
    json.dumps([task.public, task.hidden], ensure_ascii=False).encode()
    assert task.public["intra_context"] == r"'\ud800'"
    assert task.hidden["unit_tests"] == {EXTENSION: "assert f('\\udc00')"}


def test_a_test_that_is_missing_is_taken_from_the_other_revision(tmp_path: Path) -> None:
    old = written(tmp_path, {**ITEMS[0], "requirements": without("test")}, name="old.jsonl")
    new = written(tmp_path, *ITEMS, name="new.jsonl")
    assert dataset.load_tasks(old, new) == (metres(),)


def test_a_text_is_taken_from_there_only_where_there_is_none(tmp_path: Path) -> None:
    of_old = {name: {**c, "unit_test": "assert 1"} for name, c in without("test").items()}
    del of_old[EXTENSION]["unit_test"]
    old = written(tmp_path, {**ITEMS[0], "requirements": of_old}, name="old.jsonl")
    (task,) = dataset.load_tasks(old, written(tmp_path, *ITEMS, name="new.jsonl"))
    texts = {**dict.fromkeys(REQUIREMENTS, "assert 1")}
    texts[EXTENSION] = REQUIREMENTS[EXTENSION]["unit_test"][0]
    assert task.hidden["unit_tests"] == texts


def test_a_requirement_without_a_counterpart_is_unsound_and_missed_by_nobody(
    tmp_path: Path,
) -> None:
    rest = {name: c for name, c in REQUIREMENTS.items() if name != "Exception Handling"}
    old = written(tmp_path, {**ITEMS[0], "requirements": without("test")}, name="old.jsonl")
    new = written(tmp_path, {**ITEMS[0], "requirements": rest}, name="new.jsonl")
    (task,) = dataset.load_tasks(old, new)
    assert task.public["unsound"] == {"Exception Handling": dataset.NO_NODE}
    slots = {slot.requirement: slot for slot in instructions.slots(task, MULTI_TURN)}
    assert not slots["Exception Handling"].required
    assert slots["Annotation Coverage"].turn == 3
    nodes = dataset.nodes(task, MULTI_TURN, "Annotation Coverage")
    assert nodes == (NODE, f"{TESTS}::test_metres_is_a_float", f"{TESTS}::test_metres_annotations")


def test_a_file_whose_tests_are_in_another_revision_is_not_loaded_without_it(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, {**ITEMS[0], "requirements": without("test")})
    ((_, _, sentence),) = problems_of(path)
    assert "give a revision that does so as the answers" in sentence


def test_a_folder_holds_several_files_and_others_beside_them(tmp_path: Path) -> None:
    written(tmp_path, ITEMS[0], name="L_1.jsonl")
    written(tmp_path, ITEMS[1], name="L_2.jsonl")
    written(tmp_path, {"task_id": 1, "prompt": "", "requirements": {}}, name="L_0.jsonl")
    assert dataset.load_tasks(tmp_path, None) == (metres(), afloat())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"code": None}, "code must be a text"),
        ({"code": "def metres(feet): pass"}, "as many lines as its positions say"),
        ({"completion_path": "elsewhere/tides.py"}, "must lie below project_path"),
        ({"body_position": [6, 8]}, "must follow signature_position"),
        ({"body_position": [0, 8]}, "body_position must be two line numbers"),
        ({"tests": ["--help::x"]}, "tests must be a node id"),
        ({"tests": ["../t.py::x"]}, "tests must be a node id"),
        ({"tests": ["/t.py::x"]}, "tests must be a node id"),
        ({"requirements": {"Speed": {"requirement": ""}}}, "Speed is none of the categories"),
        ({"requirements": {"Code Standard": {}}}, "Code Standard lacks its requirement"),
        ({"multi-turn": ["Code Standard"]}, "multi-turn names a category"),
        ({"cross_context": {}}, "cross_context must be a text or a list"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    ((line, task, sentence),) = problems_of(written(tmp_path, {**ITEMS[0], **changes}))
    assert (line, task) == (1, metres().id)
    assert words in sentence


@pytest.mark.parametrize("name", sorted({"namespace", "code", "tests", "requirements"}))
def test_a_field_that_is_missing_is_named(tmp_path: Path, name: str) -> None:
    item = {key: value for key, value in ITEMS[0].items() if key != name}
    ((_, _, sentence),) = problems_of(written(tmp_path, item))
    assert sentence == f"the field {name} is missing"


def test_a_project_without_an_entry_is_the_operator_s_own_tree(tmp_path: Path) -> None:
    project = dataset.project(loaded(tmp_path))
    assert (project.repository, project.commit) == ("Sailing/harbour", "")
    assert project.withheld == (SOURCE,)
    assert project.requires == REQUIRES
    assert project.test_commands == (f"python3 -m pytest --rootdir=. {NODE}",)


def test_an_entry_says_where_a_project_comes_from(tmp_path: Path) -> None:
    entry = {"repository": "sea/harbour", "commit": "ab" * 20, "build_command": "make"}
    (tmp_path / FILE).write_text(json.dumps({"Sailing/harbour": entry}))
    project = dataset.project(loaded(tmp_path))
    assert (project.repository, project.commit) == ("sea/harbour", "ab" * 20)
    assert (project.build_command, project.requires) == ("make", REQUIRES)


def test_the_tests_of_a_setting_are_those_of_its_instructions() -> None:
    task = metres()
    first, second = (f"{TESTS}::test_metres_{name}" for name in ("is_a_float", "refuses_heights"))
    extension = f"{TESTS}::test_metres_of_fathoms"
    assert dataset.nodes(task, BASE, "") == (NODE,)
    assert dataset.nodes(task, SINGLE_ROUND, "Exception Handling") == (NODE, second)
    assert dataset.nodes(task, MULTI_TURN, "Exception Handling") == (NODE, first, second)
    assert dataset.nodes(task, MULTI_TURN, EXTENSION) == (extension,)
    assert dataset.nodes(task, "", "Exception Handling") == (second,)
    assert dataset.nodes(task, "", "Code Standard") == ()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\n"), max_size=9))
def test_a_node_id_is_one_word_for_the_shell(parameter: str) -> None:
    node = f"{NODE}[{parameter}]"
    task = Task("t", {}, {"tests": [node], "nodes": {}})
    assert shlex.split(dataset.command(task, BASE, "")) == [
        "python3",
        "-m",
        "pytest",
        "--rootdir=.",
        node,
    ]
