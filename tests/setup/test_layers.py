"""Tests of rules that import-linter's contracts in pyproject.toml cannot express: names in shared
modules."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Modules that may name tasks' hidden fields: judging, storing, and the admin's page for them.
HIDDEN_NAMES = {"TaskHidden", "hidden_part", "task_records", "task_record"}
MAY_NAME_HIDDEN = {
    "evaluation/work/chunks.py",
    "evaluation/work/turns.py",
    "leaderboard/site_admin/benchmarks.py",
    # The review desk shows the reference solution to staff.
    "leaderboard/site_admin/evaluation.py",
    "leaderboard/benchmarks/importing.py",
    "leaderboard/benchmarks/models.py",
    "leaderboard/benchmarks/records.py",
    "leaderboard/scores/scoring.py",
    "leaderboard/submissions/copies.py",
    "leaderboard/submissions/intake.py",
}
# Modules that may name submissions whose generations are still being stored.
MAY_NAME_UNFINISHED = {
    "evaluation/state/units.py",
    "evaluation/work/deleting.py",
    "leaderboard/submissions/bases.py",
    "leaderboard/submissions/copies.py",
    "leaderboard/submissions/intake.py",
    "leaderboard/submissions/models.py",
}
SITE = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("leaderboard", "evaluation")
    for path in (ROOT / folder).rglob("*.py")
    if "migrations" not in path.parts and "engine" not in path.parts
)

# Guards by path cover at least this many files, so that moving files leaves none unchecked.
assert len(SITE) >= 260
NARROWED = (
    "visible_to(",
    "editable_by(",
    "readable_by(",
    "filter(entrant__in=Entrant.objects.editable_by(user))",
    "filter(pk__in=submissions, ",
    "none()",
)
PAGES = [path for path in SITE if path.startswith(("leaderboard/pages/", "leaderboard/api/"))]
assert len(PAGES) >= 100


PROGRAMS = [
    "manage.py",
    *(
        path.relative_to(ROOT).as_posix()
        for folder in ("bench", "evaluation", "leaderboard", "scripts")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ),
]
# Variables of Django, Docker, git, pip, pytest and the system.
READ_OTHERS_VARIABLES = {
    "bench/record_judging.py",
    "evaluation/engine/preparation/sources.py",
    "evaluation/engine/sandbox/debootstrap.py",
    "evaluation/engine/sandbox/image_packages.py",
    "evaluation/engine/sandbox/inside/pytest_plugin/__init__.py",
    "leaderboard/wsgi.py",
    "manage.py",
    "scripts/engine.py",
}


def naming(words: set[str]) -> set[str]:
    """The files of the site with one of these names."""
    texts = {path: (ROOT / path).read_text() for path in SITE}
    likely = {path: text for path, text in texts.items() if any(word in text for word in words)}
    return {path for path, text in likely.items() if words & set(names(text))}


def names(text: str) -> Iterator[str]:
    """Every name, attribute and imported name of a file, and the parts of its lookups."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name.rpartition(".")[2]
        elif isinstance(node, ast.keyword) and node.arg:
            yield from node.arg.split("__")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from node.value.split("__")


def test_our_environment_variables_are_read_by_one_module() -> None:
    assert len(PROGRAMS) >= 500
    found = {path for path in PROGRAMS if any(map(reads, environments(path)))}
    assert found == {"evaluation/engine/variables.py", *READ_OTHERS_VARIABLES}
    for path in READ_OTHERS_VARIABLES:
        uses = [line for line in (ROOT / path).read_text().splitlines() if "environ" in line]
        assert [line for line in uses if "ASSAY_" in line] == []


def environments(path: str) -> Iterator[ast.AST]:
    """The nodes around each mention of the environment."""
    text = (ROOT / path).read_text()
    if not re.search(r"\b(environb?|getenv)\b", text):
        return
    tree = ast.parse(text)
    outer = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            assert "environ" not in ast.unparse(node) and "getenv" not in ast.unparse(node)
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv"):
            yield outer[node]


def reads(outer: ast.AST) -> bool:
    """False for `{**os.environ}`, which a child process gets, and for writes."""
    written = isinstance(outer, ast.Subscript) and isinstance(outer.ctx, ast.Store)
    updated = isinstance(outer, ast.Attribute) and outer.attr == "update"
    return not (isinstance(outer, ast.Dict) or written or updated)


def test_what_is_hidden_is_named_where_it_must_be_alone() -> None:
    assert naming(HIDDEN_NAMES) == MAY_NAME_HIDDEN


def test_unfinished_submissions_are_named_where_they_are_stored_alone() -> None:
    assert naming({"with_unfinished", "storing"}) == MAY_NAME_UNFINISHED


def test_templates_name_nothing_hidden() -> None:
    texts = {path: path.read_text() for path in (ROOT / "templates").rglob("*.*")}
    naming = {path.name for path, text in texts.items() if "hidden_part" in text}
    assert naming == set()


def test_pages_see_rows_through_the_readers_eyes() -> None:
    """Pages never take all submissions, uploads or benchmarks: only rows that `visible_to` or
    `editable_by` let through, rows of the person's own entrants, or none."""
    for path in PAGES:
        parts = re.split(r"(?:Submission|Upload|Benchmark)\.objects\.", (ROOT / path).read_text())
        assert [part[:40] for part in parts[1:] if not part.startswith(NARROWED)] == [], path


def test_no_page_switches_escaping_off() -> None:
    """HTML is marked as safe only with the reason in a comment."""
    off = ("|safe ", "|safe}", "autoescape off", "|safeseq", "mark_safe")
    for path in (ROOT / "templates").rglob("*.html"):
        # Help texts of fields are ours and Django's, never a user's.
        text = path.read_text().replace("field.help_text|safe", "")
        assert [word for word in off if word in text] == [], path
    for name in SITE:
        for line in (ROOT / name).read_text().splitlines():
            assert "mark_safe(" not in line or "# noqa: S308" in line, f"{name}: {line}"


def test_breadcrumbs_have_one_shape() -> None:
    """Breadcrumbs of the admin are Django's."""
    by_hand = '<nav class="breadcrumbs"'
    found = {path for path in (ROOT / "templates").rglob("*.html") if by_hand in path.read_text()}
    assert found == {ROOT / "templates/parts/breadcrumbs.html"}


def test_one_function_reads_the_signed_in_user() -> None:
    narrowed = "isinstance(request.user, User)"
    found = {path for path in SITE if narrowed in (ROOT / path).read_text()}
    assert found == {"leaderboard/pages/shared/access.py"}
