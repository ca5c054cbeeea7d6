"""`manage.py prepare_repositories`: prepares the projects of a benchmark before it is judged."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from django.core.management.base import BaseCommand, CommandError

from evaluation.engine import records
from evaluation.engine.errors import BenchmarkError, EngineAway, SandboxError
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import GIB, Options
from evaluation.engine.preparation.preparing import prepare_all
from evaluation.engine.preparation.reference_runs import sound
from evaluation.engine.preparation.workplaces import open_workplace, required
from evaluation.engine.records import Project
from evaluation.engine.sandbox.slots import PROJECTS, Slots
from evaluation.management.named import named_revision
from evaluation.models import Evaluation
from evaluation.state.projects import BUILDS, is_known_to_fail
from evaluation.state.projects import options as site_options
from evaluation.state.references import keep_failure, keep_references
from evaluation.state.scheduling import limits_of, lost_with
from evaluation.work import actions
from evaluation.work.chunks import projects_of, site_setup
from leaderboard.benchmarks.models import Revision, Task

# Projects with their tasks by primary key.
Projects: TypeAlias = Mapping[Project, Mapping[int, records.Task]]
# Maximum lines of a cause to print; the admin has all of it.
MOST_LINES = 12


class Command(BaseCommand):
    help = "Prepares the projects that a benchmark's generations are judged in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "benchmark", metavar="BENCHMARK", help="the benchmark's name in addresses"
        )
        parser.add_argument("--revision", metavar="LABEL", help="default: the current revision")
        parser.add_argument("--parallel", type=int, metavar="N", help="projects prepared at a time")
        parser.add_argument("--only", action="append", metavar="REPOSITORY", default=[])
        parser.add_argument(
            "--retry-failed", action="store_true", help="retry projects that could not be built"
        )
        parser.add_argument(
            "--references", action="store_true", help="also run the tasks' references"
        )

    def handle(self, *_args: Any, **given: Any) -> None:
        revision = named_revision(given["benchmark"], given["revision"])
        try:
            work = Preparation(revision, site_options(), self.stdout.write, given["parallel"])
            named, projects = set(given["only"]), work.projects
            if missing := named - {project.repository for project in projects}:
                raise CommandError(f"The revision has no repository {', '.join(sorted(missing))}.")
            if named:
                projects = {p: tasks for p, tasks in projects.items() if p.repository in named}
            work.prepare(projects, retry=given["retry_failed"], references=given["references"])
        except (BenchmarkError, SandboxError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped. Finished projects are kept; run the command again to continue."
            ) from None
        work.sum_up()
        work.go_on()
        if work.failed:
            raise CommandError(f"{len(work.failed):,} of {len(projects):,} projects are not ready.")


class Preparation:
    def __init__(
        self,
        revision: Revision,
        options: Options,
        say: Callable[[str], None],
        parallel: int | None,
    ) -> None:
        """Raises BenchmarkError if the benchmark is not judged in projects."""
        self._benchmark, self._options, self._say = revision.benchmark, options, say
        self._parallel = parallel or options.parallel
        self._judged = revision.benchmark.family.by_execution()
        self.projects = projects_of(revision, required(self._judged))
        self.failed: dict[Project, str] = {}
        self._ready: list[int] = []
        self._unsound = self._parts = 0

    def prepare(self, projects: Projects, *, retry: bool, references: bool) -> None:
        """Raises EngineAway if Docker does not answer."""
        rows = prepare_all(
            list(projects),
            self._options,
            parallel=self._parallel,
            say=self._say,
            retry=retry,
            builds=BUILDS,
        )
        for done, row in enumerate(rows, start=1):
            how = f"{'ready' if row.prepared else 'not ready'}, after {row.seconds:.0f} s"
            self._say(f"{done:,} of {len(projects):,}: {_name(row.project)} is {how}")
            if row.prepared is None:
                self.failed[row.project] = row.cause
                if is_known_to_fail(row.project):
                    keep_failure(tasks=self.projects[row.project], cause=row.cause)
            elif not references or self._run_references(row.project):
                self._ready += projects[row.project]

    def _run_references(self, project: Project) -> bool:
        tasks = self.projects[project]
        slots = Slots(kind=PROJECTS, share=f"command {os.getpid()}", say=self._say)
        setup = replace(
            site_setup(limits_of(self._benchmark), slots, {}),
            workers=self._parallel,
            say=self._say,
        )
        try:
            with open_workplace(self._judged, project, list(tasks.values()), setup) as place:
                assert place.prepared is not None
                found = {pk: place.references[task.id] for pk, task in tasks.items()}
                keep_references(prepared=place.prepared, found=found)
        except EngineAway:
            raise
        except (BenchmarkError, SandboxError) as error:
            self.failed[project] = str(error)
            return False
        self._unsound += sum(not sound(references) for references in found.values())
        told = [each for references in found.values() for each in references.values()]
        self._parts += sum(bool(each.unsound and each.part) for each in told)
        return True

    def sum_up(self) -> None:
        for project, cause in self.failed.items():
            lines = cause.splitlines()[-MOST_LINES:]
            self._say(
                "\n".join([f"\n{_name(project)} is not ready:", *(f"    {line}" for line in lines)])
            )
        taken = sum(kept.bytes_ for kept in store.listed(self._options))
        self._say(
            f"\nThe images of all projects take {taken / GIB:.1f} of "
            f"{self._options.most_bytes / GIB:.1f} GiB; the least recently used are removed first."
        )
        if self._unsound:
            self._say(
                f"{self._unsound:,} tasks are unsound: decide on them in the admin, under "
                "Reference verdicts."
            )
        if self._parts:
            self._say(
                f"{self._parts:,} requirements have tests that no program can pass: see there."
            )

    def go_on(self) -> None:
        names = Task.objects.filter(pk__in=self._ready).values("project")
        chunks = lost_with(self._benchmark).filter(project__in=names)
        waiting = Evaluation.objects.filter(pk__in=chunks.values("evaluation"))
        again = sum(actions.retry_lost(evaluation=evaluation) for evaluation in waiting)
        if again:
            self._say(f"{again:,} evaluations that waited for these projects resume.")


def _name(project: Project) -> str:
    return f"{project.repository}@{project.commit[:12]}" if project.commit else project.repository
