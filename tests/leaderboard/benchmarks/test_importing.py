"""Tests of the import of files as a revision: all of it, or nothing."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.engine import registry
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Project
from leaderboard.benchmarks.importing import (
    ImportedRevision,
    family_texts,
    import_revision,
    project_name,
)
from leaderboard.benchmarks.models import Benchmark, Revision, Task
from leaderboard.benchmarks.records import task_records
from tests.support.cast import FAMILIES
from tests.support.in_projects import in_projects
from tests.support.wordings import WORDING, prompts_file

__all__ = ["in_projects"]

# An import is stored on PostgreSQL by the cast of every other test there.
pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
SAMPLE = FAMILIES / "rucodeeval/sample"


def imported(label: str = "2026-05", **more: Any) -> ImportedRevision:
    given = {
        "family_slug": "rucodeeval",
        "tasks": SAMPLE / "tasks.jsonl",
        "answers": SAMPLE / "answers.jsonl",
    }
    return import_revision(label=label, **given | more)


def with_ids(folder: Path, *ids: Any) -> Path:
    """The first tasks of the sample under other ids, with their answers."""
    tasks, answers = (
        [json.loads(line) for line in (SAMPLE / name).read_text("utf-8").splitlines()]
        for name in ("tasks.jsonl", "answers.jsonl")
    )
    outputs = {row.get("meta", row)["id"]: row["outputs"] for row in answers}
    lines = []
    for task, id in zip(tasks, ids, strict=False):
        task["outputs"] = outputs[task["meta"]["id"]]
        task["meta"]["id"] = id
        lines.append(json.dumps(task))
    path = folder / "tasks.jsonl"
    path.write_text("\n".join(lines))
    return path


def test_the_first_import_makes_the_benchmark_with_its_texts() -> None:
    benchmark = imported().benchmark
    texts = (benchmark.slug, benchmark.title, benchmark.setting)
    assert texts == ("rucodeeval", "ruCodeEval", "base")
    assert benchmark.summary_en.startswith("Python functions from a signature")
    assert benchmark.skills == family_texts("rucodeeval")["skills"]
    assert benchmark.current is not None
    assert (benchmark.current.label, benchmark.current.prompts) == ("2026-05", None)
    assert set(Task.objects.values_list("project", flat=True)) == {""}


def test_a_second_benchmark_of_a_family_is_told_from_the_first() -> None:
    first, second = imported().benchmark, imported(slug="ours").benchmark
    assert (first.title, second.title) == ("ruCodeEval", "ruCodeEval (ours)")
    assert len(imported(slug="s" * 60).benchmark.title) <= 80
    assert imported(slug="ours", label="2026-06").benchmark.title == "ruCodeEval (ours)"


def test_tasks_equal_what_the_family_reads() -> None:
    loaded = registry.family("rucodeeval").load_tasks(
        SAMPLE / "tasks.jsonl", SAMPLE / "answers.jsonl"
    )
    assert list(task_records(imported().revision).values()) == list(loaded)


def test_the_answers_are_part_of_what_a_revision_was_read_from(tmp_path: Path) -> None:
    imported()
    answers = tmp_path / "answers.jsonl"
    answers.write_bytes((SAMPLE / answers.name).read_bytes() + b"\n")
    with pytest.raises(BenchmarkError, match="was imported from other files"):
        imported(answers=answers)


def test_tasks_know_the_project_that_they_share(in_projects: Benchmark) -> None:
    rows = Task.objects.order_by("number").values_list("project", flat=True)
    assert len(set(rows)) == 3
    assert [row.partition(" #")[0] for row in rows[:3]] == [
        f"nobody/{name}@0123456789ab" for name in ("one", "two", "three")
    ]
    assert list(rows[:3]) == list(rows[3:6])


def test_the_longest_name_of_a_repository_leaves_room_for_the_commit() -> None:
    project = Project(f"{'o' * 300}/{'n' * 300}", "0" * 40, "image", "build")
    name = project_name(project)
    assert len(name) == 200
    assert "@000000000000 #" in name


def test_where_the_projects_are_is_part_of_what_a_revision_was_read_from(
    in_projects: Benchmark, tmp_path: Path
) -> None:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_bytes((SAMPLE / "tasks.jsonl").read_bytes())
    given = {"family_slug": "in_projects", "tasks": tasks}
    assert imported("sample", **given).already
    (tmp_path / "sources.json").write_text("{}")
    with pytest.raises(BenchmarkError, match="was imported from other files"):
        imported("sample", **given)


def test_a_second_revision_becomes_current_unless_told_not_to(tmp_path: Path) -> None:
    imported("a")
    imported("b", tasks=with_ids(tmp_path, 1, 2), answers=None, make_current=False)
    assert Benchmark.objects.get().current.label == "a"  # type: ignore[union-attr]
    imported("b", tasks=with_ids(tmp_path, 1, 2), answers=None)
    assert Benchmark.objects.get().current.label == "b"  # type: ignore[union-attr]


def test_what_staff_changed_survives_the_next_import(tmp_path: Path) -> None:
    imported("a")
    Benchmark.objects.update(title="Ours", summary_en="Another text.")
    benchmark = imported("b", tasks=with_ids(tmp_path, 1), answers=None).benchmark
    assert (benchmark.title, benchmark.summary_en) == ("Ours", "Another text.")


@pytest.mark.parametrize("id", ["a\0b", "a\ud800b", "x" * 201])
def test_an_id_that_no_column_keeps_is_a_problem(tmp_path: Path, id: str) -> None:
    with pytest.raises(BenchmarkError, match="external id"):
        imported(tasks=with_ids(tmp_path, "fine", id), answers=None)
    assert Benchmark.objects.count() == 0


def test_a_benchmark_keeps_its_family() -> None:
    imported()
    with pytest.raises(BenchmarkError, match="of the family rucodeeval"):
        tasks = FAMILIES / "codeif_function/sample/tasks.jsonl"
        imported(family_slug="codeif_function", slug="rucodeeval", tasks=tasks, answers=None)


def test_labels_can_be_cited_and_addresses_written() -> None:
    for label in ("", "  ", "a\nb", "x" * 61):
        with pytest.raises(BenchmarkError, match="label of 1 to 60"):
            imported(label)
    for slug in ("a b", "a/b", "x" * 61):
        with pytest.raises(BenchmarkError, match="address"):
            imported(slug=slug)


@pytest.mark.parametrize("slug", sorted(registry.FAMILIES))
def test_every_family_speaks_three_languages_and_says_whether_its_tests_are_public(
    slug: str,
) -> None:
    texts = family_texts(slug)
    assert all(texts[f"summary_{code}"] for code in ("en", "ru", "zh"))
    assert texts["link"] and texts["skills"]
    assert texts.get("shows_output", False) == slug.startswith("codeif")


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("import_benchmark", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_says_what_it_did() -> None:
    files = str(SAMPLE / "tasks.jsonl"), f"--answers={SAMPLE / 'answers.jsonl'}"
    arguments = ("rucodeeval", *files, "--revision=2026-05")
    hidden = "Only staff see the benchmark, until one lists it on its page."
    assert command(*arguments) == f"ruCodeEval 2026-05 imported: 12 tasks. {hidden}\n"
    again = "ruCodeEval 2026-05 was already imported from the same files: 12 tasks."
    assert command(*arguments) == f"{again} {hidden}\n"
    assert not Benchmark.objects.get().listed
    assert command(*arguments, "--list") == command(*arguments) == f"{again}\n"
    assert Benchmark.objects.get().listed
    assert (Revision.objects.count(), Task.objects.count()) == (1, 12)


def test_the_command_says_where_entrants_see_output() -> None:
    tasks = str(FAMILIES / "codeif_function/sample/tasks.jsonl")
    said = command("codeif_function", tasks, "--revision", "v0")
    assert "imported: " in said
    assert "entrants see what their programs print" in said
    benchmark = Benchmark.objects.get(slug="codeif-function")
    assert benchmark.shows_output
    Benchmark.objects.filter(pk=benchmark.pk).update(shows_output=False)
    assert "Entrants" not in command("codeif_function", tasks, "--revision", "v1")


def test_the_command_tells_problems_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text("{\n")
    with pytest.raises(CommandError, match=r"Nothing was imported.\n  tasks.jsonl, line 1: "):
        command("rucodeeval", str(path), "--revision", "x")


def test_the_command_says_which_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        command("rucodeeval", str(tmp_path / "none"), "--revision", "x")


def worded(prompts: Path) -> ImportedRevision:
    tasks = FAMILIES / "codeif_function/sample/tasks.jsonl"
    return imported(family_slug="codeif_function", tasks=tasks, answers=None, prompts=prompts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("null", "prompts.json is not a JSON file of prompts"),
        ("[]", "a prompts file must hold a JSON object"),
    ],
)
def test_what_is_no_prompts_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "prompts.json"
    path.write_text(text)
    with pytest.raises(BenchmarkError, match=said):
        worded(path)
    assert not Benchmark.objects.exists()


def test_tasks_that_bring_their_prompts_take_no_file(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="contain their prompts"):
        imported(prompts=prompts_file(tmp_path))


def test_the_command_takes_a_wording(tmp_path: Path) -> None:
    tasks = FAMILIES / "codeif_function/sample/tasks.jsonl"
    given = ("--revision", "s", "--prompts", prompts_file(tmp_path))
    call_command("import_benchmark", "codeif_function", tasks, *given, stdout=StringIO())
    assert Revision.objects.get().prompts == WORDING
    prompts_file(
        tmp_path, WORDING | {"function": {"base": "{prompt}", "requirement": "{requirement}"}}
    )
    with pytest.raises(CommandError, match="was imported from other files"):
        call_command("import_benchmark", "codeif_function", tasks, *given, stdout=StringIO())
