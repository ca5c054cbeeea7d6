"""Implements the commands."""

import argparse
import contextlib
import importlib
import json
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from evaluation.cli import tables
from evaluation.cli.intake import Input, read_input, require_writable
from evaluation.cli.progress import Progress
from evaluation.cli.report import ReportFile
from evaluation.engine import ENGINE_VERSION
from evaluation.engine.digests import sha256_of
from evaluation.engine.errors import SandboxError, UploadError
from evaluation.engine.family import ByExecution
from evaluation.engine.instructions import MULTI_TURN
from evaluation.engine.metrics.summary import scores
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import open_workplaces
from evaluation.engine.records import Case, Limits, Problem, Reference, TaskId
from evaluation.engine.registry import FAMILIES
from evaluation.engine.runs import judge_cases
from evaluation.engine.samples import sample_answers, sample_folder, sample_tasks, samples
from evaluation.engine.sandbox import docker, selfcheck
from evaluation.engine.sandbox.slots import Slots, kind_of
from evaluation.engine.uploads import UploadReport
from evaluation.making.build import BuildReport, build
from evaluation.making.languages import LANGUAGES, Origin

_DEPARTING = "Nothing is scored: by the verdicts here, these transcripts break the rules."
_OWNER_AND_NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def validate(arguments: argparse.Namespace) -> int:
    report = read_input(arguments).report
    if report.problems:
        return _refused(report)
    print(tables.upload(report))
    print(
        f"{report.generations:,} generations of {report.tasks_seen:,} tasks; {report.format_words}."
    )
    return 0


def _refused(report: UploadReport) -> int:
    print(tables.upload(report), file=sys.stderr)
    count = len(report.problems) + report.more
    print(f"The file was not judged: {count:,} problems.", file=sys.stderr)
    return 2


def run(arguments: argparse.Namespace) -> int:
    """Judges cases that the report lacks, then prints the scores."""
    inputs = read_input(arguments)
    if inputs.report.problems:
        return _refused(inputs.report)
    if inputs.report.cautions:
        print(tables.upload(inputs.report), file=sys.stderr)
    judged = inputs.family.by_execution()
    limits = replace(judged.limits_in(inputs.setting), **dict(arguments.limit))
    if limits.memory < docker.LEAST_MEMORY:
        raise UploadError(f"--limit memory must be at least {docker.LEAST_MEMORY // 2**20}m.")
    require_writable(arguments.report, arguments.summary)
    # The intervals need scipy at the end; it loads while the sandboxes start.
    threading.Thread(target=importlib.import_module, args=("scipy.special",)).start()
    cases, how = list(inputs.cases()), setup(limits, arguments, judged)
    opened = open_workplaces(judged, inputs.tasks, inputs.all_tasks, how, kit=inputs.kit())
    with swept(), opened as workplaces:
        environment = {"limits": limits.stored()}
        references = dict[TaskId, Mapping[str, Reference]]()
        for workplace in workplaces:
            environment |= workplace.environment
            references |= workplace.references
        paths = {name: getattr(arguments, name) for name in ("tasks", "answers", "predictions")}
        # All inputs on which verdicts depend: a report belongs to one set of them.
        identity = {
            "family": inputs.family.slug,
            "setting": inputs.setting,
            "engine": ENGINE_VERSION,
            **{name: path and sha256_of(path) for name, path in paths.items()},
            **environment,
        }
        with ReportFile(arguments.report, identity) as report:
            before = sum(case.unit in report.verdicts for case in cases)
            apart = any(case.test_set for case in cases)
            unit = "runs of generations with sets of tests" if apart else "generations"
            with Progress(len(cases), before, unit) as progress:
                for workplace in workplaces:
                    left = [c for c in workplace.cases(cases) if c.unit not in report.verdicts]
                    judge_cases(workplace, left, report.add, progress.one)
            _summarise(inputs, cases, report, references, arguments.summary)
    return 0


def _summarise(
    inputs: Input,
    cases: list[Case],
    report: ReportFile,
    references: Mapping[TaskId, Mapping[str, Reference]],
    out: Path | None,
) -> None:
    """Raises UploadError if transcripts break the rules according to these verdicts."""
    family = inputs.family
    verdicts = [report.verdicts[case.unit] for case in cases]
    transcripts = inputs.everything.transcripts
    if transcripts is None:
        results = family.results(inputs.tasks, inputs.setting, verdicts)
    else:
        questions = {case.generation.key: case.generation.asked or "" for case in cases}
        held = transcripts.held(inputs.tasks, questions, verdicts)
        if held.departures:
            problems = [Problem(reason, task_id=task) for task, reason in held.departures.items()]
            raise UploadError([Problem(_DEPARTING), *problems])
        results = list(held.results)
    if family.reference_results is not None:
        results += family.reference_results(inputs.tasks, references)
    metrics = family.metrics_in(inputs.setting)
    computed = scores(results, inputs.tasks, family.ks, family.slices, metrics, family.clusters)
    print(f"{inputs.family.title}, setting {inputs.setting}")
    print(tables.counts(verdicts))
    print(tables.scores(computed))
    if inputs.setting == MULTI_TURN and all(verdict.key.turn for verdict in verdicts):
        print("\nThere are no Base completions: the conversations begin at turn 1.")
    if out is not None:
        text = json.dumps([asdict(score) for score in computed], indent=2, ensure_ascii=False)
        out.write_text(text + "\n", "utf-8")


def check_sandbox(arguments: argparse.Namespace) -> int:
    """Returns 3 if a claim that a sandbox must satisfy does not hold."""
    failed = selfcheck.try_all(docker.client(), tell=print, say=say, runtime=arguments.runtime)
    for sentence in failed:
        print(sentence)
    return 3 if failed else 0


def demo(parse: Callable[[list[str]], argparse.Namespace], arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="assay-demo-") as folder:
        for number, (model, words) in enumerate(sample_runs(Path(folder))):
            run_arguments = parse([*words, f"--report={folder}/{number}.jsonl"])
            run_arguments.workers, run_arguments.runtime = arguments.workers, None
            print(f"\n{model}", end=": ", flush=True)
            code = run(run_arguments)
            if code:
                return code
    return 0


def sample_runs(place: Path) -> Iterator[tuple[str, list[str]]]:
    """The model and the words of `run` for every sample that is judged by execution outside
    projects, which take minutes to build."""
    for slug, family in FAMILIES.items():
        folder, judged = sample_folder(slug), family.judged
        if folder is None or not isinstance(judged, ByExecution) or judged.projects:
            continue
        answers = sample_answers(folder)
        files = [f"--tasks={sample_tasks(folder)}", *([f"--answers={answers}"] if answers else [])]
        for sample in samples(folder):
            predictions = f"--predictions={sample.sent_from(place)}"
            yield sample.model, ["run", slug, *files, predictions, f"--setting={sample.setting}"]


def build_tasks(arguments: argparse.Namespace) -> int:
    """Builds the tasks and prints counts of the functions; returns 2 if none was kept. Raises
    UploadError if the arguments are invalid."""
    repository, templates = located(arguments.repository, arguments.name)
    options = Options.from_environment()
    if templates:
        options = replace(options, repositories=templates)
    out = arguments.out
    require_writable(out, arguments.report)
    commands = arguments.build_command, arguments.test_command
    origin = Origin(repository, arguments.commit, arguments.image, *commands)
    report = arguments.report or out.with_name(f"{out.name}.report.jsonl")
    judged = FAMILIES[LANGUAGES[arguments.language].family].by_execution()
    how = replace(setup(judged.limits, arguments, judged), options=lambda: options)
    done = build(origin, arguments.language, out, report, arguments.most, how)
    print(summary(done))
    return 0 if done.kept else 2


def located(text: str, name: str | None) -> tuple[str, tuple[str, ...]]:
    """The repository's name in the tasks, and its location as the only template, if any. Raises
    UploadError if no valid name results."""
    is_path = Path(text).is_dir()
    if not is_path and _OWNER_AND_NAME.fullmatch(text):
        return name or text, ()
    place = str(Path(text).resolve()) if is_path else text
    parts = re.split("[/:]", place.rstrip("/").removesuffix("/.git").removesuffix(".git"))
    called = name or "/".join(parts[-2:])
    if not _OWNER_AND_NAME.fullmatch(called):
        raise UploadError(f"{called!r} is not a repository's name; add --name OWNER/NAME.")
    return called, (place.replace("{", "{{").replace("}", "}}"),)


def summary(done: BuildReport) -> str:
    counts = (
        f"{done.found:,} functions found, {done.cut:,} can be cut out, {done.reached:,} of these "
        f"are reached by tests; {done.tried:,} were tried and {done.kept:,} kept."
    )
    return "\n".join([counts, *(f"{n:7,}  {reason}" for reason, n in done.reasons.items())])


def setup(limits: Limits, words: argparse.Namespace, judged: ByExecution) -> Setup:
    return Setup(
        limits,
        Slots(kind=kind_of(judged), share=f"command {os.getpid()}", say=say),
        Options.from_environment,
        runtime=words.runtime,
        workers=words.workers,
        say=say,
        # A user who repeats the command has usually fixed what broke the build.
        retry=True,
    )


@contextmanager
def swept() -> Iterator[None]:
    """Removes this process's sandboxes that could not be removed earlier because Docker was
    unreachable."""
    try:
        yield
    finally:
        with contextlib.suppress(SandboxError):
            docker.sweep(own=True)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
