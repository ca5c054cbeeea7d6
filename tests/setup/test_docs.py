"""Tests of the documents: what they say of the code is looked up in the code."""

import ast
import functools
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import load_command_class
from django.core.management.base import BaseCommand, CommandParser
from django.utils.text import slugify

from evaluation.engine import registry, uploads
from evaluation.engine.family import ByExecution, Family
from evaluation.engine.metrics.passk import pass_at_k
from evaluation.engine.samples import sample_answers, sample_tasks
from evaluation.models import ChunkState, EvaluationState
from leaderboard.generation.models import RunState
from leaderboard.submissions.models import CopyState, UploadState, Visibility

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ARCHITECTURE = DOCS / "architecture.md"
USERS = sorted((DOCS / "users").glob("*.md"))
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted(DOCS.rglob("*.md")),
    *sorted((ROOT / "evaluation/engine/families").glob("*/README.md")),
]
COMMANDS = sorted(
    path.stem
    for path in (ROOT / "evaluation/management/commands").glob("*.py")
    if path.stem != "__init__"
)
STATES = {
    "Upload": UploadState,
    "Run": RunState,
    "Submission": Visibility,
    "Copy": CopyState,
    "Evaluation": EvaluationState,
    "Chunk": ChunkState,
}
# The pages for contributors name our code, and these things that are not ours.
FOR_CONTRIBUTORS = [ARCHITECTURE, *sorted((DOCS / "contributors").glob("*.md"))]
OURS = ("bench", "docs", "evaluation", "leaderboard", "locale", "scripts", "templates", "tests")
FOREIGN = {
    *("ast.unparse", "jdk.unsupported"),  # programming languages
    *("L_3", "inputs.function", "inputs.tests", "temp.py"),  # benchmarks
    *("/opt/assay/build", "/workspace/<name>", "target/classes"),  # containers
    # the files of an installation
    *("dry_run.json", "failure.json", "project-locks/<key>.make.lock", "references/", "runs/"),
    *("/health/", "/ready/", "d.m"),  # the site's pages
}
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(path: Path) -> str:
    """The page without its code blocks, in which brackets are not links."""
    return FENCE.sub("", path.read_text("utf-8"))


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ +(.+)$", prose(path), re.MULTILINE)
    return {slugify(heading, allow_unicode=True) for heading in headings}


def links(path: Path) -> Iterator[str]:
    """Links to our own files."""
    for link in LINK.findall(prose(path)):
        if not re.match(r"[a-z]+:", link):
            yield link


def leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    return target.exists() and (not anchor or anchor in anchors(target))


def section(path: Path, title: str) -> str:
    """The text below a heading of the second level."""
    parts = re.split(r"^## +(.+)$", path.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[title]


def first_cells(text: str) -> list[str]:
    """The text between backticks in the first cell of each row of a table."""
    return re.findall(r"^\| *`([^`]+)`", text, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not leads_somewhere(page, link)] == []


@pytest.mark.parametrize("page", USERS, ids=named)
def test_pages_of_the_site_link_to_pages_of_the_site(page: Path) -> None:
    inside = re.compile(r"([\w-]+\.md)?(#[\w-]+)?|[\w-]+/[\w-]+\.(csv|svg)")
    outside = [link for link in links(page) if not inside.fullmatch(link)]
    assert outside == []


def test_the_first_page_for_users_leads_to_every_other() -> None:
    start = DOCS / "users" / "start.md"
    reached = {link.partition("#")[0] or start.name for link in links(start)} - {start.name}
    assert reached == {page.name for page in USERS} - {start.name}


def test_sources_cite_pages_and_headings_that_exist() -> None:
    cited = re.compile(r'(docs/[\w/.-]+\.md|(?<![\w/])formats\.md)(?:,\s+"([^"]+)")?')
    wrong = [
        f"{path.relative_to(ROOT)}: {page} {heading}"
        for folder in ("evaluation", "leaderboard")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for page, heading in cited.findall(path.read_text("utf-8"))
        if not (ROOT / page).is_file()
        or (heading and f"\n## {heading}\n" not in (ROOT / page).read_text("utf-8"))
    ]
    assert wrong == []


def own_options(command: BaseCommand) -> set[str]:
    """The command's options without those that every command of Django has."""
    parser = CommandParser()
    command.add_arguments(parser)
    return {name for name in parser._option_string_actions if name.startswith("--")} - {"--help"}


def test_every_command_is_explained_with_its_options_and_no_other() -> None:
    text = section(DOCS / "operators/administration.md", "The commands")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE))
    assert sorted(rows) == COMMANDS
    explained = {name: set(re.findall(r"--[a-z-]+", row)) for name, row in rows.items()}
    assert explained == {
        name: own_options(load_command_class("evaluation", name)) for name in COMMANDS
    }


def test_every_queue_is_explained() -> None:
    text = section(DOCS / "operators/administration.md", "The queue's dashboard")
    listed = text.partition("Queues: ")[2].splitlines()[0]
    assert sorted(re.findall(r"`(\w+)`", listed)) == sorted(settings.QUEUES)


@pytest.mark.parametrize("record", [ByExecution, Family])
def test_every_optional_field_of_a_family_is_explained(record: type[Any]) -> None:
    explained = re.findall(r"^    (\w+)(?:\(.*\) ->|:) ", record.__doc__ or "", re.MULTILINE)
    optional = {one.name for one in fields(record) if not is_required(one)}
    assert optional <= set(explained)


def is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


@pytest.mark.parametrize("what", STATES)
def test_every_state_has_its_row(what: str) -> None:
    rows = first_cells(section(DOCS / "contributors/states.md", what))
    assert sorted(rows) == sorted(STATES[what].values)


def defined(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that the statements bind, and `Class.name` for those in classes."""
    for one in body:
        if isinstance(one, ast.ClassDef):
            yield one.name
            yield from (f"{one.name}.{name}" for name in defined(one.body))
        elif isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            yield one.name
        elif isinstance(one, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in one.names)
        else:
            stored = (node for node in ast.walk(one) if isinstance(node, ast.Name))
            yield from (node.id for node in stored if isinstance(node.ctx, ast.Store))


@functools.cache
def our_paths() -> list[Path]:
    below = (path for top in OURS for path in (ROOT / top).rglob("*"))
    return [path.relative_to(ROOT) for path in (*ROOT.iterdir(), *below)]


@functools.cache
def our_names() -> set[str]:
    """Every name in our modules, with all, a part or nothing of the module's path before it, such
    as `leaderboard.leases.held`, `leases.held` and `held`."""
    found = set()
    for path in our_paths():
        if path.suffix == ".py" and path.parts[0] in ("evaluation", "leaderboard", "scripts"):
            module = [*path.parts[:-1], *([path.stem] if path.stem != "__init__" else [])]
            for name in ("", *defined(ast.parse((ROOT / path).read_text("utf-8")).body)):
                parts = [*module, *filter(None, name.split("."))]
                found |= {".".join(parts[start:]) for start in range(len(parts))}
    return found


@functools.cache
def our_words() -> set[str]:
    """Every word in our programs but this one, and the names of files without their endings."""
    programs = [path for path in our_paths() if path.suffix in (".py", ".java", ".sh", ".html")]
    texts = [(ROOT / one).read_text("utf-8") for one in programs if ROOT / one != Path(__file__)]
    return {*re.findall(r"\w+", "\n".join(texts)), *(path.stem for path in our_paths())}


@functools.cache
def our_lines() -> str:
    """Every file and folder, a folder with a slash at its end, one a line."""
    return "".join(f"/{path}{'/' * (ROOT / path).is_dir()}\n" for path in our_paths())


def is_ours(name: str) -> bool:
    """A word occurs in our programs; another name is in a module, or a path ends in it, where
    `<...>` and `*` stand for any name."""
    if re.fullmatch(r"\w+", name):
        return name in our_words()
    pattern = re.sub(r"<\w+>|\\\*", r"[^/\n]*", re.escape(name))
    return name in our_names() or bool(re.search(rf"/{pattern}/?$", our_lines(), re.MULTILINE))


@pytest.mark.parametrize("page", FOR_CONTRIBUTORS, ids=named)
def test_names_and_paths_in_pages_for_contributors_exist(page: Path) -> None:
    """Those between backticks; a call by the name that is called."""
    quoted = re.findall(r"`([^`\s(]+)(?:\([^`]*)?`", prose(page))
    name = re.compile(r"\w+(\.\w+)*|\w+/|[\w.<>*-]*(/[\w.<>*-]+)+/?")
    names = {one for one in quoted if name.fullmatch(one)}
    assert sorted(one for one in names - FOREIGN if not is_ours(one)) == []


def test_every_part_of_the_engine_is_for_the_site_or_forbidden_to_it() -> None:
    text = section(ARCHITECTURE, "Directions of imports")
    told = re.search(r"these parts of the engine: (.*?), and the name", text, re.DOTALL)
    assert told
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    face = next(one for one in contracts["contracts"] if one["id"] == "the-engines-face")
    forbidden = re.findall(r"evaluation\.engine\.(\w+)(?= |$)", " ".join(face["forbidden_modules"]))
    parts = {name.stem for name in (ROOT / "evaluation/engine").glob("[a-z]*")}
    assert sorted([*re.findall(r"\w+", told[1]), *forbidden]) == sorted(parts)


def test_every_stored_model_is_named() -> None:
    told = set(re.findall(r"\w+", section(ARCHITECTURE, "Stored data")))
    models = {
        model.__name__
        for app in apps.get_app_configs()
        if app.name.partition(".")[0] in ("evaluation", "leaderboard")
        for model in app.get_models()
    }
    assert "Verdict" in models
    assert sorted(models - told) == []


class Example(NamedTuple):
    family: str
    setting: str
    text: str


def examples() -> list[Example]:
    """The blocks of formats.md below a heading that names a family and a setting."""
    parts = re.split(
        r"^### (\w+), (\w+)$", (DOCS / "users/formats.md").read_text("utf-8"), flags=re.MULTILINE
    )
    return [
        Example(family, setting, block)
        for family, setting, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
        for language, block in FENCE.findall(text)
        if language in ("json", "jsonl")
    ]


def test_there_is_an_example_for_every_family_and_setting() -> None:
    wanted = {(family.slug, s) for family in registry.FAMILIES.values() for s in family.settings}
    assert {(one.family, one.setting) for one in examples()} == wanted


@pytest.mark.parametrize("example", examples(), ids=lambda one: f"{one.family}-{one.setting}")
def test_the_examples_of_formats_are_accepted(example: Example, tmp_path: Path) -> None:
    family = registry.family(example.family)
    sample = ROOT / "evaluation/engine/families" / family.slug / "sample"
    tasks = family.load_tasks(sample_tasks(sample), sample_answers(sample))
    index = uploads.SlotIndex.for_setting(family, tasks, example.setting)
    file = tmp_path / "predictions"
    file.write_text(example.text, "utf-8")
    report = uploads.check(file, index, family=family.slug)
    assert (report.problems, report.generations > 0) == ((), True)


def test_the_limits_of_files_are_those_of_the_code() -> None:
    bounds = uploads.Bounds()
    told = section(DOCS / "users/formats.md", "Limits")
    for limit in (
        f"{bounds.file_bytes // 2**30} GiB, and {bounds.ratio} times its packed size",
        f"more than {bounds.ratio_free_bytes // 2**20} MiB",
        f"{bounds.members:,}",
        f"{bounds.records:,}",
        f"{bounds.record_bytes // 2**20} MiB",
        f"{bounds.generation_chars:,} characters",
        f"{bounds.generations_per_slot:,}",
    ):
        assert limit in told


def test_the_examples_of_pass_at_k_are_right() -> None:
    text = section(DOCS / "users/metrics.md", "pass@k")
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \|$", text, re.MULTILINE)
    assert [f"{pass_at_k(int(n), int(c), int(k)):.4f}" for n, c, k, _ in rows] == [
        value for *_, value in rows
    ]
    assert len(rows) >= 3
