"""Imports a dataset's files as a revision: all of it, or nothing. Only families interpret tasks."""

import csv
import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

from django.db import models, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.engine import records, registry
from evaluation.engine.conversations.wording import load_prompts
from evaluation.engine.digests import sha256_of
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByExecution, Family, InProjects
from evaluation.engine.preparation.preparing import joined
from evaluation.engine.projects.sources import FILE as SOURCES_FILE
from leaderboard.benchmarks.models import (
    PROJECT_CHARACTERS,
    Benchmark,
    Revision,
    RevisionKit,
    Task,
    TaskHidden,
)
from leaderboard.benchmarks.records import stored_task

_BATCH = 500
_LISTED = 100
_COLUMNS = ("external_id", "language", "natural_language", "level", "domain", "category", "project")
# Shown to the person who imports the benchmark.
SHOWS_OUTPUT = gettext_lazy(
    "This benchmark's tests count as public: entrants see what their programs print, and "
    "models see the messages of failed tests. If your tests are hidden, turn “entrants see "
    "output” off on the benchmark's page."
)

# The benchmark's columns that a family may set: `shows_output` if its tests are published.
_TEXTS = {
    *("summary_en", "summary_ru", "summary_zh", "link", "authors", "skills", "metric"),
    *("human_baseline", "shows_output"),
}


@dataclass(frozen=True, slots=True)
class ImportedRevision:
    """`already` is true if that label had the same files before."""

    benchmark: Benchmark
    revision: Revision
    tasks: int
    already: bool


def import_revision(
    *,
    family_slug: str,
    tasks: Path,
    answers: Path | None,
    label: str,
    prompts: Path | None = None,
    dates: Path | None = None,
    slug: str | None = None,
    make_current: bool = True,
    counts: bool = True,
    listed: bool = True,
) -> ImportedRevision:
    """Stores the files' tasks as a revision of the benchmark `slug`, by default the family's name.
    A new benchmark is public at once if `listed`; else staff preview its first revision.
    `prompts` is the wording of the questions, if the tasks have none. Without `counts`, a revision
    that becomes current counts in no mean until staff set the day. A second import of the same
    files under the same label only changes which revision is current, and the tasks' days if
    `dates` is given (see `days_of`). Raises BenchmarkError."""
    family = registry.family(family_slug)
    slug, label = slug or family_slug.replace("_", "-"), label.strip()
    _require_names(slug, label)
    # The file next to the tasks file that says where the projects are.
    beside = tasks.parent / SOURCES_FILE
    has_sources = _projects(family) and tasks.is_file() and beside.is_file()
    sources = beside if has_sources else None
    sha256 = files_sha256(tasks, answers, sources, prompts)
    wording: Any = None if prompts is None else load_prompts(prompts)
    if wording is not None:
        if family.asking is None:
            raise BenchmarkError(_("This benchmark has no prompts: leave the prompts file out."))
        family.asking.script(wording, family.settings[0], "last")
    loaded = family.load_tasks(tasks, answers)
    kit = family.kit(tasks) if family.kit else b""
    days = days_of(dates, loaded) if dates else {}
    with transaction.atomic():
        benchmark = _locked_benchmark(family, slug, listed=listed)
        revision = benchmark.revisions.filter(label=label).first()
        already = revision is not None
        if revision is None:
            revision = benchmark.revisions.create(label=label, sha256=sha256, prompts=wording)
            store_tasks(revision, loaded, project_names(family, loaded))
            if kit:
                RevisionKit.objects.create(revision=revision, content=kit)
        elif revision.sha256 != sha256:
            sentence = _(
                "The revision %(label)s was imported from other files on %(date)s. Scores name "
                "their revision, so give these files another label."
            )
            words = {"label": revision.label, "date": revision.imported.date().isoformat()}
            raise BenchmarkError(sentence % words)
        dated = list(revision.tasks.filter(external_id__in=days).only("pk", "external_id"))
        for row in dated:
            row.dated = days[row.external_id]
        Task.objects.bulk_update(dated, ["dated"], batch_size=_BATCH)
        is_preview = benchmark.current is None and not benchmark.listed
        if (make_current or is_preview) and benchmark.current != revision:
            benchmark.current = revision
            if not counts:
                benchmark.counts_from = dict.fromkeys(family.settings)
            benchmark.save(update_fields=["current", "counts_from"])
    return ImportedRevision(benchmark, revision, len(loaded), already)


def _require_names(slug: str, label: str) -> None:
    most = Benchmark._meta.get_field("slug").max_length or 0
    if not re.fullmatch(r"[-\w]+", slug, re.ASCII) or len(slug) > most:
        raise BenchmarkError(
            _("The benchmark's address can have only letters, digits, hyphens and underscores.")
        )
    most = Revision._meta.get_field("label").max_length or 0
    # Labels appear in addresses and next to every score.
    if not label or not label.isprintable() or len(label) > most:
        sentence = _("Give the revision a label of 1 to %(most)d characters, such as 2026-05.")
        raise BenchmarkError(sentence % {"most": most})


def _projects(family: Family) -> InProjects | None:
    return family.judged.projects if isinstance(family.judged, ByExecution) else None


def files_sha256(tasks: Path, *others: Path | None) -> str:
    """The digest of the tasks (a file or a folder); with others, that of all digests in order."""
    try:
        digests = [sha256_of(path) for path in (tasks, *others) if path is not None]
    except OSError as error:
        raise BenchmarkError(f"{error.filename} cannot be read: {error.strerror}") from error
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _locked_benchmark(family: Family, slug: str, *, listed: bool) -> Benchmark:
    title = family.title
    if Benchmark.objects.filter(title=title).exists():
        title = f"{title} ({slug})"[: Benchmark._meta.get_field("title").max_length]
    defaults = {"family_slug": family.slug, "setting": family.settings[0], "listed": listed}
    defaults |= {"title": title} | family_texts(family.slug)
    Benchmark.objects.get_or_create(slug=slug, defaults=defaults)
    benchmark = Benchmark.objects.select_for_update().get(slug=slug)
    if benchmark.family_slug != family.slug:
        sentence = _("The benchmark %(slug)s is of the family %(family)s; choose another address.")
        raise BenchmarkError(sentence % {"slug": slug, "family": benchmark.family_slug})
    return benchmark


def family_texts(slug: str) -> dict[str, Any]:
    """The columns that the family's `site.toml` sets. Raises BenchmarkError if it is invalid."""
    file = resources.files("evaluation.engine.families").joinpath(slug, "site.toml")
    try:
        columns = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    except tomllib.TOMLDecodeError as error:
        raise BenchmarkError(f"The site.toml of family {slug} cannot be used: {error}.") from error
    if unknown := columns.keys() - _TEXTS:
        names = ", ".join(sorted(unknown))
        raise BenchmarkError(f"The site.toml of family {slug} cannot be used: unknown {names}.")
    return columns


def project_names(family: Family, tasks: Sequence[records.Task]) -> Mapping[records.TaskId, str]:
    """Names of the tasks' projects: repository, commit, and a hash of all that makes the image."""
    projects = _projects(family)
    groups = joined(tasks, projects) if projects else {}
    return {t.id: project_name(project) for project, group in groups.items() for t in group}


def project_name(project: records.Project) -> str:
    """At most PROJECT_CHARACTERS characters."""
    digest = hashlib.sha256(json.dumps(asdict(project), sort_keys=True).encode()).hexdigest()
    at = f"@{project.commit[:12]}" if project.commit else ""
    ending = f"{at} #{digest[:8]}"
    return project.repository[: PROJECT_CHARACTERS - len(ending)] + ending


def store_tasks(
    revision: Revision, loaded: Sequence[records.Task], projects: Mapping[records.TaskId, str]
) -> None:
    """Raises BenchmarkError if a value does not fit into its column."""
    rows = [
        stored_task(task, revision=revision, number=n, project=projects.get(task.id, ""))
        for n, task in enumerate(loaded)
    ]
    problems = [
        records.Problem(sentence, task_id=record.id)
        for record, (row, _hidden) in zip(loaded, rows, strict=True)
        for sentence in _unfit(row)
    ]
    if problems:
        raise BenchmarkError(problems[:_LISTED], more=max(0, len(problems) - _LISTED))
    Task.objects.bulk_create([task for task, _hidden in rows], batch_size=_BATCH)
    TaskHidden.objects.bulk_create([hidden for _task, hidden in rows], batch_size=_BATCH)


def days_of(path: Path, tasks: Sequence[records.Task]) -> dict[str, date]:
    """The days on which tasks became public, by id: a CSV file with the columns id and date, such
    as 2026-05-31. Tasks may be missing. Raises BenchmarkError with the problems of all lines."""
    ids, days, problems = {str(task.id) for task in tasks}, {}, []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if not {"id", "date"} <= set(rows.fieldnames or ()):
                raise BenchmarkError(_("%(path)s needs the columns id and date.") % {"path": path})
            for row in rows:
                try:
                    days[row["id"]] = date.fromisoformat(row["date"] or "")
                except ValueError:
                    sentence = _("its date is not a day such as 2026-05-31")
                    problems.append(records.Problem(sentence, rows.line_num, row["id"]))
                if row["id"] not in ids:
                    sentence = _("the revision has no task with this id")
                    problems.append(records.Problem(sentence, rows.line_num, row["id"]))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BenchmarkError(_("The dates cannot be read: %(error)s") % {"error": error}) from error
    if problems:
        raise BenchmarkError(problems[:_LISTED], more=max(0, len(problems) - _LISTED))
    return days


def _unfit(task: Task) -> Iterator[str]:
    """Yields problems of values that no database can store in a searched and sorted column."""
    for name in _COLUMNS:
        field, value = Task._meta.get_field(name), getattr(task, name)
        assert isinstance(field, models.CharField)
        most = field.max_length or 0
        words = {"name": field.verbose_name, "most": most}
        if len(value) > most:
            yield _("its %(name)s is longer than %(most)d characters") % words
        elif "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
            yield _("its %(name)s contains characters that are not text") % words
