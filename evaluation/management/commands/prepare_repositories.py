"""`manage.py prepare_repositories`: prepares the projects of a benchmark before it is judged."""

import os
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.engine import records
from evaluation.engine.errors import BenchmarkError, EngineAway, SandboxError
from evaluation.engine.family import ByExecution
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import GIB, Options
from evaluation.engine.preparation.preparing import prepare_all
from evaluation.engine.preparation.reference_runs import sound
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import open_workplace, required
from evaluation.engine.records import Project
from evaluation.engine.sandbox.slots import PROJECTS, Slots
from evaluation.management.named import named_revision
from evaluation.models import Evaluation
from evaluation.state.projects import is_known_to_fail
from evaluation.state.projects import options as site_options
from evaluation.state.references import keep_failure, keep_references
from evaluation.state.scheduling import limits_of, lost_with
from evaluation.work import actions
from evaluation.work.chunks import projects_of, site_setup
from leaderboard.benchmarks.models import Task

# Maximum lines of a cause to print; the admin has all of it.
MOST_LINES = 12


class Command(BaseCommand):
    help = "Prepares the projects that a benchmark's generations are judged in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("benchmark", metavar="BENCHMARK", help="the benchmark's name in addresses")
        add("--revision", metavar="LABEL", help="default: the current revision")
        add("--parallel", type=int, metavar="N", help="projects prepared at a time")
        add("--only", action="append", metavar="REPOSITORY", default=[])
        add("--retry-failed", action="store_true", help="retry projects that could not be built")
        add("--references", action="store_true", help="also run the tasks' references")

    def handle(self, *_args: Any, **words: Any) -> None:
        revision = named_revision(words["benchmark"], words["revision"])
        failed, ready = dict[Project, str](), list[int]()
        self._unsound = self._parts = 0
        try:
            options, limits = site_options(), limits_of(revision.benchmark)
            slots = Slots(kind=PROJECTS, share=f"command {os.getpid()}", say=self.stdout.write)
            setup = replace(
                site_setup(limits, slots, {}), workers=words["parallel"] or options.parallel,
                say=self.stdout.write, retry=words["retry_failed"],
            )  # fmt: skip
            judged = revision.benchmark.family.by_execution()
            every = projects_of(revision, required(judged))
            named = set(words["only"])
            if missing := named - {project.repository for project in every}:
                raise CommandError(f"The revision has no repository {', '.join(sorted(missing))}.")
            chosen = [project for project in every if not named or project.repository in named]
            projects = {project: every[project] for project in chosen}
            for done, row in enumerate(prepare_all(list(projects), setup), start=1):
                how = f"{'ready' if row.prepared else 'not ready'}, after {row.seconds:.0f} s"
                self.stdout.write(f"{done:,} of {len(projects):,}: {_name(row.project)} is {how}")
                tasks = projects[row.project]
                if not row.prepared:
                    failed[row.project] = row.cause
                    if is_known_to_fail(row.project):
                        keep_failure(tasks=tasks, cause=row.cause)
                    continue
                try:
                    if words["references"]:
                        self._run_references(judged, row.project, tasks, setup)
                    ready += tasks
                except EngineAway:
                    raise
                except (BenchmarkError, SandboxError) as error:
                    failed[row.project] = str(error)
        except (BenchmarkError, SandboxError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped. Finished projects are kept; run the command again to continue."
            ) from None
        self._sum_up(failed, options)
        names = Task.objects.filter(pk__in=ready).values("project")
        chunks = lost_with(revision.benchmark).filter(project__in=names)
        waiting = Evaluation.objects.filter(pk__in=chunks.values("evaluation"))
        again = sum(actions.retry_lost(evaluation=evaluation) for evaluation in waiting)
        if again:
            self.stdout.write(f"{again:,} evaluations that waited for these projects resume.")
        if failed:
            raise CommandError(f"{len(failed):,} of {len(projects):,} projects are not ready.")

    def _run_references(
        self, judged: ByExecution, project: Project, tasks: Mapping[int, records.Task], setup: Setup
    ) -> None:
        """Raises BenchmarkError, SandboxError."""
        with open_workplace(judged, project, list(tasks.values()), setup) as place:
            assert place.prepared is not None
            by_task = {pk: place.references[task.id] for pk, task in tasks.items()}
            keep_references(prepared=place.prepared, found=by_task)
        self._unsound += sum(not sound(references) for references in by_task.values())
        runs = chain.from_iterable(references.values() for references in by_task.values())
        self._parts += sum(bool(reference.unsound and reference.part) for reference in runs)

    def _sum_up(self, failed: Mapping[Project, str], options: Options) -> None:
        say = self.stdout.write
        for project, cause in failed.items():
            lines = [f"    {line}" for line in cause.splitlines()[-MOST_LINES:]]
            say("\n".join([f"\n{_name(project)} is not ready:", *lines]))
        taken = sum(image.bytes_ for image in store.listed(options))
        say(
            f"\nThe images of all projects take {taken / GIB:.1f} of "
            f"{options.most_bytes / GIB:.1f} GiB; the least recently used are removed first."
        )
        if self._unsound:
            say(
                f"{self._unsound:,} tasks are unsound: decide on them in the admin, under "
                "Reference verdicts."
            )
        if self._parts:
            say(f"{self._parts:,} requirements have tests that no program can pass: see there.")


def _name(project: Project) -> str:
    return f"{project.repository}@{project.commit[:12]}" if project.commit else project.repository
