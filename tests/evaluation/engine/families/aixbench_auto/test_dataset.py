"""Tests of loading a checkout: its tasks, what they share, and all possible problems."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.aixbench_auto.dataset import TASKS, load_kit, load_tasks
from evaluation.engine.families.aixbench_auto.sources import _packages
from tests.evaluation.engine.families.aixbench_auto.cases import (
    CHECKOUT,
    HOME,
    copied,
    problems,
    records,
    write_tasks,
)
from tests.support.json_values import json_values

BASE = f"{HOME}/GenerateMethodBase.java"
FIRST = f"{HOME}/evaluation/Evaluation0.java"


def changed(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text("utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new), "utf-8")


def jar(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, b"")
    return file.getvalue()


def test_tasks_stand_in_their_files_order_with_what_is_public_and_what_is_not() -> None:
    tasks = load_tasks(CHECKOUT, None)
    assert [task.id for task in tasks] == [0, 1, 2, 3, 5, 8, 13, 21]
    assert tasks[0].public == {
        "raw_nl": "Counts the vowels (a, e, i, o, u) of a text, whatever their case.",
        "signature": "public static int countVowels(String text)",
        "entry_point": "countVowels",
    }
    assert tasks[0].hidden["evaluation"] == (CHECKOUT / FIRST).read_text("utf-8")
    assert {task.hidden["kit"] for task in tasks} == {load_kit(CHECKOUT).sha256}
    assert {task.language for task in tasks} == {"java"}
    # A Chinese character makes a task Chinese.
    assert [task.natural_language for task in tasks] == ["en"] * 4 + ["zh"] * 4
    assert json.loads(json.dumps([task.hidden for task in tasks])) == [t.hidden for t in tasks]


@pytest.mark.parametrize(
    ("signature", "text", "permitted"),
    [
        ("int countVowels(String text)", "Count the vowels, which the result reflects.", []),
        ("int countVowels(String text)", "通过反射获取", ["access_checks"]),
        ("int countVowels(Class<?> type)", "Count its methods.", ["access_checks"]),
    ],
)
def test_a_task_about_reflection_permits_access_to_private_members(
    tmp_path: Path, signature: str, text: str, permitted: list[str]
) -> None:
    root = copied(tmp_path)
    first, *others = records()
    write_tasks(root, {**first, "signature": signature, "raw_nl": text}, *others)
    assert load_tasks(root, None)[0].hidden["permitted"] == permitted


def test_imports_are_the_bases_and_then_packages_on_demand() -> None:
    imports = load_tasks(CHECKOUT, None)[0].hidden["imports"]
    assert imports[:4] == [
        *("import com.aixcode.sampleHelper.Parcel;", "import java.util.*;"),
        *("import java.io.*;", "import java.math.*;"),
    ]
    assert imports[-1] == "import java.util.logging.*;"


def test_packages_of_jars_are_imported_where_there_are_such_jars(tmp_path: Path) -> None:
    root = copied(tmp_path)
    (root / "lib").mkdir()
    (root / "lib/gson-1.jar").write_bytes(jar("com/google/gson/Gson.class"))
    assert load_tasks(root, None)[0].hidden["imports"][-1] == "import com.google.gson.*;"
    assert list(load_kit(root).jars) == ["gson-1.jar"]


def test_the_kit_holds_what_tasks_share_and_no_evaluation_or_data() -> None:
    kit = load_kit(CHECKOUT)
    assert sorted(kit.sources) == [
        f"{HOME}/AbstractBaseEvaluation.java",
        BASE,
        "src/main/java/com/aixcode/sampleHelper/Parcel.java",
    ]
    assert sorted(kit.resources) == [
        f"src/main/resources/tempFile/{name}.txt" for name in ("empty", "harbour", "log")
    ]
    assert kit.jars == {}


def test_the_kit_has_whatever_else_an_evaluation_imports(tmp_path: Path) -> None:
    root = copied(tmp_path)
    other = f"{HOME}/generate/other"
    (root / other).mkdir(parents=True)
    package = "com.aixcode.autoTest.generate.other"
    (root / other / "A.java").write_text(f"package {package};\nimport static {package}.B.C;\n")
    (root / other / "B.java").write_text(f"package {package};\n")
    (root / other / "Unused.java").write_text(f"package {package};\n")
    changed(root, FIRST, "import java.util.Map;", f"import {package}.A;\nimport java.util.Map;")
    found = {path for path in load_kit(root).sources if "/generate/" in path}
    assert found == {f"{other}/A.java", f"{other}/B.java"}


def test_a_file_is_no_checkout() -> None:
    assert problems(CHECKOUT / TASKS)[0].endswith("is not the folder of a checkout.")


def test_an_empty_folder_lacks_everything_at_once(tmp_path: Path) -> None:
    missing = "the checkout does not contain this file"
    assert problems(tmp_path) == [
        f"{path}: {missing}" for path in (f"{HOME}/AbstractBaseEvaluation.java", BASE, TASKS)
    ]


LACKS = "which the checkout does not hold"
FIRST_TASK = "dataset_autotest_nl.jsonl, line 1, task 0"


@pytest.mark.parametrize(
    ("path", "old", "new", "problem"),
    [
        (FIRST, "class Evaluation0 ", "class A ", f"{FIRST}: it holds no public class Evaluation0"),
        (
            FIRST,
            " extends AbstractBaseEvaluation",
            "",
            f"{FIRST}: Evaluation0 does not extend AbstractBaseEvaluation",
        ),
        (
            FIRST,
            ".evaluation;",
            ".other;",
            f"{FIRST}: its package is not com.aixcode.autoTest.evaluation",
        ),
        (FIRST, "import ", "import com.aixcode.A; import ", f"it imports com.aixcode.A, {LACKS}"),
        (
            FIRST,
            "import ",
            "import com.aixcode.autoTest.evaluation.Evaluation1; import ",
            "Evaluation1, which is a task's own",
        ),
        (
            BASE,
            "countVowels(String text)",
            "countVowels(String text, int from)",
            f"{FIRST_TASK}: GenerateMethodBase does not have this method",
        ),
        (BASE, "class GenerateMethodBase", "class Base", "no public class GenerateMethodBase"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_told(
    tmp_path: Path, path: str, old: str, new: str, problem: str
) -> None:
    root = copied(tmp_path)
    text = (root / path).read_text("utf-8")
    (root / path).write_text(text.replace(old, new, 1), "utf-8")
    (told,) = problems(root)
    assert told.endswith(problem)


def test_tasks_and_evaluations_come_in_pairs(tmp_path: Path) -> None:
    root = copied(tmp_path)
    (root / FIRST).unlink()
    write_tasks(root, *records()[:-1])
    assert problems(root) == [
        f"{TASKS}: there is an Evaluation21 and no such task",
        "dataset_autotest_nl.jsonl, line 1, task 0: the checkout has no Evaluation0",
    ]


def test_other_files_among_evaluations_are_told(tmp_path: Path) -> None:
    root = copied(tmp_path)
    stray = f"{HOME}/evaluation/Helper.java"
    (root / stray).write_text("")
    assert problems(root) == [f"{stray}: the name is not Evaluation and the number of a task"]


def test_a_package_of_the_checkout_may_be_imported_on_demand(tmp_path: Path) -> None:
    root = copied(tmp_path)
    changed(root, FIRST, "import java.util.Map;", "import com.aixcode.sampleHelper.*;")
    assert load_kit(root) == load_kit(CHECKOUT)


def test_other_encodings_and_broken_jars_are_told(tmp_path: Path) -> None:
    root = copied(tmp_path)
    (root / FIRST).write_bytes("// 中\n".encode("gbk"))
    (root / "lib").mkdir()
    (root / "lib/a.jar").write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(BenchmarkError) as raised:
        load_kit(root)
    assert [str(problem) for problem in raised.value.problems] == [
        f"{FIRST}, line 1: not UTF-8",
        "lib/a.jar: it is not a jar",
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"task_id": "0"}, "task_id must be a whole number, from 0 on"),
        ({"signature": "int f"}, "signature is not that of one method"),
    ],
)
def test_fields_are_held_to_what_they_may_be(
    tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    root = copied(tmp_path)
    write_tasks(root, records()[0] | change, *records()[1:])
    assert any("line 1" in said and said.endswith(sentence) for said in problems(root))


def test_a_task_that_stands_there_twice_and_lines_that_are_none_are_told(tmp_path: Path) -> None:
    root = copied(tmp_path)
    write_tasks(root, *records(), records()[0], 7)
    with (root / TASKS).open("a") as file:
        file.write("\n{")
    said = problems(root)
    assert [line.partition(": ")[0] for line in said] == [
        f"dataset_autotest_nl.jsonl, line {where}" for where in ("11", "9, task 0", "10")
    ]


JSON = json_values()
RECORDS = JSON | st.fixed_dictionaries(
    {}, optional={"task_id": JSON, "raw_nl": JSON, "signature": JSON | st.just("int f(int a)")}
)


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout whose tasks each example overwrites."""
    return copied(tmp_path_factory.mktemp("rewritten"))


@given(found=st.lists(RECORDS, max_size=4))
def test_any_records_are_tasks_or_problems(rewritten: Path, found: list[Any]) -> None:
    (rewritten / TASKS).write_text("\n".join(json.dumps(record) for record in found))
    with pytest.raises(BenchmarkError) as raised:
        load_tasks(rewritten, None)
    assert raised.value.problems


@given(st.data())
def test_any_damage_to_a_jar_leaves_a_jar_or_none(data: st.DataObject) -> None:
    content = bytearray(jar("a/b/C.class", "d/E.class", "plain.txt"))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    found = _packages(bytes(content[: data.draw(st.integers(0, len(content)))]))
    assert found is None or len(found) <= 3
