"""Answers that differ in comments, docstrings and formatting have one normal form."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evaluation.engine import registry
from evaluation.engine.normal_form import normal_form
from evaluation.engine.records import Task
from evaluation.engine.samples import sample_answers, sample_folder, sample_tasks

PYTHON = """    total = 0
    for one in values:
        total += one * 2
    return total
"""


@pytest.mark.parametrize(
    "code",
    [
        "    # Sum.\n" + PYTHON,
        '    """Sum."""\n' + PYTHON,
        PYTHON.replace("    ", "\t"),
        PYTHON.replace("one * 2", "(one*2)"),
        PYTHON.lstrip(),
        PYTHON.replace("\n", "\r\n"),
        PYTHON.replace("\n    return", "\n\n\n    pass\n    return"),
    ],
    ids=["comment", "docstring", "tabs", "parentheses", "first indent", "line ends", "pass"],
)
def test_python_is_the_same_without_what_has_no_effect(code: str) -> None:
    assert normal_form(code, "python") == normal_form(PYTHON, "python")


@pytest.mark.parametrize(
    "code",
    [
        PYTHON.replace("* 2", "* 3"),
        PYTHON.replace("    return", "        return"),
        PYTHON.replace("values", "items"),
    ],
    ids=["constant", "nesting", "name"],
)
def test_other_python_is_different(code: str) -> None:
    assert normal_form(code, "python").text != normal_form(PYTHON, "python").text


def test_java_is_compared_by_its_tokens() -> None:
    one = normal_form('int f(int a) { /* b */ return a+1; } // "c"', "java")
    assert one == normal_form("int f(int a)\n{\n  return a + 1;\n}", "java")
    assert one != normal_form("int f(int a)\n{\n  return a + 2;\n}", "java")


@pytest.mark.parametrize("language", ["python", "java", "sql"])
@pytest.mark.parametrize("code", ["", " \n\t", "pass", "# nothing", "'text'", "// nothing"])
def test_what_does_nothing_is_empty(code: str, language: str) -> None:
    empty = {"python": ("", " \n\t", "pass", "# nothing", "'text'"), "java": ("// nothing",)}
    expected = not code.strip() or code in empty.get(language, ())
    assert (normal_form(code, language).size == 0) == expected


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["python", "java", "sql"]))
@example('"""', "java")
@example('"\\', "java")
@example("0\\", "python")
def test_any_text_has_a_normal_form(code: str, language: str) -> None:
    assert normal_form(f"{code}\n", language) == normal_form(f"{code}\n\n", language)


@pytest.mark.parametrize("code", ["(" * 50_000, "1+" * 50_000 + "1", "a." * 50_000 + "b"])
def test_text_that_python_cannot_parse_loses_only_white_space(code: str) -> None:
    assert normal_form(f" {code} ", "python").text == code


@pytest.mark.parametrize("slug", sorted(registry.FAMILIES))
def test_each_family_compares_the_code_that_it_judges(slug: str) -> None:
    family, folder = registry.family(slug), sample_folder(slug)
    assert folder is not None
    task: Task = family.load_tasks(sample_tasks(folder), sample_answers(folder))[0]
    code = "    return 1\n" if task.language == "python" else "        return 1;\n    }\n"
    if slug == "aixbench_auto":  # the part of an answer that declares the method
        code = f"{task.public['signature']} {{\n{code}"
    fenced = f"```{task.language}\n{code}```\n"
    found = {
        normal_form(family.code(task, text), task.language)
        for text in (fenced, f"Here it is:\n\n{fenced}\nIt returns 1.")
    }
    # People rate the whole answer, so the text around the code counts.
    assert len(found) == (2 if slug == "aixbench_nl" else 1), json.dumps([*found])
